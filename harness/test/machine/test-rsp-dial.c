// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-rsp-dial.c - the gdb client on its way to a stub that listens.
 */
#include "test/test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include "machine/debug/rsp_dial.h"
#include "test/machine/rsp_peer.h"

struct fixture {
	struct peer *peer;
	int listener;
	char address[160];
	char dir[32];
};

static int set_up(void **state)
{
	sd_event *loop = NULL;
	struct fixture *f;

	xnew(f);
	assert_true(sd_event_new(&loop) >= 0);
	f->peer = peer_new(loop);
	f->listener = -1;
	strcpy(f->dir, "/tmp/kjump-test-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	sd_event *loop = f->peer->loop;
	char path[64];

	snprintf(path, sizeof(path), "%s/stub", f->dir);
	unlink(path);
	rmdir(f->dir);
	if (f->listener >= 0)
		close(f->listener);
	peer_free(f->peer);
	sd_event_unref(loop);
	free(f);
	return 0;
}

static void listen_on_tcp(struct fixture *f)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);

	f->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(f->listener, (struct sockaddr *)&a, len), 0);
	assert_int_equal(listen(f->listener, 1), 0);
	assert_int_equal(getsockname(f->listener, (struct sockaddr *)&a, &len), 0);
	snprintf(f->address, sizeof(f->address), "tcp:127.0.0.1:%d", ntohs(a.sin_port));
}

static void listen_on_unix(struct fixture *f)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};

	snprintf(a.sun_path, sizeof(a.sun_path), "%s/stub", f->dir);
	f->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(f->listener, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(f->listener, 1), 0);
	snprintf(f->address, sizeof(f->address), "unix:%s", a.sun_path);
}

/* The port of the peer is at the other end of what was dialled from now on. */
static void dial(struct fixture *f)
{
	int fd;

	assert_int_equal(rsp_dial(f->address, &fd, NULL), 0);
	peer_connect(f->peer, fd);
}

static void answer_the_call(struct fixture *f)
{
	int fd = accept4(f->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	assert_true(fd >= 0);
	peer_listen(f->peer, fd);
}

static void attach(struct fixture *f)
{
	f->peer->quiet = true;
	ask_for(f->peer, .op = DEBUG_ATTACH);
	run_until(f->peer, f->peer->n_done == 1);
	peer_expect(f->peer, "[0]");
}

static void over_tcp(void **state)
{
	struct fixture *f = *state;

	listen_on_tcp(f);
	dial(f);
	answer_the_call(f);
	attach(f);
}

static void over_a_unix_socket(void **state)
{
	struct fixture *f = *state;

	listen_on_unix(f);
	dial(f);
	answer_the_call(f);
	attach(f);
}

static void nobody_there(void **state)
{
	struct fixture *f = *state;
	int fd;

	listen_on_tcp(f);
	close(steal_fd(&f->listener));
	dial(f);
	ask_for(f->peer, .op = DEBUG_ATTACH);
	run_until(f->peer, strstr(f->peer->log.data, "lost"));
	peer_expect(f->peer, "[-107][lost: Connection refused]");
	assert_int_equal(rsp_dial("unix:/nowhere/at/all", &fd, NULL), -ENOENT);
}

static void addresses_that_are_none(void **state)
{
	static const char *const bad[] = {"",
					  "tcp:",
					  "tcp::3333",
					  "tcp:127.0.0.1",
					  "tcp:127.0.0.1:",
					  "tcp:127.0.0.1:70000",
					  "tcp:127.0.0.1:x",
					  "tcp:localhost:3333",
					  "tcp:[]:3333",
					  "udp:127.0.0.1:3333",
					  "/tmp/socket"};
	struct err e __free_err = ERR_INIT;
	char longest[200];
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(rsp_dial(bad[i], &fd, &e), -EINVAL);
		assert_non_null(strstr(err_msg(&e), "tcp:ADDRESS:PORT"));
	}
	memset(longest, 'a', sizeof(longest) - 1);
	memcpy(longest, "unix:", 5);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(rsp_dial(longest, &fd, NULL), -ENAMETOOLONG);
}

#define WITH_PEER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PEER(over_tcp),
		WITH_PEER(over_a_unix_socket),
		WITH_PEER(nobody_there),
		cmocka_unit_test(addresses_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
