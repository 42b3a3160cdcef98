// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/alloc.h"
#include "base/file.h"
#include "plan/axes.h"

static bool has_pair(const struct points *points, unsigned int i, unsigned int vi, unsigned int j,
		     unsigned int vj)
{
	size_t k;

	for (k = 0; k < points->n; k++) {
		if (points->p[k].at[i] == vi && points->p[k].at[j] == vj)
			return true;
	}
	return false;
}

/* Whatever the sizes and whatever is left out: no possible pair is lost. */
static void pairwise_covers_every_pair(void **state)
{
	unsigned int seed, i, j, vi, vj;
	size_t k, out;

	for (seed = 1; seed <= 30; seed++) {
		struct axes a = {0};
		struct points all = {0}, kept = {0};
		struct axis_value values[8] = {0};

		srand(seed);
		for (i = 0; i < N_AXES; i++) {
			a.axis[i].v = values;
			a.axis[i].n = 1 + (size_t)rand() % 4;
		}
		axes_cross(&a, &all);
		for (k = 0, out = 0; k < all.n; k++) {
			if (rand() % 4)
				all.p[out++] = all.p[k];
		}
		all.n = out;
		kept.n = all.n;
		kept.p = xcalloc(all.n, sizeof(*kept.p));
		memcpy(kept.p, all.p, all.n * sizeof(*kept.p));
		if (all.n)
			axes_pairwise(&a, &kept);
		for (i = 0; i < N_AXES; i++) {
			for (j = i + 1; j < N_AXES; j++) {
				for (vi = 0; vi < a.axis[i].n; vi++) {
					for (vj = 0; vj < a.axis[j].n; vj++)
						assert_int_equal(has_pair(&all, i, vi, j, vj),
								 has_pair(&kept, i, vi, j, vj));
				}
			}
		}
		assert_true(kept.n <= all.n);
		free(all.p);
		free(kept.p);
	}
}

static const char crossed[] =
	"name: t\n"
	"machines: [{board: qemu-virt, ram: [2G, 4G, 64G], cpu: max, lpa2: [on, off]}]\n"
	"kernels: [debian-6.1-cloud, debian-7.2.6-cloud, debian-7.2.9-cloud, debian-7.2.9]\n"
	"to-kernels: [same, debian-7.2.9]\n"
	"from: [minimal, desktop, no-graphics]\n"
	"to: [minimal, desktop, no-graphics]\n"
	"jumps: [kexec, pivot, reboot, cold]\n"
	"dt: [profile, live]\n"
	"exclude:\n"
	"  - {machine: '*64G*', jump: [reboot, cold]}\n"
	"  - {kernel: debian-6*, machine: '*lpa2=off', from: desktop}\n";

static struct plan *load(const char *select)
{
	static const struct plan_paths paths = {
		.kernels = "images/kernels.yaml", .profiles = "images/profiles", .boards = "board"};
	char path[] = "/tmp/kjump-test-XXXXXX";
	char *text __free(str) = xasprintf("%sselect: %s\n", crossed, select);
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *p = NULL;
	int fd = mkstemp(path);

	assert_int_equal(file_write_all(fd, text, strlen(text)), 0);
	close(fd);
	plan_load(path, &paths, &diag, &p);
	unlink(path);
	diag_print(&diag, stderr);
	assert_non_null(p);
	return p;
}

#define N_VALUES 7

static void values_of(const struct job *j, const void *ret[N_VALUES])
{
	ret[0] = j->machine->name;
	ret[1] = j->from_kernel->name;
	ret[2] = j->to_kernel == j->from_kernel ? "same" : j->to_kernel->name;
	ret[3] = j->from->id;
	ret[4] = j->to->id;
	ret[5] = jump_kind_name(j->kind);
	ret[6] = dt_source_name(j->dt);
}

static bool plan_has_pair(const struct plan *p, const void *const *want, size_t i, size_t k)
{
	const void *have[N_VALUES];
	size_t n;

	for (n = 0; n < p->n_jobs; n++) {
		values_of(&p->jobs[n], have);
		if (!strcmp(have[i], want[i]) && !strcmp(have[k], want[k]))
			return true;
	}
	return false;
}

/* With excludes and with what cannot be: every pair of the whole, nothing else. */
static void a_case_loses_no_pair(void **state)
{
	struct plan *all __free(plan) = load("all"), *few __free(plan) = load("pairwise");
	const void *values[N_VALUES];
	size_t n, i, k, found = 0;

	assert_int_equal(few->n_full, all->n_jobs);
	assert_true(few->n_jobs * 8 < all->n_jobs);
	for (n = 0; n < all->n_jobs; n++) {
		values_of(&all->jobs[n], values);
		for (i = 0; i < N_VALUES; i++) {
			for (k = i + 1; k < N_VALUES; k++)
				assert_true(plan_has_pair(few, values, i, k));
		}
	}
	for (n = 0; n < few->n_jobs; n++) {
		for (i = 0; i < all->n_jobs; i++)
			found += !strcmp(few->jobs[n].id, all->jobs[i].id);
	}
	assert_int_equal(found, few->n_jobs);
}

static void the_choice_is_always_the_same(void **state)
{
	struct plan *a __free(plan) = load("pairwise"), *b __free(plan) = load("pairwise");
	size_t i;

	assert_int_equal(a->n_jobs, b->n_jobs);
	for (i = 0; i < a->n_jobs; i++)
		assert_string_equal(a->jobs[i].id, b->jobs[i].id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairwise_covers_every_pair),
		cmocka_unit_test(a_case_loses_no_pair),
		cmocka_unit_test(the_choice_is_always_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
