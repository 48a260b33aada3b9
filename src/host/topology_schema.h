/* What the project's own form of topology files may be. */
#ifndef BHEMU_HOST_TOPOLOGY_SCHEMA_H
#define BHEMU_HOST_TOPOLOGY_SCHEMA_H

#include "host/schema.h"

extern const struct schema_value topology_file_schema;

#endif
