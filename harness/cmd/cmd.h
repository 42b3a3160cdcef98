/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd.h - the subcommands; one a file.
 *
 * Each takes its own name as argv[0] and returns an exit status.
 */
#ifndef KJUMP_CMD_CMD_H
#define KJUMP_CMD_CMD_H

enum exit_status {
	EXIT_EXPECTED = 0,
	EXIT_SURPRISE = 1, /* the kernel did what was not expected */
	EXIT_USAGE = 2,	   /* configuration or usage; nothing was started */
	EXIT_INFRA = 3,	   /* the harness, the host or QEMU failed */
};

int cmd_run(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_judge(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_profile(int argc, char **argv);
int cmd_images(int argc, char **argv);
int cmd_board(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

#endif
