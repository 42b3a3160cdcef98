// SPDX-License-Identifier: GPL-2.0-or-later
/* YAML trees: any bytes give a tree or a reason, never both or neither. */
#include <stddef.h>
#include <stdint.h>

#include "plan/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct yaml_doc *doc __free(yaml) = NULL;

	yaml_doc_parse("fuzz.yaml", (const char *)data, size, &diag, &doc);
	if (!doc == !diag.n)
		__builtin_trap();
	return 0;
}
