// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/machine/line_rig.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "machine/console/console_tcp.h"

struct fixture {
	struct line_rig rig;
	int listen_fd, far;
	char port[8];
};

static int set_up(void **state)
{
	struct sockaddr_in addr = {.sin_family = AF_INET};
	socklen_t len = sizeof(addr);
	struct fixture *f;

	xnew(f);
	*state = f;
	rig_init(&f->rig);
	f->far = -1;
	f->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(f->listen_fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(f->listen_fd, 4), 0);
	assert_int_equal(getsockname(f->listen_fd, (struct sockaddr *)&addr, &len), 0);
	snprintf(f->port, sizeof(f->port), "%u", ntohs(addr.sin_port));
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	rig_fini(&f->rig);
	if (f->far >= 0)
		close(f->far);
	close(f->listen_fd);
	free(f);
	return 0;
}

static void call(struct fixture *f, bool rfc2217)
{
	const struct console_tcp_opts opts = {"127.0.0.1", f->port, rfc2217, 1500000};
	const struct console_events events = rig_events(&f->rig);

	assert_int_equal(console_tcp_new(f->rig.loop, &opts, &events, &f->rig.console, NULL), 0);
}

static void answer_call(struct fixture *f)
{
	f->far = accept4(f->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	assert_true(f->far >= 0);
}

static void raw_bytes_go_through_as_they_are(void **state)
{
	struct fixture *f = *state;
	unsigned char all[256];
	size_t i;

	for (i = 0; i < sizeof(all); i++)
		all[i] = (unsigned char)i;
	call(f, false);
	answer_call(f);
	rig_run_until(f->rig.loop, f->rig.n_back == 1);
	assert_int_equal(console_write(f->rig.console, all, sizeof(all)), 0);
	rig_expect(&f->rig, f->far, all, sizeof(all));
	assert_int_equal(write(f->far, all, sizeof(all)), sizeof(all));
	rig_run_until(f->rig.loop, f->rig.got.len >= sizeof(all));
	assert_memory_equal(f->rig.got.data, all, sizeof(all));
	assert_null(f->rig.console->ops->set_baud);
}

static void comes_back(void **state)
{
	struct fixture *f = *state;

	call(f, false);
	answer_call(f);
	rig_run_until(f->rig.loop, f->rig.n_back == 1);
	close(steal_fd(&f->far));
	rig_run_until(f->rig.loop, f->rig.n_hangup == 1);
	rig_run_until(f->rig.loop, f->rig.n_back == 2);
	answer_call(f);
	assert_int_equal(write(f->far, "again", 5), 5);
	rig_run_until(f->rig.loop, f->rig.got.len == 5);
}

/* What RFC 2217 has between us and ser2net, byte for byte. */
static void sets_the_port_by_rfc_2217(void **state)
{
	static const unsigned char first[] = {255, 251, 44, 255, 251, 0, 255, 253, 0, 255, 253, 3};
	static const unsigned char server[] = {255, 253, 44, 255, 253, 0, 255, 251, 0, 255, 251, 3,
					       /* WILL ECHO, which nobody needs */
					       255, 251, 1};
	static const unsigned char settings[] = {
		/* FF FA 2C 01 00 16 E3 60 FF F0 */
		255, 250, 44, 1, 0x00, 0x16, 0xe3, 0x60, 255, 240,
		/* 8 bits, no parity, 1 stop bit, no flow control */
		255, 250, 44, 2, 8, 255, 240, 255, 250, 44, 3, 1, 255, 240, 255, 250, 44, 4, 1, 255,
		240, 255, 250, 44, 5, 1, 255, 240,
		/* DONT ECHO */
		255, 254, 1};
	static const unsigned char data[] = {255, 250, 44,  101, 0x00, 0x16, 0xe3, 0x60, 255,
					     240, 'a', 255, 255, 'b',  255,  241,  'c'};
	static const unsigned char typed[] = {'x', 255, 'y'}, sent[] = {'x', 255, 255, 'y'};
	/* A speed with an FF in it is escaped, too. */
	static const unsigned char other[] = {255, 250, 44, 1, 0, 0, 255, 255, 0, 255, 240};
	struct fixture *f = *state;

	call(f, true);
	answer_call(f);
	rig_expect(&f->rig, f->far, first, sizeof(first));
	rig_expect_silence(&f->rig, f->far);
	assert_int_equal(write(f->far, server, sizeof(server)), sizeof(server));
	rig_expect(&f->rig, f->far, settings, sizeof(settings));
	rig_expect_silence(&f->rig, f->far);
	assert_int_equal(write(f->far, data, sizeof(data)), sizeof(data));
	rig_run_until(f->rig.loop, f->rig.got.len == 4);
	assert_memory_equal(f->rig.got.data, "a\377bc", 4);
	assert_int_equal(console_write(f->rig.console, typed, sizeof(typed)), 0);
	rig_expect(&f->rig, f->far, sent, sizeof(sent));
	assert_int_equal(f->rig.console->ops->set_baud(f->rig.console, 0xff00), 0);
	rig_expect(&f->rig, f->far, other, sizeof(other));
}

static void a_host_that_is_none_is_an_error(void **state)
{
	struct fixture *f = *state;
	const struct console_tcp_opts opts = {"256.0.0.1", "no port", false, 0};
	const struct console_events events = rig_events(&f->rig);
	struct console *c = NULL;

	assert_int_equal(console_tcp_new(f->rig.loop, &opts, &events, &c, NULL), -EHOSTUNREACH);
	assert_null(c);
}

#define WITH_TCP(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_TCP(raw_bytes_go_through_as_they_are),
		WITH_TCP(comes_back),
		WITH_TCP(sets_the_port_by_rfc_2217),
		WITH_TCP(a_host_that_is_none_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
