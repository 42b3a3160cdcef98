// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/board_loader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"

#define LINE_MS	  20000
#define FETCH_MS  300000
#define BOOT_MS	  60000
#define NET_LINES 2 /* the first ones: a network that is not there is nobody's load error */

void board_loader_fini(struct board_loader *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		free(l->lines[i]);
	free(steal_ptr(l->lines));
	l->n = l->next = 0;
}

__printf(2, 3) static void add(struct board_loader *l, const char *fmt, ...)
{
	char *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&line, fmt, ap) < 0)
		abort();
	va_end(ap);
	*array_push(l->lines, l->n) = line;
}

/* A server must never send half of what was there before. */
static int copy(const char *from, const char *to, struct err *e)
{
	int fd __free(fd) = -1;

	if (unlink(to) && errno != ENOENT)
		return err_errno(e, errno, "cannot replace '%s'", to);
	fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_errno(e, errno, "cannot write '%s'", to);
	return file_append(fd, from, e);
}

/* Where @name lies below the server's directory; one directory a place. */
static char *below(const struct board_loader *l, const char *name)
{
	return xasprintf("kjump/%s/%s", l->place->name, name);
}

static int add_file(struct board_loader *l, const char *from, const char *name, uint64_t addr,
		    struct err *e)
{
	char *path __free(str) = below(l, name);
	char *to __free(str) = file_join(l->place->tftp_directory, path);
	struct stat st;
	int rc = strcmp(from, to) ? copy(from, to, e) : 0;

	if (rc)
		return rc;
	if (stat(to, &st))
		return err_errno(e, errno, "cannot look at '%s'", to);
	add(l, "tftpboot %" PRIx64 " %s && test 0x${filesize} -eq 0x%jx", addr, path,
	    (uintmax_t)st.st_size);
	return 0;
}

static int add_env(struct board_loader *l, const char *cmdline, struct err *e)
{
	char *path __free(str) = below(l, "env");
	char *to __free(str) = file_join(l->place->tftp_directory, path);
	char *text __free(str) = xasprintf("bootargs=%s\n", cmdline);
	int rc = file_write(to, text, strlen(text), e);

	if (rc)
		return rc;
	chmod(to, 0644);
	rc = add_file(l, to, "env", l->hardware->env_addr, e);
	if (!rc)
		add(l, "env import -t %" PRIx64 " ${filesize}", l->hardware->env_addr);
	return rc;
}

int board_loader_prepare(struct board_loader *l, const struct machine_boot *boot, struct err *e)
{
	const struct hardware *h = l->hardware;
	char *own __free(str) = below(l, "");
	char *dir __free(str) = file_join(l->place->tftp_directory, own);
	int rc = file_mkdir(dir, 0755, e);

	board_loader_fini(l);
	add(l, "setenv autoload no; dhcp");
	add(l, "setenv serverip %s", l->place->tftp_server);
	if (!rc)
		rc = add_env(l, boot->cmdline, e);
	if (!rc)
		rc = add_file(l, boot->kernel, "kernel", h->kernel_addr, e);
	if (!rc)
		rc = add_file(l, boot->dtb ? boot->dtb : l->place->devicetree, "dtb", h->fdt_addr,
			      e);
	if (!rc && boot->initrd)
		rc = add_file(l, boot->initrd, "initrd", h->ramdisk_addr, e);
	if (rc)
		return rc;
	if (boot->initrd)
		add(l, "booti %" PRIx64 " %" PRIx64 ":${filesize} %" PRIx64, h->kernel_addr,
		    h->ramdisk_addr, h->fdt_addr);
	else
		add(l, "booti %" PRIx64 " - %" PRIx64, h->kernel_addr, h->fdt_addr);
	return 0;
}

/* What it said last, that is not about progress; appended to @out. */
static void add_reason(struct buf *out, const char *output)
{
	size_t len = strlen(output), end, start;
	int kept = 0;

	for (end = len; end && kept < 2; end = start ? start - 1 : 0) {
		for (start = end; start && output[start - 1] != '\n'; start--)
			;
		if (end - start < 4 || strspn(output + start, "#T \t") >= end - start)
			continue;
		if (kept++)
			buf_adds(out, " / ");
		text_escape(out, output + start, end - start);
		if (!start)
			break;
	}
}

static void run_next(struct board_loader *l);

static void on_line(int error, int status, const char *output, void *arg)
{
	struct board_loader *l = arg;
	struct buf text __free_buf = BUF_INIT;
	int rc = error;

	l->said(l->lines[l->next], error ? error : status, l->arg);
	if (!error && !status) {
		if (++l->next == l->n)
			l->done(0, NULL, l->arg);
		else
			run_next(l);
		return;
	}
	if (!error)
		rc = l->next < NET_LINES ? -ENETUNREACH : -ENOEXEC;
	buf_addf(&text, "U-Boot: '%s': ", l->lines[l->next]);
	if (error)
		buf_adds(&text,
			 error == -EIO ? "the console damages all that is typed" : "no answer");
	else
		add_reason(&text, output);
	l->done(rc, text.data, l->arg);
}

static void run_next(struct board_loader *l)
{
	const char *line = l->lines[l->next];

	if (l->next + 1 == l->n)
		uboot_boot(l->uboot, line, BOOT_MS, on_line, l);
	else
		uboot_run(l->uboot, line, !strncmp(line, "tftp", 4) ? FETCH_MS : LINE_MS, on_line,
			  l);
}

void board_loader_run(struct board_loader *l)
{
	l->next = 0;
	run_next(l);
}
