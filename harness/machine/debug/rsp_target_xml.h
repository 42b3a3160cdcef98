/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rsp_target_xml.h - a target's description of itself, in XML (by expat).
 *
 * It is a document "target.xml" that includes others (xi:include); the stub
 * sends each when asked. They are hostile: sizes, number and depth are bounded,
 * entities are refused.
 *
 *	while ((name = rsp_target_xml_missing(x)))
 *		rsp_target_xml_add(x, name, what the stub sends, ...);
 *	rsp_target_xml_registers(x, ...);
 */
#ifndef KJUMP_MACHINE_DEBUG_RSP_TARGET_XML_H
#define KJUMP_MACHINE_DEBUG_RSP_TARGET_XML_H

#include "base/err.h"
#include "machine/debug/rsp_registers.h"

#define RSP_XML_BYTES_MAX     1048576 /* of all documents */
#define RSP_XML_DOCUMENTS_MAX 32
#define RSP_XML_DEPTH_MAX     4
#define RSP_XML_NAME_MAX      64

struct rsp_document {
	char *name;
	char *text; /* NULL: not here yet */
	size_t len;
};

struct rsp_target_xml {
	struct rsp_document *documents; /* the first is target.xml */
	size_t n;
	size_t total_bytes;
};

void rsp_target_xml_init(struct rsp_target_xml *x);
void rsp_target_xml_fini(struct rsp_target_xml *x);

/* The next document to ask for; NULL: all are here. Borrowed until the next add. */
const char *rsp_target_xml_missing(const struct rsp_target_xml *x);

/* The document that rsp_target_xml_missing() names. -EBADMSG, -E2BIG. */
int rsp_target_xml_add(struct rsp_target_xml *x, const void *text, size_t len, struct err *e);

/*
 * All registers, in @ret, which the caller has initialised. -EBADMSG, -E2BIG;
 * -ENOTSUP: the target is no arm64.
 */
int rsp_target_xml_registers(const struct rsp_target_xml *x, struct rsp_registers *ret,
			     struct err *e);

#endif
