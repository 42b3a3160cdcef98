/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe_card.h - what an attempt's machine state said, as a card for a person.
 */
#ifndef KJUMP_CMD_PROBE_CARD_H
#define KJUMP_CMD_PROBE_CARD_H

/*
 * Lines of the proof of a hang (or else of the newest suspicion), then of tables
 * that lack something, out of the evidence in @dir; escaped, labels aligned.
 * *returned*; NULL: there is nothing of the kind.
 */
char *probe_card(const char *dir);

#endif
