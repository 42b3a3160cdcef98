// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/arm64.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"

#define HEADER_BYTES	   64
#define MAGIC_OFFSET	   0x38
#define MAX_RELEASE_LENGTH 64 /* __NEW_UTS_LEN */

static const char *looks_like(const unsigned char *p, size_t len)
{
	if (len >= 2 && p[0] == 0x1f && p[1] == 0x8b)
		return "gzip";
	if (len >= 4 && !memcmp(p, "\177ELF", 4))
		return "an ELF file (vmlinux?)";
	if (len >= 8 && !memcmp(p, "MZ\0\0zimg", 8))
		return "a compressed EFI image (vmlinuz.efi)";
	if (len >= 4 && !memcmp(p, "\x27\x05\x19\x56", 4))
		return "a U-Boot uImage";
	if (len >= 4 && !memcmp(p, "\xd0\x0d\xfe\xed", 4))
		return "a device tree or FIT image";
	return "something else";
}

int arm64_check_image(const void *data, size_t len, struct err *e)
{
	if (len >= HEADER_BYTES && !memcmp((const char *)data + MAGIC_OFFSET, "ARM\x64", 4))
		return 0;
	return err_set(e, EBADMSG, "not an arm64 Image (no \"ARM\\x64\" at 0x38 of the header): %s",
		       looks_like(data, len));
}

static bool is_release_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c && strchr(".+-_~", c));
}

int arm64_release(const void *data, size_t len, char **ret, struct err *e)
{
	static const char banner[] = "Linux version ";
	const char *p = data, *end = p + len;

	while ((p = memmem(p, (size_t)(end - p), banner, sizeof(banner) - 1))) {
		size_t n = 0;

		p += sizeof(banner) - 1;
		while (p + n < end && is_release_char(p[n]))
			n++;
		/* The same words stand in format strings; a release begins with a digit. */
		if (n && n <= MAX_RELEASE_LENGTH && p + n < end && p[n] == ' ' && p[0] >= '0' &&
		    p[0] <= '9') {
			*ret = xstrndup(p, n);
			return 0;
		}
	}
	return err_set(e, EBADMSG, "no version banner in the Image");
}
