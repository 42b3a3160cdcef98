// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/lease.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/utsname.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"

#define OWNER_MAX 512

/* Who is in the file; escaped: another host wrote it. *Returned*, or NULL. */
static char *read_owner(int fd)
{
	struct buf text __free_buf = BUF_INIT;
	char block[OWNER_MAX];
	ssize_t n = pread(fd, block, sizeof(block), 0);

	if (n <= 0)
		return NULL;
	text_escape(&text, block,
		    strcspn(block, "\n") < (size_t)n ? strcspn(block, "\n") : (size_t)n);
	return buf_steal(&text);
}

static int write_owner(int fd, struct err *e)
{
	char *text __free(str) = NULL;
	struct utsname host;
	char now[32];

	uname(&host);
	clock_utc(now, sizeof(now));
	text = xasprintf("process %d on %s since %s\n", getpid(), host.nodename, now);
	if (ftruncate(fd, 0) || pwrite(fd, text, strlen(text), 0) < 0)
		return err_errno(e, errno, "cannot write the lease");
	return 0;
}

static int lock(int fd, const char *place, bool wait, struct err *e)
{
	char *owner __free(str) = NULL;
	int rc;

	do {
		rc = flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB));
	} while (rc && errno == EINTR);
	if (!rc)
		return 0;
	if (errno != EWOULDBLOCK)
		return err_errno(e, errno, "cannot lock the lease on '%s'", place);
	owner = read_owner(fd);
	return err_set(e, EBUSY, "board '%s' is in use: %s", place, owner ? owner : "by somebody");
}

int lease_take(struct lease *l, const char *results, const char *place, bool wait, char **ret_dead,
	       struct err *e)
{
	char *dir __free(str) = file_join(results, "leases");
	char *path __free(str) = file_join(dir, place);
	char *dead __free(str) = NULL;
	int fd __free(fd) = -1;
	int rc = file_mkdir(dir, 0755, e);

	*ret_dead = NULL;
	if (rc)
		return rc;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_errno(e, errno, "cannot open '%s'", path);
	rc = lock(fd, place, wait, e);
	if (rc)
		return rc;
	dead = read_owner(fd);
	rc = write_owner(fd, e);
	if (rc)
		return rc;
	*ret_dead = steal_ptr(dead);
	l->fd = steal_fd(&fd);
	return 0;
}

void lease_give(struct lease *l)
{
	if (l->fd < 0)
		return;
	/* Empty: nobody died with it. */
	while (ftruncate(l->fd, 0) && errno == EINTR)
		;
	close(steal_fd(&l->fd));
}
