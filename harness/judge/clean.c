// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/clean.h"

#include <string.h>

#include "base/alloc.h"

/* A sequence longer than this is noise that happened to hold an ESC. */
#define SEQUENCE_BYTES 256

enum state { TEXT, ESCAPE, ESCAPE_MORE, CSI, STRING, STRING_ESCAPE };

/* What a byte may do while in TEXT. */
enum byte_class { ORDINARY, DROP, END, BACK, ESC };

static const unsigned char classes[256] = {
	[0x00 ... 0x07] = DROP, [0x08] = BACK,		[0x0a] = END,
	[0x0b ... 0x0c] = END,	[0x0d] = END,		[0x0e ... 0x1a] = DROP,
	[0x1b] = ESC,		[0x1c ... 0x1f] = DROP, [0x7f] = DROP,
};

void clean_init(struct cleaner *c)
{
	memset(c, 0, sizeof(*c));
	/* A line is added at most three times: joined, shown, released. */
	c->text = xmalloc(CLEAN_BATCH_BYTES + 4 * CLEAN_LINE_BYTES);
	c->lines = xcalloc(CLEAN_BATCH_LINES + 4, sizeof(*c->lines));
}

void clean_fini(struct cleaner *c)
{
	free(c->text);
	free(c->lines);
}

static inline struct line *add_line(struct cleaner *c, size_t start, size_t len, enum line_use use)
{
	struct line *l = &c->lines[c->n_lines++];

	l->start = (uint32_t)start;
	l->len = (uint32_t)len;
	l->number = c->number;
	l->use = use;
	return l;
}

static void add_joined(struct cleaner *c, size_t start, size_t len, uint64_t raw_end)
{
	size_t at = c->len;
	struct line *l = add_line(c, at, c->held.len + len, LINE_JOINED);

	memcpy(c->text + at, c->held_text, c->held.len);
	memcpy(c->text + at + c->held.len, c->text + start, len);
	c->len = at + l->len;
	c->text[c->len++] = '\n';
	l->boundary = c->held.len;
	l->raw_start = c->held.raw_start;
	l->raw_boundary = c->held.raw_end;
	l->raw_end = raw_end;
	c->held.len = 0;
}

/* Widths at which terminals wrap, and how many longer lines say that none did. */
static const size_t widths[] = {64, 80};
#define MANY_LONGER 3

static bool may_be_wrapped(struct cleaner *c, size_t len)
{
	bool wrapped = false;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(widths) && len >= widths[i]; i++) {
		if (len > widths[i] && c->longer[i] < MANY_LONGER)
			c->longer[i]++;
		wrapped |= len == widths[i] && c->longer[i] < MANY_LONGER;
	}
	return wrapped;
}

static void end_wide_line(struct cleaner *c, size_t len)
{
	size_t start = c->partial;
	bool wrapped = may_be_wrapped(c, len);
	struct line *l = add_line(c, start, len, wrapped ? LINE_SHOW : LINE_PLAIN);

	l->raw_start = c->raw_start;
	l->raw_end = c->raw;
	c->number++;
	if (c->held.len)
		add_joined(c, start, len, c->raw);
	if (wrapped) {
		c->held = *l;
		memcpy(c->held_text, c->text + start, len);
	}
	c->partial = c->len;
}

/* The short and simple case comes first: a flood has millions of them. */
static inline void end_line(struct cleaner *c)
{
	size_t start = c->partial, len = c->len - start;
	struct line *l;

	if (!len)
		return;
	c->text[c->len++] = '\n';
	if (len >= widths[0] || c->held.len) {
		end_wide_line(c, len);
		return;
	}
	l = add_line(c, start, len, LINE_PLAIN);
	l->raw_start = c->raw_start;
	l->raw_end = c->raw;
	c->number++;
	c->partial = c->len;
}

static void put(struct cleaner *c, char b)
{
	if (c->len == c->partial)
		c->raw_start = c->raw;
	c->text[c->len++] = b;
	if (c->len - c->partial >= CLEAN_LINE_BYTES) {
		c->raw++;
		end_line(c);
		c->raw--;
	}
}

static void in_text(struct cleaner *c, unsigned char b)
{
	switch ((enum byte_class)classes[b]) {
	case ORDINARY:
		put(c, (char)b);
		break;
	case DROP:
		break;
	case END:
		end_line(c);
		break;
	case BACK:
		if (c->len > c->partial)
			c->len--;
		break;
	case ESC:
		c->state = ESCAPE;
		c->sequence = 0;
		break;
	}
}

static void in_escape(struct cleaner *c, unsigned char b)
{
	if (b == '[')
		c->state = CSI;
	else if (b == ']' || b == 'P' || b == 'X' || b == '^' || b == '_')
		c->state = STRING;
	else if (b >= 0x20 && b <= 0x2f)
		c->state = ESCAPE_MORE;
	else
		c->state = TEXT;
}

/* Moving the cursor to another place starts another line. */
static void in_csi(struct cleaner *c, unsigned char b)
{
	if (b < 0x40 || b > 0x7e)
		return;
	c->state = TEXT;
	if (b == 'H' || b == 'f')
		end_line(c);
}

/*
 * No sequence spans lines: an end of line inside one means that its end was
 * lost, and the lines that follow must not be lost with it.
 */
static void in_sequence(struct cleaner *c, unsigned char b)
{
	if (classes[b] == END || ++c->sequence > SEQUENCE_BYTES) {
		c->state = TEXT;
		in_text(c, b);
		return;
	}
	switch ((enum state)c->state) {
	case TEXT:
		break;
	case ESCAPE:
		in_escape(c, b);
		break;
	case ESCAPE_MORE:
		if (b >= 0x30)
			c->state = TEXT;
		break;
	case CSI:
		if (b == 0x1b)
			c->state = ESCAPE;
		else
			in_csi(c, b);
		break;
	case STRING:
		if (b == 0x07)
			c->state = TEXT;
		else if (b == 0x1b)
			c->state = STRING_ESCAPE;
		break;
	case STRING_ESCAPE:
		c->state = b == '\\' ? TEXT : STRING;
		break;
	}
}

#define EACH_BYTE(b) (~0ULL / 255 * (b))

/* Is each of the eight bytes ORDINARY: not below 0x20, not 0x7f? */
static bool eight_ordinary(uint64_t x)
{
	uint64_t del = x ^ EACH_BYTE(0x7f);
	uint64_t low = (x - EACH_BYTE(0x20)) & ~x;

	return !((low | ((del - EACH_BYTE(1)) & ~del)) & EACH_BYTE(0x80));
}

/* Copies ordinary bytes until another one, the line's end, or @len. */
static size_t copy_run(struct cleaner *c, const unsigned char *p, size_t len)
{
	size_t room = CLEAN_LINE_BYTES - 1 - (c->len - c->partial), n = 0;
	char *out = c->text + c->len;

	if (len > room)
		len = room;
	for (; n + 8 <= len; n += 8) {
		uint64_t x;

		memcpy(&x, p + n, 8);
		if (!eight_ordinary(x))
			break;
		memcpy(out + n, &x, 8);
	}
	while (n < len && classes[p[n]] == ORDINARY) {
		out[n] = (char)p[n];
		n++;
	}
	if (n && c->len == c->partial)
		c->raw_start = c->raw;
	c->len += n;
	c->raw += n;
	return n;
}

static bool is_full(const struct cleaner *c)
{
	return c->len >= CLEAN_BATCH_BYTES || c->n_lines >= CLEAN_BATCH_LINES;
}

size_t clean_feed(struct cleaner *c, const void *data, size_t len)
{
	const unsigned char *p = data;
	size_t i = 0;

	while (i < len && !is_full(c)) {
		if (c->state == TEXT) {
			if (classes[p[i]] == ORDINARY) {
				i += copy_run(c, p + i, len - i);
				if (i == len)
					break;
			}
			if (classes[p[i]] == END)
				end_line(c);
			else
				in_text(c, p[i]);
			i++;
		} else {
			in_sequence(c, p[i++]);
		}
		c->raw++;
	}
	return i;
}

void clean_next(struct cleaner *c)
{
	size_t partial = c->len - c->partial;

	memmove(c->text, c->text + c->partial, partial);
	c->len = partial;
	c->partial = 0;
	c->n_lines = 0;
	c->number = 0;
}

void clean_release(struct cleaner *c)
{
	size_t partial = c->len - c->partial;
	struct line *l;

	if (!c->held.len)
		return;
	/* It goes before the partial line, which moves up. */
	memmove(c->text + c->partial + c->held.len + 1, c->text + c->partial, partial);
	memcpy(c->text + c->partial, c->held_text, c->held.len);
	c->text[c->partial + c->held.len] = '\n';
	l = add_line(c, c->partial, c->held.len, LINE_UNWRAPPED);
	l->raw_start = c->held.raw_start;
	l->raw_end = c->held.raw_end;
	c->partial += c->held.len + 1;
	c->len = c->partial + partial;
	c->held.len = 0;
}

void clean_finish(struct cleaner *c)
{
	end_line(c);
	clean_release(c);
}

void clean_skip(struct cleaner *c, uint64_t bytes)
{
	c->raw += bytes;
}
