/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option.h - words of a kernel command line.
 *
 * Source: next_arg() of the kernel: blanks inside double quotes are part of a
 * word. And GRUB's variables, $name or ${name}, which nothing else expands.
 */
#ifndef KJUMP_PLAN_OPTION_H
#define KJUMP_PLAN_OPTION_H

#include <stdbool.h>
#include <stddef.h>

/* What isspace() calls blank, as the kernel does. */
#define OPTION_BLANKS " \t\n\v\f\r"

/* Length of the word at @s. */
size_t option_len(const char *s);

/* Where in @s the first variable starts, or NULL. */
const char *option_variable(const char *s);

/* Is the whole word a variable? */
bool option_is_variable(const char *word, size_t len);

#endif
