// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/series.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"

#define MAX_MAILBOX_BYTES (64 << 20)
#define MAX_MAILS	  2000
#define MAX_NUMBER	  999
#define MAX_SLUG	  52

DEFINE_FREE(dir, DIR *, if (_v) closedir(_v));

static void patch_fini(struct series_patch *p)
{
	free(p->subject);
	free(p->name);
	free(p->email);
	free(p->date);
	free(p->body);
}

void series_fini(struct series *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		patch_fini(&s->p[i]);
	free(s->p);
	*s = (struct series){NULL, 0};
}

/* The "n/m" in the brackets of a subject. */
static bool read_number(const char *brackets, const char *end, struct series_patch *p)
{
	const char *slash = memchr(brackets, '/', (size_t)(end - brackets)), *s = slash;
	unsigned int n = 0, m = 0;

	if (!slash) {
		p->n = p->m = 1;
		return true;
	}
	while (s > brackets && isdigit((unsigned char)s[-1]))
		s--;
	if (s == slash || slash - s > 3 || sscanf(s, "%3u/%3u", &n, &m) != 2 || m > MAX_NUMBER)
		return false;
	p->n = n;
	p->m = m;
	return true;
}

/* "[PATCH 6.1 1/3] arm64: ..." into @p; false: a reply, or none of a patch. */
static bool read_subject(const char *line, size_t len, struct series_patch *p)
{
	const char *end = memchr(line, ']', len), *title;

	if (*line != '[' || !end || !memmem(line, (size_t)(end - line), "PATCH", 5) ||
	    !read_number(line, end, p))
		return false;
	title = end + 1;
	len -= (size_t)(title - line);
	while (len && *title == ' ') {
		title++;
		len--;
	}
	p->subject = xstrndup(title, len);
	return *p->subject && !memchr(p->subject, '\r', strlen(p->subject));
}

static bool is_reply(const char *line, size_t len)
{
	return len > 4 && !strncasecmp(line, "Re: ", 4) && memmem(line, len, "[", 1);
}

/* Where a mail of a thread begins: a subject after an empty line, an "[Author]" below. */
static bool begins_mail(const char *text, size_t at, size_t len)
{
	const char *line = text + at, *end = memchr(line, '\n', len - at);
	struct series_patch p = {0};
	bool yes;

	if (!end || (at && (at < 2 || text[at - 2] != '\n')))
		return false;
	yes = read_subject(line, (size_t)(end - line), &p);
	patch_fini(&p);
	return yes || is_reply(line, (size_t)(end - line));
}

static size_t next_line(const char *text, size_t at, size_t len)
{
	const char *end = memchr(text + at, '\n', len - at);

	return end ? (size_t)(end - text) + 1 : len;
}

static bool has_diff(const char *body)
{
	return !strncmp(body, "diff --git ", 11) || strstr(body, "\ndiff --git ") ||
	       (strstr(body, "\n--- ") && strstr(body, "\n@@ "));
}

static bool is_plain(const char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < ' ' || *s == '<' || *s == '>' || *s == 127)
			return false;
	}
	return true;
}

/* "Signed-off-by: NAME <address>" of the author; *returned* or NULL. */
static char *find_address(const char *body, const char *name)
{
	char *mark __free(str) = xasprintf("\nSigned-off-by: %s <", name);
	const char *at = strncmp(body, mark + 1, strlen(mark + 1)) ? strstr(body, mark) : body,
		   *end;

	if (!at)
		return NULL;
	at += strlen(mark) - (at == body && *at != '\n');
	end = at + strcspn(at, ">\n");
	return *end == '>' && end > at ? xstrndup(at, (size_t)(end - at)) : NULL;
}

/* "[Name]", with or without an address, and blank lines around it; moves @at behind. */
static void read_author(const char *text, size_t len, size_t *at, struct series_patch *p)
{
	size_t end;
	const char *close, *lt;

	while (*at < len && text[*at] == '\n')
		(*at)++;
	if (*at == len || text[*at] != '[')
		return;
	end = next_line(text, *at, len);
	close = memrchr(text + *at, ']', end - *at);
	if (!close)
		return;
	p->name = xstrndup(text + *at + 1, (size_t)(close - text) - *at - 1);
	lt = strstr(p->name, " <");
	if (lt) {
		p->email = xstrndup(lt + 2, strcspn(lt + 2, ">"));
		p->name[lt - p->name] = '\0';
	}
	*at = end;
	while (*at < len && text[*at] == '\n')
		(*at)++;
}

static int take_thread_mail(const char *text, size_t at, size_t end, struct series *s,
			    struct err *e)
{
	struct series_patch p = {0};
	size_t line_end = next_line(text, at, end);

	if (!read_subject(text + at, line_end - at - 1, &p)) {
		patch_fini(&p);
		return 0;
	}
	at = line_end;
	read_author(text, end, &at, &p);
	p.body = xstrndup(text + at, end - at);
	if (!p.n || !has_diff(p.body)) {
		patch_fini(&p);
		return 0;
	}
	if (p.name && !p.email)
		p.email = find_address(p.body, p.name);
	*array_push(s->p, s->n) = p;
	if (p.name && p.email)
		return 0;
	return err_set(e, EBADMSG, "patch %u/%u: %s%s", p.n, p.m,
		       p.name ? "no Signed-off-by has the address of "
			      : "nothing says who wrote it",
		       p.name ? p.name : "");
}

static int by_number(const void *a, const void *b)
{
	const struct series_patch *p = a, *q = b;

	return (p->n > q->n) - (p->n < q->n);
}

static int check_patch(const struct series_patch *p, struct err *e)
{
	if (!p->name || !p->email || !is_plain(p->name) || !is_plain(p->email) ||
	    !is_plain(p->subject) || (p->date && !is_plain(p->date)))
		return err_set(e, EBADMSG, "patch %u/%u: its author or subject is not text", p->n,
			       p->m);
	return 0;
}

/* Sorts, and sees that all are there. */
static int complete(struct series *s, struct err *e)
{
	size_t i;
	int rc;

	if (!s->n)
		return err_set(e, EBADMSG, "there is no patch in it");
	qsort(s->p, s->n, sizeof(*s->p), by_number);
	for (i = 0; i < s->n; i++) {
		if (s->p[i].m != s->p[0].m)
			return err_set(e, EBADMSG, "patches of two series: %u/%u and %u/%u",
				       s->p[0].n, s->p[0].m, s->p[i].n, s->p[i].m);
		if (i && s->p[i].n == s->p[i - 1].n)
			return err_set(e, EBADMSG, "patch %u/%u stands twice", s->p[i].n,
				       s->p[i].m);
		rc = check_patch(&s->p[i], e);
		if (rc)
			return rc;
	}
	for (i = 0; i < s->p[0].m; i++) {
		if (i >= s->n || s->p[i].n != i + 1)
			return err_set(e, EBADMSG, "patch %zu/%u is missing", i + 1, s->p[0].m);
	}
	return 0;
}

int series_parse_thread(const char *text, size_t len, struct series *ret, struct err *e)
{
	struct series s __free_series = {NULL, 0};
	size_t at = 0, start = 0;
	bool in_mail = false;
	int rc = 0;

	if (memchr(text, '\0', len))
		return err_set(e, EBADMSG, "it is not text");
	for (at = 0; !rc && at < len; at = next_line(text, at, len)) {
		if (!begins_mail(text, at, len))
			continue;
		if (in_mail)
			rc = take_thread_mail(text, start, at, &s, e);
		start = at;
		in_mail = true;
		if (s.n > MAX_MAILS)
			return err_set(e, EFBIG, "more than %d patches", MAX_MAILS);
	}
	if (!rc && in_mail)
		rc = take_thread_mail(text, start, len, &s, e);
	if (!rc)
		rc = complete(&s, e);
	if (rc)
		return rc;
	*ret = s;
	s = (struct series){NULL, 0};
	return 0;
}

/* The value of "KEY: " in what git mailinfo says of a mail; *returned* or NULL. */
static char *info_of(const char *info, const char *key)
{
	char *mark __free(str) = xasprintf("\n%s: ", key);
	const char *at = strstr(info, mark);

	return at ? xstrndup(at + strlen(mark), strcspn(at + strlen(mark), "\n")) : NULL;
}

static int read_mail(const char *dir, const char *mail, struct series *s, struct err *e)
{
	static const char script[] =
		"GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null; "
		"export GIT_CONFIG_NOSYSTEM GIT_CONFIG_GLOBAL; cd \"$1\" && { echo; "
		"git mailinfo -k --encoding=UTF-8 msg diff <\"$2\"; }";
	const char *const argv[] = {"sh", "-c", script, "sh", dir, mail, NULL};
	char *msg_path __free(str) = file_join(dir, "msg");
	char *diff_path __free(str) = file_join(dir, "diff");
	char *subject __free(str) = NULL;
	struct buf info __free_buf = BUF_INIT, body __free_buf = BUF_INIT;
	struct series_patch p = {0};

	/* A mail without an author or of another kind is no patch: not an error. */
	if (process_run(argv, MAX_MAILBOX_BYTES, &info, NULL, NULL))
		return 0;
	subject = info_of(info.data, "Subject");
	if (!subject || !read_subject(subject, strlen(subject), &p) || !p.n ||
	    file_read(msg_path, MAX_MAILBOX_BYTES, &body, NULL) ||
	    file_read(diff_path, MAX_MAILBOX_BYTES, &body, NULL) || !has_diff(body.data)) {
		patch_fini(&p);
		return 0;
	}
	p.name = info_of(info.data, "Author");
	p.email = info_of(info.data, "Email");
	p.date = info_of(info.data, "Date");
	p.body = buf_steal(&body);
	*array_push(s->p, s->n) = p;
	return s->n > MAX_MAILS ? err_set(e, EFBIG, "more than %d patches", MAX_MAILS) : 0;
}

static int read_mails(const char *dir, struct series *s, struct err *e)
{
	DIR *d __free(dir) = opendir(dir);
	struct dirent *entry;
	int rc = 0;

	if (!d)
		return err_errno(e, errno, "cannot read '%s'", dir);
	while (!rc && (entry = readdir(d))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			rc = read_mail(dir, entry->d_name, s, e);
	}
	return rc ? rc : complete(s, e);
}

static int read_mailbox(const char *path, struct series *s, struct err *e)
{
	char *dir __free(str) = xstrdup("/tmp/kjump-import.XXXXXX"), *out __free(str) = NULL;
	const char *argv[] = {"git", "mailsplit", NULL, "-b", "--", path, NULL};
	int rc;

	if (!mkdtemp(dir))
		return err_errno(e, errno, "cannot create a directory in /tmp");
	out = xasprintf("-o%s", dir);
	argv[2] = out;
	rc = process_run(argv, 65536, NULL, NULL, e);
	if (!rc)
		rc = read_mails(dir, s, e);
	file_remove_tree(dir, NULL);
	return rc;
}

/* Of a mailbox the first line is "From ", or a mail's header. */
static bool is_mailbox(const struct buf *text)
{
	size_t name = strcspn(text->data, ": \n");

	return !strncmp(text->data, "From ", 5) || (name && text->data[name] == ':');
}

int series_read(const char *path, struct series *ret, struct err *e)
{
	struct series s __free_series = {NULL, 0};
	struct buf text __free_buf = BUF_INIT;
	char *real __free(str) = realpath(path, NULL);
	int rc = file_read(path, MAX_MAILBOX_BYTES, &text, e);

	if (rc)
		return rc;
	if (is_mailbox(&text) && real)
		rc = read_mailbox(real, &s, e);
	else
		rc = series_parse_thread(text.data, text.len, &s, e);
	if (rc)
		return err_prefix(e, rc, "%s", path);
	*ret = s;
	s = (struct series){NULL, 0};
	return 0;
}

/* "0001-arm64-mm-batch-dsb.patch": letters and digits only. */
static char *file_name(const struct series_patch *p)
{
	struct buf slug __free_buf = BUF_INIT;
	const char *s;

	for (s = p->subject; *s && slug.len < MAX_SLUG; s++) {
		if (isalnum((unsigned char)*s) && (unsigned char)*s < 128)
			buf_addch(&slug, *s);
		else if (slug.len && slug.data[slug.len - 1] != '-' && *s != '\'')
			buf_addch(&slug, '-');
	}
	while (slug.len && slug.data[slug.len - 1] == '-')
		buf_truncate(&slug, slug.len - 1);
	return xasprintf("%04u-%s.patch", p->n, slug.data);
}

static void format(const struct series_patch *p, struct buf *out)
{
	buf_addf(out, "From: %s <%s>\n", p->name, p->email);
	if (p->date)
		buf_addf(out, "Date: %s\n", p->date);
	buf_addf(out, "Subject: [PATCH %u/%u] %s\n", p->n, p->m, p->subject);
	buf_adds(out, "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n"
		      "Content-Transfer-Encoding: 8bit\n\n");
	buf_adds(out, p->body);
	if (p->body[0] && p->body[strlen(p->body) - 1] != '\n')
		buf_addch(out, '\n');
}

int series_write(const struct series *s, const char *dir, struct err *e)
{
	char *list_path __free(str) = file_join(dir, "series");
	struct buf list __free_buf = BUF_INIT;
	size_t i;
	int rc = file_mkdir(dir, 0755, e);

	if (!rc && file_exists(list_path))
		rc = err_set(e, EEXIST, "'%s' is there already", list_path);
	for (i = 0; !rc && i < s->n; i++) {
		char *name __free(str) = file_name(&s->p[i]), *path __free(str) = NULL;
		struct buf text __free_buf = BUF_INIT;

		format(&s->p[i], &text);
		path = file_join(dir, name);
		rc = file_write(path, text.data, text.len, e);
		buf_addf(&list, "%s\n", name);
	}
	return rc ? rc : file_write(list_path, list.data, list.len, e);
}
