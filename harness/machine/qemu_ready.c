// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/qemu_ready.h"

#include "base/alloc.h"
#include "machine/display/display_qmp.h"
#include "machine/qemu_args.h"

static void on_display(const char *error, void *arg)
{
	struct qemu_ready *r = arg;

	r->done(error ? xasprintf("cannot look at QEMU's display: %s", error) : NULL, r->arg);
}

static void see_display(struct qemu_ready *r)
{
	if (r->display)
		display_qmp_attach(r->display, r->qmp, on_display, r);
	else
		r->done(NULL, r->arg);
}

/* A wrong LPA2 would make every result of this machine a lie: look, do not trust. */
static void on_lpa2(const char *error, const struct json *reply, void *arg)
{
	struct qemu_ready *r = arg;
	bool want = r->spec->lpa2 == LPA2_ON;

	if (error && qemu_args_has_lpa2(r->spec))
		r->done(xasprintf("cannot verify the CPU's LPA2: %s", error), r->arg);
	else if (!error && json_get_bool(reply, "return", !want) != want)
		r->done(xasprintf("CPU '%s' did not take lpa2=%s", r->spec->cpu,
				  want ? "on" : "off"),
			r->arg);
	else
		see_display(r);
}

void qemu_ready_start(struct qemu_ready *r)
{
	struct json *args;

	if (r->spec->lpa2 == LPA2_DEFAULT) {
		see_display(r);
		return;
	}
	args = json_new_object();
	json_set_str(args, "path", "/machine/unattached/device[0]");
	json_set_str(args, "property", "lpa2");
	qmp_command(r->qmp, "qom-get", args, on_lpa2, r);
}
