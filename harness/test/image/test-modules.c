// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/image/sandbox.h"

#include "image/modules.h"

static const char dep[] =
	"kernel/drivers/virtio/virtio.ko.xz:\n"
	"kernel/drivers/virtio/virtio_ring.ko.xz: kernel/drivers/virtio/virtio.ko.xz\n"
	"kernel/drivers/gpu/drm/drm.ko.xz:\n"
	"kernel/drivers/gpu/drm/virtio/virtio-gpu.ko.xz: kernel/drivers/virtio/virtio_ring.ko.xz "
	"kernel/drivers/gpu/drm/drm.ko.xz kernel/drivers/virtio/virtio.ko.xz\n"
	"kernel/a.ko: kernel/b.ko\n"
	"kernel/b.ko: kernel/a.ko\n"
	"../../evil.ko:\n"
	"kernel/lame.ko: kernel/gone.ko\n";

static int closure(const char *dir, const char *name, struct modules *m, struct buf *warnings,
		   struct err *e)
{
	char *names[] = {(char *)name};

	if (dir) {
		sandbox_puts(dir, "modules.dep", dep);
		sandbox_puts(dir, "modules.builtin", "kernel/drivers/tty/serial/amba-pl011.ko\n");
	}
	return modules_closure(dir, "6.1", names, 1, m, warnings, e);
}

static void dependencies_first(void **state)
{
	static const char *const order[] = {"kernel/drivers/gpu/drm/drm.ko.xz",
					    "kernel/drivers/virtio/virtio.ko.xz",
					    "kernel/drivers/virtio/virtio_ring.ko.xz",
					    "kernel/drivers/gpu/drm/virtio/virtio-gpu.ko.xz"};
	struct modules m __free_modules = MODULES_INIT;
	struct err e __free_err = ERR_INIT;
	size_t i;

	assert_ok(closure(*state, "virtio_gpu", &m, NULL, &e));
	assert_int_equal(m.n, ARRAY_SIZE(order));
	for (i = 0; i < m.n; i++)
		assert_string_equal(m.paths[i], order[i]);
}

static void each_once(void **state)
{
	char *names[] = {(char *)"virtio-gpu", (char *)"virtio", (char *)"virtio_gpu?"};
	struct modules m __free_modules = MODULES_INIT;
	struct err e __free_err = ERR_INIT;

	sandbox_puts(*state, "modules.dep", dep); /* and no modules.builtin */
	assert_ok(modules_closure(*state, "6.1", names, ARRAY_SIZE(names), &m, NULL, &e));
	assert_int_equal(m.n, 4);
}

static void built_in(void **state)
{
	struct modules m __free_modules = MODULES_INIT;
	struct err e __free_err = ERR_INIT;

	assert_ok(closure(*state, "amba_pl011", &m, NULL, &e));
	assert_int_equal(m.n, 0);
}

static void missing(void **state)
{
	struct modules m __free_modules = MODULES_INIT;
	struct buf warnings __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;

	assert_int_equal(closure(*state, "nouveau", &m, &warnings, &e), -ENOENT);
	assert_string_equal(err_msg(&e), "kernel 6.1 has no module 'nouveau'");
	assert_int_equal(warnings.len, 0);
	assert_ok(closure(*state, "nouveau?", &m, &warnings, &e));
	assert_string_equal(warnings.data, "kernel 6.1 has no module 'nouveau': left out\n");
	assert_ok(closure(NULL, "nouveau?", &m, NULL, &e));
	assert_int_equal(closure(NULL, "nouveau", &m, NULL, &e), -ENOENT);
	assert_int_equal(closure(*state, "", &m, NULL, &e), -ENOENT);
	assert_int_equal(closure(*state, "?", &m, NULL, &e), 0);
}

static void damaged_lists(void **state)
{
	struct modules m __free_modules = MODULES_INIT;
	struct err e __free_err = ERR_INIT;

	assert_ok(closure(*state, "a", &m, NULL, &e)); /* a cycle ends */
	assert_int_equal(m.n, 2);
	modules_fini(&m);
	assert_int_equal(closure(*state, "evil", &m, NULL, &e), -EBADMSG);
	assert_int_equal(closure(*state, "lame", &m, NULL, &e), -ENOENT);
	assert_contains(err_msg(&e), "gone");
	assert_int_equal(m.n, 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, sandbox_setup, sandbox_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(dependencies_first), T(each_once), T(built_in), T(missing), T(damaged_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
