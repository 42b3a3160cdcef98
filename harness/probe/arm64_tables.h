/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arm64_tables.h - stage 1 translation tables of the EL1&0 and EL2&0 regimes, walked as
 * the hardware would for a privileged access.
 *
 * Granules of 4K, 16K and 64K; 48- and 52-bit addresses: with TCR.DS (FEAT_LPA2)
 * at 4K and 16K, with FEAT_LPA at 64K; any start level, so folded levels need no
 * special care. Permissions direct (AP, PXN, DBM, the table's APTable and PXNTable) or
 * indirect (FEAT_S1PIE). Not known: 128-bit descriptors (FEAT_D128, refused),
 * permission overlays (FEAT_S1POE), extended attribute indices (FEAT_AIE), and
 * SCTLR.WXN, which Linux leaves off. Tables are little-endian.
 *
 * Source: Arm Architecture Reference Manual (DDI 0487), D8 "The AArch64 Virtual
 * Memory System Architecture": D8.2 translation process, D8.3 descriptor
 * formats, D8.4 memory access control, D8.6 memory region attributes.
 */
#ifndef KJUMP_PROBE_ARM64_TABLES_H
#define KJUMP_PROBE_ARM64_TABLES_H

#include "machine/debug/debug.h"
#include "probe/phys_memory.h"

/* What decides on translation, of the regime in which the kernel runs. */
struct arm64_regime {
	uint64_t ttbr0, ttbr1, tcr, mair;
	uint64_t tcr2, pir; /* 0 where the CPU has none */
};

/* All registers that arm64_regime_read() wants, for a request of a debug port. */
#define ARM64_N_REGISTERS 13
extern const char *const arm64_regime_registers[ARM64_N_REGISTERS];

/* Of EL2 with VHE, else of EL1. -ENODATA: TTBR1, TCR or MAIR is not among them. */
int arm64_regime_read(const struct debug_regs *r, struct arm64_regime *ret);

struct arm64_tables {
	const struct phys_memory *memory; /* borrowed */
	uint64_t root;			  /* physical address of the first table */
	unsigned int page_shift;	  /* 12, 14, 16 */
	unsigned int va_bits;
	bool upper;    /* addresses begin with ones: TTBR1 */
	bool wide;     /* 52-bit output addresses: how they lie in a descriptor */
	bool ds;       /* ... with shareability outside the descriptor (TCR.DS) */
	bool access;   /* hardware sets the access flag (TCR.HA) */
	bool dirty;    /* and makes a page writable that has DBM (TCR.HA and HD) */
	bool flat;     /* no permissions in tables (TCR.HPD0/HPD1, or indirection) */
	bool indirect; /* permission indirection (TCR2.PIE) */
	int start;     /* level of the first table: -1..3 */
	uint64_t pir, mair;
};

/*
 * Tables that begin at the physical address @root, for the lower or upper half of
 * @r, with a TxSZ of @tsz. -ENOTSUP: a granule or format that is not known;
 * -EINVAL: registers that no CPU accepts.
 */
int arm64_tables_init(struct arm64_tables *t, const struct phys_memory *memory,
		      const struct arm64_regime *r, bool upper, uint64_t root, unsigned int tsz,
		      struct err *e);

/* As a CPU with these registers sees its upper half just now. */
int arm64_tables_live(struct arm64_tables *t, const struct phys_memory *memory,
		      const struct arm64_regime *r, struct err *e);

enum arm64_walk {
	ARM64_MAPPED,
	ARM64_NOT_CANONICAL, /* outside of what the tables can translate */
	ARM64_NOT_MAPPED,    /* an invalid descriptor */
	ARM64_RESERVED,	     /* a descriptor that this level does not have */
	ARM64_UNREADABLE,    /* a table that is not in memory */
};
#define N_ARM64_WALKS (ARM64_UNREADABLE + 1)
/* "not mapped", ...; indexed by enum arm64_walk. */
extern const char *const arm64_walk_names[N_ARM64_WALKS];

struct arm64_leaf {
	enum arm64_walk result;
	int level;		     /* of the descriptor that decided */
	uint64_t descriptor;	     /* 0 where it cannot be read */
	uint64_t descriptor_address; /* physical */
	/* The rest only when it is mapped. */
	uint64_t pa;	     /* of the address that was asked for */
	uint64_t size_bytes; /* of the page or block */
	bool contiguous;
	bool readable, writable, executable; /* by the kernel */
	bool clean;	    /* it is writable because hardware notes the first write */
	uint8_t attributes; /* the field of MAIR */
	bool normal;	    /* memory, not a device's */
};

/* Never fails: it says how far it got. */
void arm64_walk(const struct arm64_tables *t, uint64_t va, struct arm64_leaf *ret);

/*
 * Where the descriptor of @level lies on the way to @va; false: the walk ends
 * before it.
 */
bool arm64_descriptor_at(const struct arm64_tables *t, uint64_t va, int level, uint64_t *ret);

/* A leaf's @descriptor with which the kernel can still read, and never write; false: PIR has none. */
bool arm64_read_only(const struct arm64_tables *t, uint64_t descriptor, uint64_t *ret);

/* What lies under the tables' root; all members but tables add up. */
struct arm64_census {
	uint64_t tables[5]; /* by level + 1 */
	uint64_t n_tables;
	uint64_t leaves, blocks;
	uint64_t unreadable; /* tables that are not in memory */
	uint64_t again;	     /* references to a table that was already seen */
};

/* Called with the physical address of each table once. */
typedef void (*arm64_table_fn)(uint64_t table, int level, void *arg);

/* All tables, each once, however they are linked; so it ends for any content of memory. */
void arm64_visit(const struct arm64_tables *t, arm64_table_fn fn, void *arg,
		 struct arm64_census *ret);

#endif
