// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/debug/rsp_target_xml.h"

#include <errno.h>
#include <expat.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

/* One document that is being read. */
struct pass {
	XML_Parser parser;
	/* Called for each element of interest; not 0 ends the pass. */
	int (*include)(struct pass *p, const char *href);
	int (*reg)(struct pass *p, const char **attributes);
	struct rsp_target_xml *found; /* of rsp_target_xml_add() */
	const struct rsp_target_xml *all;
	struct rsp_registers *registers; /* of rsp_target_xml_registers() */
	unsigned int depth, n_includes;
	bool in_architecture;
	struct buf architecture;
	int rc;
	struct err *err;
};

static const char *attribute(const char **attributes, const char *name)
{
	for (; *attributes; attributes += 2)
		if (!strcmp(attributes[0], name))
			return attributes[1];
	return NULL;
}

static void end_pass(struct pass *p, int rc)
{
	p->rc = rc;
	XML_StopParser(p->parser, XML_FALSE);
}

static void on_start(void *userdata, const char *name, const char **attributes)
{
	struct pass *p = userdata;
	const char *href;
	int rc = 0;

	if (!strcmp(name, "xi:include")) {
		href = attribute(attributes, "href");
		rc = href ? p->include(p, href)
			  : err_set(p->err, EBADMSG, "an include without its address");
	} else if (!strcmp(name, "reg") && p->reg) {
		rc = p->reg(p, attributes);
	}
	p->in_architecture = !strcmp(name, "architecture");
	if (rc)
		end_pass(p, rc);
}

static void on_end(void *userdata, const char *name)
{
	((struct pass *)userdata)->in_architecture = false;
}

static void on_text(void *userdata, const char *text, int len)
{
	struct pass *p = userdata;

	if (p->in_architecture && p->architecture.len < RSP_XML_NAME_MAX)
		buf_add(&p->architecture, text, (size_t)len);
}

static void on_entity(void *userdata, const char *name, int is_parameter, const char *value,
		      int value_len, const char *base, const char *system, const char *public,
		      const char *notation)
{
	struct pass *p = userdata;

	end_pass(p, err_set(p->err, EBADMSG, "it declares an entity"));
}

static int parse(struct pass *p, const struct rsp_document *d)
{
	XML_Parser outer = p->parser;

	p->parser = XML_ParserCreate(NULL);
	if (!p->parser)
		abort();
	p->rc = 0;
	XML_SetUserData(p->parser, p);
	XML_SetElementHandler(p->parser, on_start, on_end);
	XML_SetCharacterDataHandler(p->parser, on_text);
	XML_SetEntityDeclHandler(p->parser, on_entity);
	if (XML_Parse(p->parser, d->text, (int)d->len, XML_TRUE) != XML_STATUS_OK && !p->rc)
		p->rc = err_set(p->err, EBADMSG, "line %lu: %s",
				XML_GetCurrentLineNumber(p->parser),
				XML_ErrorString(XML_GetErrorCode(p->parser)));
	XML_ParserFree(p->parser);
	p->parser = outer;
	if (p->rc)
		err_prefix(p->err, p->rc, "the target's description '%s'", d->name);
	return p->rc;
}

static struct rsp_document *find(const struct rsp_target_xml *x, const char *name)
{
	size_t i;

	for (i = 0; i < x->n; i++)
		if (!strcmp(x->documents[i].name, name))
			return &x->documents[i];
	return NULL;
}

/* The name goes into a packet, between ':' and ':'. */
static bool is_name(const char *s)
{
	size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");

	return len && !s[len] && len <= RSP_XML_NAME_MAX;
}

static int want(struct pass *p, const char *href)
{
	struct rsp_target_xml *x = p->found;
	struct rsp_document *d;

	if (!is_name(href))
		return err_set(p->err, EBADMSG, "an include of a name that is none");
	if (find(x, href))
		return 0;
	if (x->n >= RSP_XML_DOCUMENTS_MAX)
		return err_set(p->err, E2BIG, "more than %d documents", RSP_XML_DOCUMENTS_MAX);
	d = array_push(x->documents, x->n);
	d->name = xstrdup(href);
	return 0;
}

void rsp_target_xml_init(struct rsp_target_xml *x)
{
	*x = (struct rsp_target_xml){0};
	array_push(x->documents, x->n)->name = xstrdup("target.xml");
}

void rsp_target_xml_fini(struct rsp_target_xml *x)
{
	size_t i;

	for (i = 0; i < x->n; i++) {
		free(x->documents[i].name);
		free(x->documents[i].text);
	}
	free(x->documents);
	*x = (struct rsp_target_xml){0};
}

static struct rsp_document *missing(const struct rsp_target_xml *x)
{
	size_t i;

	for (i = 0; i < x->n; i++)
		if (!x->documents[i].text)
			return &x->documents[i];
	return NULL;
}

const char *rsp_target_xml_missing(const struct rsp_target_xml *x)
{
	const struct rsp_document *d = missing(x);

	return d ? d->name : NULL;
}

int rsp_target_xml_add(struct rsp_target_xml *x, const void *text, size_t len, struct err *e)
{
	struct rsp_document *d = missing(x);
	struct pass p = {.include = want, .found = x, .err = e, .architecture = BUF_INIT};
	struct rsp_document copy;
	int rc;

	if (len > RSP_XML_BYTES_MAX - x->total_bytes)
		return err_set(e, E2BIG, "the target's description has more than %d bytes",
			       RSP_XML_BYTES_MAX);
	x->total_bytes += len;
	d->text = xmalloc(len + 1);
	memcpy(d->text, text, len);
	d->text[len] = '\0';
	d->len = len;
	copy = *d; /* the list grows while it is read */
	rc = parse(&p, &copy);
	buf_fini(&p.architecture);
	return rc;
}

static int read_u32(struct pass *p, const char *text, uint32_t *ret)
{
	uint64_t v;

	if (!text || text_parse_u64(text, &v) || v > UINT32_MAX)
		return err_set(p->err, EBADMSG, "a register's number or size is none");
	*ret = (uint32_t)v;
	return 0;
}

static int take_register(struct pass *p, const char **attributes)
{
	const char *name = attribute(attributes, "name");
	const char *number_text = attribute(attributes, "regnum");
	uint32_t bits = 0, number = 0;
	int rc = read_u32(p, attribute(attributes, "bitsize"), &bits);

	if (!rc && number_text)
		rc = read_u32(p, number_text, &number);
	if (rc)
		return rc;
	return rsp_registers_add(p->registers, name ? name : "", number_text ? &number : NULL, bits,
				 p->err);
}

/* An include stands for what is in it: its registers are numbered in its place. */
static int enter(struct pass *p, const char *href)
{
	const struct rsp_document *d = find(p->all, href);
	int rc;

	if (!d || !d->text)
		return err_set(p->err, EBADMSG, "an include of what is not there");
	if (++p->n_includes > RSP_XML_DOCUMENTS_MAX || p->depth + 1 >= RSP_XML_DEPTH_MAX)
		return err_set(p->err, E2BIG, "too many includes, or deeper than %d",
			       RSP_XML_DEPTH_MAX);
	p->depth++;
	rc = parse(p, d);
	p->depth--;
	return rc;
}

int rsp_target_xml_registers(const struct rsp_target_xml *x, struct rsp_registers *ret,
			     struct err *e)
{
	struct pass p = {
		.include = enter,
		.reg = take_register,
		.all = x,
		.registers = ret,
		.err = e,
		.architecture = BUF_INIT,
	};
	int rc = parse(&p, &x->documents[0]);

	if (!rc && p.architecture.len && strncmp(p.architecture.data, "aarch64", 7))
		rc = err_set(e, ENOTSUP, "the target is not arm64");
	if (!rc)
		rc = rsp_registers_finish(ret, e);
	buf_fini(&p.architecture);
	return rc;
}
