// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/patches.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "image/git.h"

#define MAX_PATCH_BYTES (16 << 20)

/* A range of commits of a git source, not a file. */
static bool is_range(const char *patch)
{
	return *patch != '/';
}

/* The range as mails; @ret is appended to. The user's tree is only read. */
static int format_range(const struct kernel_build *b, const char *range, struct buf *ret,
			struct err *e)
{
	const char *const args[] = {"format-patch", "--stdout", "--no-signature", range, NULL};

	return git_run(b->path, args, ret, NULL, e);
}

static int read_patch(const struct kernel_build *b, size_t i, struct buf *ret, struct err *e)
{
	if (is_range(b->patches[i]))
		return format_range(b, b->patches[i], ret, e);
	return file_read(b->patches[i], MAX_PATCH_BYTES, ret, e);
}

int patches_id(const struct kernel_build *b, size_t n, const char *source_id,
	       char ret_id[DIGEST_HEX_SIZE], struct err *e)
{
	struct digest *d __free(digest) = digest_new();
	size_t i;

	digest_update_str(d, source_id);
	for (i = 0; i < n; i++) {
		struct buf text __free_buf = BUF_INIT;
		char hex[DIGEST_HEX_SIZE];
		int rc = read_patch(b, i, &text, e);

		if (rc)
			return rc;
		digest_of(text.data, text.len, hex);
		digest_update_str(d, hex);
	}
	digest_hex(d, ret_id);
	return 0;
}

/* Of git's "error: patch failed: FILE:LINE" the file and the line of its hunk. */
static int say_where(const char *patch, const struct buf *errors, struct err *e)
{
	const char *slash = strrchr(patch, '/'), *name = slash ? slash + 1 : patch;
	const char *mark = "error: patch failed: ", *at = strstr(errors->data, mark), *end, *colon;
	struct buf where __free_buf = BUF_INIT;

	if (!at) {
		at = strstr(errors->data, "error: ");
		mark = "error: ";
	}
	if (!at)
		return err_set(e, EILSEQ, "patch '%s' does not apply", name);
	at += strlen(mark);
	end = at + strcspn(at, "\n");
	colon = memrchr(at, ':', (size_t)(end - at));
	if (!colon || mark[strlen("error: ")] != 'p') {
		text_escape(&where, at, (size_t)(end - at));
		return err_set(e, EILSEQ, "patch '%s' does not apply: %s", name, where.data);
	}
	text_escape(&where, at, (size_t)(colon - at));
	return err_set(e, EILSEQ, "patch '%s' does not apply: file %s, hunk at line %.*s", name,
		       where.data, (int)(end - colon - 1), colon + 1);
}

static bool is_mail(const struct buf *text)
{
	const char *const heads[] = {"From ", "From: ", "Subject: ", "Message-ID: ", "Date: "};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		if (!strncmp(text->data, heads[i], strlen(heads[i])))
			return true;
	}
	return false;
}

/* A bare diff has no author: its commit is kjump's. */
static int apply_diff(const char *src, const char *path, struct buf *errors, struct err *e)
{
	const char *const apply[] = {"apply", "--index", path, NULL};
	const char *const commit[] = {"commit",
				      "--quiet",
				      "--no-verify",
				      "--message=a diff",
				      "--author=kjump <kjump@localhost>",
				      NULL};
	int rc = git_run(src, apply, NULL, errors, e);

	return rc ? rc : git_run(src, commit, NULL, errors, e);
}

static int apply_mails(const char *src, const char *path, struct buf *errors, struct err *e)
{
	const char *const am[] = {"am", "--quiet", "--keep-cr", "--no-gpg-sign", path, NULL};
	const char *const give_up[] = {"am", "--abort", NULL};
	int rc = git_run(src, am, NULL, errors, e);

	if (rc)
		git_run(src, give_up, NULL, NULL, NULL);
	return rc;
}

/* @scratch: where git finds what is applied, beside the worktree. */
static int apply_one(const char *src, const struct kernel_build *b, size_t i, const char *scratch,
		     struct err *e)
{
	struct buf text __free_buf = BUF_INIT, errors __free_buf = BUF_INIT;
	int rc = read_patch(b, i, &text, e);

	if (!rc)
		rc = file_write(scratch, text.data, text.len, e);
	if (rc)
		return rc;
	rc = is_mail(&text) ? apply_mails(src, scratch, &errors, e)
			    : apply_diff(src, scratch, &errors, e);
	return rc ? say_where(b->patches[i], &errors, e) : 0;
}

static char *ref_of(const char *id)
{
	return xasprintf("refs/kjump/series/%s", id);
}

static int git_word(const char *src, const char *a, const char *b, const char *c, struct err *e)
{
	const char *const args[] = {a, "--quiet", b, c, NULL};

	return git_run(src, args, NULL, NULL, e);
}

/* The longest beginning of the series that is there already; its ref *returned*. */
static int find_start(const char *src, const struct kernel_build *b, const char *source_id,
		      size_t *ret_n, char **ret_ref, struct err *e)
{
	size_t n;

	for (n = b->n_patches; n; n--) {
		char id[DIGEST_HEX_SIZE];
		char *ref __free(str) = NULL;
		int rc = patches_id(b, n, source_id, id, e);

		if (rc)
			return rc;
		ref = ref_of(id);
		if (git_word(src, "rev-parse", "--verify", ref, NULL))
			continue;
		*ret_n = n;
		*ret_ref = steal_ptr(ref);
		return 0;
	}
	*ret_n = 0;
	*ret_ref = xasprintf("refs/kjump/source/%s", source_id);
	return 0;
}

int patches_apply(const char *src, const struct kernel_build *b, const char *source_id,
		  struct err *e)
{
	char *start __free(str) = NULL, *scratch __free(str) = xasprintf("%s.patch", src);
	const char *const give_up[] = {"am", "--abort", NULL};
	size_t i;
	int rc = find_start(src, b, source_id, &i, &start, e);

	if (rc)
		return rc;
	git_run(src, give_up, NULL, NULL, NULL); /* of one who was killed amid it */
	rc = git_word(src, "reset", "--hard", start, e);
	for (; !rc && i < b->n_patches; i++) {
		char id[DIGEST_HEX_SIZE];
		char *ref __free(str) = NULL;
		const char *keep[] = {"update-ref", NULL, "HEAD", NULL};

		rc = apply_one(src, b, i, scratch, e);
		if (!rc)
			rc = patches_id(b, i + 1, source_id, id, e);
		if (rc)
			break;
		keep[1] = ref = ref_of(id);
		rc = git_run(src, keep, NULL, NULL, e);
	}
	unlink(scratch);
	return rc;
}
