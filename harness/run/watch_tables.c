// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * watch_tables.c - the loaded image of a halted target: its tables, and the
 * fault that a job puts in.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "image/kernel.h"
#include "probe/table_edit.h"
#include "run/watch_parts.h"

/* --- B's Image, to compare with ------------------------------------------------- */

static void map_b(struct watch_kexec *w)
{
	int fd __free(fd) = open(w->s->setup.b->kernel->image, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *bytes;

	if (fd < 0 || fstat(fd, &st) || st.st_size <= 0 || st.st_size > KERNEL_MAX_IMAGE_BYTES)
		return;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return;
	w->b_bytes = bytes;
	w->b_len = (size_t)st.st_size;
}

/* The segment that holds B's Image: the one with so many bytes. */
static const struct kexec_segment *b_segment(const struct watch_kexec *w)
{
	unsigned int i;

	for (i = 0; i < w->image.n_segments; i++) {
		if (w->b_len && w->image.segments[i].bufsz == w->b_len)
			return &w->image.segments[i];
	}
	return NULL;
}

/* --- roles -------------------------------------------------------------------------- */

static const char *role(uint64_t physical, void *arg)
{
	const struct watch_kexec *w = arg;
	const struct kimage_list *l = &w->check.list;

	if (!w->has_check)
		return NULL;
	if (kimage_list_indirection(l, physical) != KIMAGE_NEVER)
		return table_role_names[TABLE_ROLE_INDIRECTION];
	if (kimage_list_read_by(l, physical) != KIMAGE_NEVER)
		return table_role_names[TABLE_ROLE_SOURCE];
	if (kimage_list_written(l, physical) != KIMAGE_NEVER)
		return table_role_names[TABLE_ROLE_DESTINATION];
	return NULL;
}

static struct hang_range segment_of(const struct kexec_image *i, uint64_t address)
{
	unsigned int n;

	for (n = 0; n < i->n_segments; n++) {
		const struct kexec_segment *s = &i->segments[n];

		if (address >= s->mem && address - s->mem < s->memsz)
			return (struct hang_range){s->mem, s->memsz};
	}
	return (struct hang_range){0, 0};
}

static void set_scene(struct watch_kexec *w)
{
	const struct kexec_segment *b = b_segment(w);
	struct hang_scene *scene = &w->scene;

	if (b)
		scene->b_image = (struct hang_range){b->mem, b->memsz};
	if (w->image.kern_reloc)
		scene->relocation = (struct hang_range){w->image.kern_reloc, 1u << 12};
	if (!b || w->image.start != b->mem)
		scene->purgatory = segment_of(&w->image, w->image.start);
	scene->phys_offset = w->image.phys_offset;
	scene->ttbr0 = w->image.ttbr0;
	scene->ttbr1 = w->image.ttbr1;
	scene->role = role;
	scene->arg = w;
}

/* --- the check ------------------------------------------------------------------------ */

static int find_image(struct watch_kexec *w, struct err *e)
{
	const struct kernel_map *a = w->scene.a;
	struct arm64_tables live;
	uint64_t offset;
	int rc;

	if (!w->memory.bytes)
		return err_set(e, ENOTSUP, "the target's RAM cannot be read from here");
	if (!a || !kexec_layout_has_tables(&a->kexec))
		return err_set(e, ENODATA, "A's kernel does not tell its types: %s",
			       a && a->why_no_types ? a->why_no_types : "no transitional tables");
	rc = arm64_tables_live(&live, &w->memory, &w->regime, e);
	if (rc)
		return rc;
	if (w->scene.a_base && kernel_map_symbol(a, "kexec_image", &offset))
		return kexec_image_from_symbol(&w->memory, &a->kexec, &live,
					       w->scene.a_base + offset, &w->image, e);
	return kexec_image_scan(&w->memory, &a->kexec, &w->image, e);
}

static struct table_check_input input_of(struct watch_kexec *w, struct table_content *content)
{
	const struct kernel_map *a = w->scene.a;
	const struct kexec_segment *b = b_segment(w);
	struct table_check_input in = {
		.memory = &w->memory,
		.layout = &a->kexec,
		.regime = &w->regime,
		.image = &w->image,
		.relocation = a->relocate_code,
		.relocation_bytes = a->relocate_bytes,
	};

	if (b) {
		*content = (struct table_content){b->mem, w->b_bytes, w->b_len};
		in.contents = content;
		in.n_contents = 1;
	}
	return in;
}

static void check(struct watch_kexec *w)
{
	struct err e __free_err = ERR_INIT;
	struct table_content content;
	struct table_check_input in = input_of(w, &content);

	if (w->has_check)
		table_check_fini(&w->check);
	w->has_check = !table_check(&in, &w->check, &e);
	if (!w->has_check)
		watch_emit(w, PROBE_TABLES_UNKNOWN, "the tables were not checked", err_msg(&e),
			   NULL);
}

static bool is_bad(const struct watch_kexec *w)
{
	return w->has_check && w->check.verdict == TABLES_BAD;
}

static void tell_check(struct watch_kexec *w)
{
	struct session *s = w->s;
	struct buf report __free_buf = BUF_INIT;
	char *title __free(str) = NULL;
	const char *file = "tables.txt";

	if (!w->has_check)
		return;
	title = table_check_title(&w->check);
	table_check_report(&w->check, &w->image, &report);
	if (!s->setup.keep || s->setup.keep(file, report.data, report.len, s->setup.arg))
		file = NULL;
	watch_emit(w, is_bad(w) ? PROBE_TABLES_BAD : PROBE_TABLES_GOOD, title, report.data, file);
	if (is_bad(w) && s->job->watch.stop_on_finding && !s->ending) {
		session_mark(s, MARK_LOAD_FAILED, title);
		session_end(s);
	}
}

bool watch_locate_kernel(struct watch_kexec *w)
{
	const struct kernel_map *a = w->s->setup.a->map;
	struct arm64_tables live;
	struct cpu_state c;

	w->scene.a = a;
	if (!a || !a->vectors || !w->memory.bytes || cpu_state_read(&w->regs, &c) ||
	    arm64_tables_live(&live, &w->memory, &w->regime, NULL))
		return true;
	w->scene.a_base = kernel_map_base(a, c.vbar);
	return kernel_map_is_mapped(a, &live, w->scene.a_base);
}

void watch_look_at_image(struct watch_kexec *w)
{
	struct session *s = w->s;
	struct err e __free_err = ERR_INIT;

	w->scene.b = s->setup.b->map;
	map_b(w);
	if (find_image(w, &e)) {
		watch_emit(w, PROBE_TABLES_UNKNOWN, "the loaded image was not found", err_msg(&e),
			   NULL);
		return;
	}
	w->has_image = true;
	set_scene(w);
	check(w);
	/* What a fault is put into is told when it is in. */
	if (s->job->watch.check_tables && s->job->inject == INJECT_NONE)
		tell_check(w);
}

/* --- a fault on purpose ------------------------------------------------------------------ */

static void on_put(const struct debug_reply *reply, void *arg)
{
	struct watch_kexec *w = arg;

	if (reply->error && !w->s->ending)
		session_infra(w->s, "the fault could not be put in: %s",
			      reply->text ? reply->text : "the debug port refused");
	if (--w->n_edits || w->s->ending)
		return;
	watch_emit(w, PROBE_INJECTED, inject_names[w->s->job->inject], w->injection, NULL);
	if (w->has_image)
		check(w);
	if (w->s->job->watch.check_tables)
		tell_check(w);
	if (!w->s->ending)
		w->injected(w);
}

static void put(struct watch_kexec *w, struct debug_request *q)
{
	q->done = on_put;
	q->arg = w;
	w->n_edits++;
	if (debug_submit(w->debug, q))
		on_put(&(struct debug_reply){.error = -ENOTCONN}, w);
}

static void put_edit(struct watch_kexec *w)
{
	struct err e __free_err = ERR_INIT;
	struct table_content content;
	struct table_check_input in;
	struct table_edit edit;
	struct debug_request q = {.op = DEBUG_WRITE_MEMORY, .space = DEBUG_PHYSICAL};

	if (!w->has_check) {
		session_infra(w->s, "a fault cannot be put in: the loaded image was not found");
		return;
	}
	in = input_of(w, &content);
	if (table_edit(&in, &w->check, w->s->job->inject, 0, &edit, &e)) {
		session_infra(w->s, "a fault cannot be put in: %s", err_msg(&e));
		return;
	}
	w->injection = xasprintf("%zu bytes at 0x%llx, for the %s 0x%llx", edit.len,
				 (unsigned long long)edit.address, table_role_names[edit.role],
				 (unsigned long long)edit.page);
	q.address = edit.address;
	q.data = edit.new;
	q.len = edit.len;
	put(w, &q);
}

/* A branch to itself in a vector that a 64-bit kernel never takes. */
static void put_stopped_cpu(struct watch_kexec *w)
{
	static const char *const pc[] = {"pc"}, *const cpsr[] = {"cpsr"};
	static const uint32_t branch_to_self = 0x14000000;
	struct debug_request q = {.op = DEBUG_WRITE_MEMORY,
				  .cpu = 1,
				  .space = DEBUG_VIRTUAL,
				  .data = &branch_to_self,
				  .len = sizeof(branch_to_self)};
	uint64_t vbar;

	if (w->debug->n_cpus < 2 || !debug_regs_get(&w->regs, "vbar_el1", &vbar)) {
		session_infra(w->s, "stop-cpu takes a machine with two CPUs");
		return;
	}
	w->injection = xstrdup("CPU 1 spins with all exceptions masked");
	w->n_edits++; /* until all are on their way */
	q.address = vbar + 0x780;
	put(w, &q);
	put(w, &(struct debug_request){.op = DEBUG_WRITE_REGISTER,
				       .cpu = 1,
				       .names = pc,
				       .n_names = 1,
				       .value = vbar + 0x780});
	put(w, &(struct debug_request){.op = DEBUG_WRITE_REGISTER,
				       .cpu = 1,
				       .names = cpsr,
				       .n_names = 1,
				       .value = 0x3c5});
	on_put(&(struct debug_reply){0}, w);
}

void watch_inject(struct watch_kexec *w, void (*then)(struct watch_kexec *w))
{
	w->injected = then;
	if (w->s->job->inject == INJECT_STOP_CPU)
		put_stopped_cpu(w);
	else
		put_edit(w);
}

void watch_tables_fini(struct watch_kexec *w)
{
	if (w->has_check)
		table_check_fini(&w->check);
	if (w->b_bytes)
		munmap(w->b_bytes, w->b_len);
	free(w->injection);
}
