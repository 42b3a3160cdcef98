// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/hardware.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/file.h"

#define MINUTE_MS 60000

static void read_address(struct diag *diag, const struct yaml_node *map, const char *key,
			 uint64_t *ret)
{
	const struct yaml_node *node = yaml_get(map, key);
	const char *text = node ? yaml_text(diag, node, key) : NULL;
	char *end;

	if (!text)
		return;
	*ret = strtoull(text, &end, 16);
	if (*end || !*ret)
		yaml_error(diag, node, "'%s' is no address: expected hexadecimal, 0x42000000",
			   text);
}

static void read_number(struct diag *diag, const struct yaml_node *map, const char *key,
			uint64_t min, uint64_t max, unsigned int *ret)
{
	uint64_t n;

	if (yaml_u64(diag, yaml_get(map, key), min, max, &n))
		*ret = (unsigned int)n;
}

static void free_banners(struct hardware *h)
{
	size_t i;

	for (i = 0; i < h->n_banners; i++)
		free(h->banners[i]);
	free(steal_ptr(h->banners));
	h->n_banners = 0;
}

static void read_banners(struct hardware *h, const struct yaml_node *list, struct diag *diag)
{
	size_t i;

	if (!list)
		return;
	free_banners(h);
	for (i = 0; i < yaml_len(list); i++) {
		const char *text = yaml_text(diag, yaml_item(list, i), "a banner");

		if (text)
			*array_push(h->banners, h->n_banners) = xstrdup(text);
	}
}

static void read_map(struct hardware *h, const struct yaml_node *map, struct diag *diag)
{
	static const char *const keys[] = {"description", "baud",      "banners",
					   "prompt",	  "burst",     "off-ms",
					   "banner-ms",	  "addresses", "usb-id"};
	static const char *const address_keys[] = {"kernel", "ramdisk", "fdt", "env"};
	const struct yaml_node *addresses, *prompt;
	const char *text;

	if (!yaml_want(diag, map, YAML_MAP, "hardware"))
		return;
	yaml_check_keys(diag, map, keys, ARRAY_SIZE(keys));
	read_number(diag, map, "baud", 50, 4000000, &h->baud);
	read_number(diag, map, "burst", 1, 64, &h->burst);
	yaml_u64(diag, yaml_get(map, "off-ms"), 0, MINUTE_MS, &h->off_ms);
	yaml_u64(diag, yaml_get(map, "banner-ms"), 1, MINUTE_MS, &h->banner_ms);
	read_banners(h, yaml_get(map, "banners"), diag);
	prompt = yaml_get(map, "prompt");
	text = prompt ? yaml_text(diag, prompt, "prompt") : NULL;
	if (text) {
		free(h->prompt);
		h->prompt = xstrdup(text);
	}
	addresses = yaml_get(map, "addresses");
	if (!addresses || !yaml_want(diag, addresses, YAML_MAP, "addresses"))
		return;
	yaml_check_keys(diag, addresses, address_keys, ARRAY_SIZE(address_keys));
	read_address(diag, addresses, "kernel", &h->kernel_addr);
	read_address(diag, addresses, "ramdisk", &h->ramdisk_addr);
	read_address(diag, addresses, "fdt", &h->fdt_addr);
	read_address(diag, addresses, "env", &h->env_addr);
}

static void check_whole(const struct hardware *h, const struct yaml_node *map, struct diag *diag)
{
	if (!h->n_banners)
		yaml_error(diag, map, "banners: without one a power-on cannot be told");
	if (!h->kernel_addr || !h->ramdisk_addr || !h->fdt_addr || !h->env_addr)
		yaml_error(diag, map, "addresses: kernel, ramdisk, fdt and env are needed");
}

int hardware_read(const struct yaml_node *map, const char *soc_path, struct diag *diag,
		  struct hardware **ret)
{
	struct hardware *h __free(hardware) = NULL;
	struct yaml_doc *doc __free(yaml) = NULL;
	size_t before = diag->n;

	xnew(h);
	h->baud = 115200;
	h->burst = 8;
	h->off_ms = 3000;
	h->banner_ms = 10000;
	h->prompt = xstrdup("=> ");
	if (soc_path && !yaml_doc_load(soc_path, diag, &doc))
		read_map(h, doc->root, diag);
	read_map(h, map, diag);
	if (diag->n == before)
		check_whole(h, map, diag);
	if (diag->n != before)
		return -EINVAL;
	*ret = steal_ptr(h);
	return 0;
}

void hardware_free(struct hardware *h)
{
	if (!h)
		return;
	free_banners(h);
	free(h->prompt);
	free(h);
}
