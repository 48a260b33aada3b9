/* What a YAML file may be, as JSON Schema, by which editors complete and check it. */
#ifndef BHEMU_HOST_SCHEMA_JSON_H
#define BHEMU_HOST_SCHEMA_JSON_H

#include <stdio.h>

#include "host/schema.h"

/* Writes the schema of a file whose document is `value`, in draft 7, which language servers of YAML read. */
void schema_write_json(FILE *file, const struct schema_value *value, const char *title);

#endif
