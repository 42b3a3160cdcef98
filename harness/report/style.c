// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/style.h"

#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/text.h"

#define WIDTH_DEFAULT 80
#define WIDTH_MIN     40
#define WIDTH_MAX     1000

static bool is_set(const char *name)
{
	const char *v = getenv(name);

	return v && *v;
}

bool style_is_terminal(FILE *out)
{
	const char *term = getenv("TERM");

	return isatty(fileno(out)) && !(term && !strcmp(term, "dumb"));
}

static unsigned int width_of(FILE *out)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size = {0};
	uint64_t n = 0;

	if (!ioctl(fileno(out), TIOCGWINSZ, &size) && size.ws_col)
		n = size.ws_col;
	else if (!columns || text_parse_u64(columns, &n))
		n = WIDTH_DEFAULT;
	return n < WIDTH_MIN ? WIDTH_MIN : n > WIDTH_MAX ? WIDTH_MAX : (unsigned int)n;
}

struct style style_of(FILE *out)
{
	return (struct style){
		.width = width_of(out),
		.colour = style_is_terminal(out) && !is_set("NO_COLOR"),
	};
}

static void add_toned(struct buf *out, const struct style *s, enum tone tone, const char *safe,
		      size_t len)
{
	static const char *const codes[] = {
		[TONE_PLAIN] = "",  [TONE_TITLE] = "1", [TONE_GOOD] = "32",
		[TONE_WARN] = "33", [TONE_BAD] = "31",	[TONE_DIM] = "2",
	};
	bool on = s->colour && tone != TONE_PLAIN && len;

	if (on)
		buf_addf(out, "\033[%sm", codes[tone]);
	buf_add(out, safe, len);
	if (on)
		buf_adds(out, "\033[0m");
}

void style_add(struct buf *out, const struct style *s, enum tone tone, const char *text)
{
	struct buf safe __free_buf = BUF_INIT;

	text_escape(&safe, text, strlen(text));
	add_toned(out, s, tone, safe.data, safe.len);
}

/* Bytes of the first @columns characters; *ret_columns: how many there were. */
static size_t prefix(const struct buf *safe, unsigned int columns, unsigned int *ret_columns)
{
	unsigned int n = 0;
	size_t i = 0;

	while (i < safe->len && n < columns) {
		uint32_t code;

		i += text_utf8(safe->data + i, safe->len - i, &code);
		n++;
	}
	*ret_columns = n;
	return i;
}

void style_add_cut(struct buf *out, const struct style *s, enum tone tone, const char *text,
		   unsigned int columns)
{
	struct buf safe __free_buf = BUF_INIT;
	unsigned int n;

	text_escape(&safe, text, strlen(text));
	if (prefix(&safe, columns, &n) < safe.len) {
		buf_truncate(&safe, prefix(&safe, columns > 3 ? columns - 3 : 0, &n));
		buf_adds(&safe, "...");
	}
	add_toned(out, s, tone, safe.data, safe.len);
}

unsigned int style_columns(const char *text)
{
	struct buf safe __free_buf = BUF_INIT;
	unsigned int n;

	text_escape(&safe, text, strlen(text));
	prefix(&safe, UINT32_MAX, &n);
	return n;
}

void style_pad(struct buf *out, unsigned int n)
{
	buf_addf(out, "%*s", (int)n, "");
}

enum tone style_outcome_tone(enum outcome o)
{
	switch (o) {
	case OUTCOME_USERSPACE_REACHED:
		return TONE_GOOD;
	case OUTCOME_DEGRADED:
	case OUTCOME_INFRA_ERROR:
		return TONE_WARN;
	case OUTCOME_FIRST_PIXEL:
	case OUTCOME_LOAD_FAILED:
	case OUTCOME_PANIC:
	case OUTCOME_HANG:
	case OUTCOME_RESET:
	case OUTCOME_WRONG_TARGET:
		return TONE_BAD;
	}
	return TONE_PLAIN;
}

void style_add_ms(struct buf *out, int64_t ms)
{
	if (ms < 99950)
		buf_addf(out, "%.1fs", (double)ms / 1000);
	else
		buf_addf(out, "%" PRId64 "s", (ms + 500) / 1000);
}
