// SPDX-License-Identifier: GPL-2.0-or-later
#include "run/facts.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "image/gunzip.h"

#define DEVICETREE_MAX (2U << 20) /* the arm64 boot protocol's limit */

/* The device tree comes last: it is binary and ends with the output. */
const char facts_command[] =
	"f(){ x=;IFS= read -r x <$2;[ -z \"$x\" ]||printf '%s %s\\n' $1 \"$x\";}\n"
	"f release /proc/sys/kernel/osrelease\n"
	"f cmdline /proc/cmdline\n"
	"f boot-id /proc/sys/kernel/random/boot_id\n"
	"f uptime /proc/uptime\n"
	"f profile /etc/kjump/profile\n"
	"f root /etc/kjump/root\n"
	"f cpus /sys/devices/system/cpu/online\n"
	"for x in /sys/class/graphics/fb0 /sys/class/drm/card0;do [ ! -e $x ]||echo display "
	"${x##*/};done\n"
	"while read -r a b c d;do [ \"$b\" != / ]||echo root-type $c;done </proc/mounts\n"
	"echo devicetree\n"
	"gzip -c /sys/firmware/fdt\n";

unsigned int facts_count_cpus(const char *list)
{
	unsigned int n = 0;

	while (*list) {
		unsigned long first, last;
		char *end;

		first = last = strtoul(list, &end, 10);
		if (end == list)
			return 0;
		if (*end == '-') {
			list = end + 1;
			last = strtoul(list, &end, 10);
			if (end == list)
				return 0;
		}
		if (last < first || last > 1UL << 16 || (*end && *end != ','))
			return 0;
		n += (unsigned int)(last - first + 1);
		list = *end ? end + 1 : end;
	}
	return n;
}

static uint64_t parse_uptime(const char *s)
{
	double v = strtod(s, NULL);

	return v >= 0 && v < 1e12 ? (uint64_t)(v * 1000) : UINT64_MAX;
}

static void set(char **field, const char *value)
{
	free(*field);
	*field = xstrdup(value);
}

static void take(struct facts *f, const char *key, const char *value)
{
	if (!strcmp(key, "release"))
		set(&f->release, value);
	else if (!strcmp(key, "cmdline"))
		set(&f->cmdline, value);
	else if (!strcmp(key, "boot-id"))
		set(&f->boot_id, value);
	else if (!strcmp(key, "profile"))
		set(&f->profile, value);
	else if (!strcmp(key, "root"))
		set(&f->root, value);
	else if (!strcmp(key, "root-type"))
		set(&f->root_type, value); /* the last one lies on top */
	else if (!strcmp(key, "display"))
		f->has_display = true;
	else if (!strcmp(key, "uptime"))
		f->uptime_ms = parse_uptime(value);
	else if (!strcmp(key, "cpus"))
		f->cpus = facts_count_cpus(value);
}

int facts_parse(struct facts *f, const char *output, size_t len, struct err *e)
{
	while (len) {
		const char *end = memchr(output, '\n', len);
		char *line __free(str) = NULL;
		char *value;

		if (!end)
			break;
		line = xstrndup(output, (size_t)(end - output));
		len -= (size_t)(end + 1 - output);
		output = end + 1;
		if (!strcmp(line, "devicetree")) {
			/* Or an error message of gzip's: then there is no tree to be had. */
			if (image_gunzip(output, len, DEVICETREE_MAX, &f->devicetree, NULL))
				buf_reset(&f->devicetree);
			return 0;
		}
		value = strchr(line, ' ');
		if (!value)
			continue; /* what a shell says about a file that is not there */
		*value++ = '\0';
		take(f, line, value);
	}
	return err_set(e, EBADMSG, "the target's facts have no end");
}

void facts_fini(struct facts *f)
{
	free(f->release);
	free(f->cmdline);
	free(f->boot_id);
	free(f->profile);
	free(f->root);
	free(f->root_type);
	buf_fini(&f->devicetree);
	*f = (struct facts)FACTS_INIT;
}
