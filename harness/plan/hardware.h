/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hardware.h - what kjump has to know of a real board to boot it: from the key
 * "hardware" of board/NAME.yaml, over the defaults of board/soc/SOC.yaml.
 */
#ifndef KJUMP_PLAN_HARDWARE_H
#define KJUMP_PLAN_HARDWARE_H

#include <stdint.h>

#include "plan/yaml.h"

struct hardware {
	unsigned int baud;
	char **banners; /* how a line begins that only firmware prints after power-on */
	size_t n_banners;
	char *prompt;	    /* of its U-Boot */
	unsigned int burst; /* characters that U-Boot takes between two looks at their echo */
	uint64_t off_ms;    /* how long it must be without power to be off */
	uint64_t banner_ms; /* within which after power-on it must say something */
	uint64_t kernel_addr, ramdisk_addr, fdt_addr, env_addr;
};

/* @map: the key's value; what it does not say is as in @soc_path (NULL: there is none). */
int hardware_read(const struct yaml_node *map, const char *soc_path, struct diag *diag,
		  struct hardware **ret);
void hardware_free(struct hardware *h);
DEFINE_FREE(hardware, struct hardware *, hardware_free(_v));

#endif
