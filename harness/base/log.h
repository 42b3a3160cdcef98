/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h - one line to stderr for the person at the terminal.
 *
 * Only cmd/ and the run's progress decide what a person sees; libraries return
 * a struct err and use log_debug() at most. A live view that owns the terminal
 * installs a hook so that lines do not tear it.
 */
#ifndef KJUMP_BASE_LOG_H
#define KJUMP_BASE_LOG_H

#include <stdbool.h>

#include "base/cleanup.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Lines above this level are dropped. Default: info; KJUMP_DEBUG=1: debug. */
void log_set_level(enum log_level level);
bool log_enabled(enum log_level level);

/* @hook gets each finished line without newline; NULL restores stderr. */
void log_set_hook(void (*hook)(enum log_level level, const char *line, void *arg), void *arg);

void log_line(enum log_level level, const char *fmt, ...) __printf(2, 3);

#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...)  log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
