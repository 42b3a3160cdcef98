// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_files.c - the files of one attempt, made before its machine starts.
 */
#include "base/alloc.h"
#include "base/file.h"
#include "run/steps.h"

const struct buf *session_kexec_dtb(const struct session *s)
{
	const struct boot_files *a = s->setup.a, *b = s->setup.b;

	/* Where B wants the machine's own tree, A's live one is only that if A had no other. */
	if (!b->dtb.len && a->dtb.len && s->job->dt == DT_PROFILE)
		return &b->live_dtb;
	return &b->dtb;
}

/* A loader wants a file. */
static int make_dtb(struct session *s, const struct buf *dtb, const char *name, char **ret,
		    struct err *e)
{
	if (!dtb->len)
		return 0;
	*ret = file_join(s->setup.scratch_dir, name);
	return file_write(*ret, dtb->data, dtb->len, e);
}

/* A boots from what holds B, too. */
static int make_payload(struct session *s, struct err *e)
{
	const struct boot_files *b = s->setup.b;
	const struct buf *dtb = session_kexec_dtb(s);
	const struct payload_file files[] = {
		{.name = "boot-b/initrd", .path = b->initramfs},
		{.name = "boot-b/linux", .path = b->kernel->image},
		{.name = "boot-b/dtb", .data = dtb->data, .len = dtb->len},
	};
	size_t n = s->jump->same_kernel ? 1 : dtb->len ? 3 : 2;

	if (!s->jump->carries_b)
		return 0;
	s->payload = file_join(s->setup.scratch_dir, "initrd-a");
	return image_with_payload(s->setup.a->initramfs, files, n, s->payload, e);
}

/* The token makes sure that what answers is of this attempt and of this end of it. */
static char *with_token(const struct session *s, const char *cmdline, char end)
{
	return xasprintf("%s%skjump=%s.%u.%c", cmdline, *cmdline ? " " : "", s->job->id,
			 s->setup.attempt, end);
}

int session_make_files(struct session *s, struct err *e)
{
	const struct boot_files *a = s->setup.a, *b = s->setup.b;
	int rc = file_mkdir(s->setup.scratch_dir, 0755, e);

	s->cmdline_a = with_token(s, a->cmdline, 'a');
	s->cmdline_b =
		s->jump->same_kernel ? xstrdup(s->cmdline_a) : with_token(s, b->cmdline, 'b');
	if (!rc)
		rc = make_dtb(s, &a->dtb, "dtb-a", &s->dtb_a, e);
	if (!rc)
		rc = make_dtb(s, &b->dtb, "dtb-b", &s->dtb_b, e);
	return rc ? rc : make_payload(s, e);
}
