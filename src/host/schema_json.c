#include "host/schema_json.h"

#include "util/json.h"

static void member_text(struct json *json, const char *name, const char *text)
{
    json_name(json, name);
    json_text(json, text);
}

static void member_number(struct json *json, const char *name, uint64_t number)
{
    json_name(json, name);
    json_unsigned(json, number);
}

static void write_value(struct json *json, const struct schema_value *value, const char *help);

static void write_names(struct json *json, const struct schema_value *value)
{
    json_name(json, "enum");
    json_begin_array(json);
    for (unsigned i = 0; i < value->count; i++) {
        json_text(json, value->names[i].name);
    }
    json_end_array(json);
}

static void write_list(struct json *json, const struct schema_value *list)
{
    member_text(json, "type", "array");
    json_name(json, "items");
    write_value(json, list->item, NULL);
    if (list->least) {
        member_number(json, "minItems", list->least);
    }
    if (list->most != UINT32_MAX) {
        member_number(json, "maxItems", list->most);
    }
}

static void write_map(struct json *json, const struct schema_value *map)
{
    member_text(json, "type", "object");
    json_name(json, "properties");
    json_begin_object(json);
    for (unsigned i = 0; i < map->count; i++) {
        json_name(json, map->keys[i].name);
        write_value(json, map->keys[i].value, map->keys[i].help);
    }
    json_end_object(json);
    json_name(json, "required");
    json_begin_array(json);
    for (unsigned i = 0; i < map->count; i++) {
        if (!map->keys[i].optional) {
            json_text(json, map->keys[i].name);
        }
    }
    json_end_array(json);
    json_name(json, "additionalProperties");
    json_bool(json, map->open);
}

/* YAML's keys that are numbers are texts for JSON. */
static void write_table(struct json *json, const struct schema_value *table)
{
    member_text(json, "type", "object");
    json_name(json, "additionalProperties");
    write_value(json, table->item, NULL);
}

/* The members of a value's schema. */
static void write_members(struct json *json, const struct schema_value *value)
{
    switch (value->kind) {
    case SCHEMA_NUMBER:
        member_text(json, "type", "integer");
        member_number(json, "minimum", value->least);
        member_number(json, "maximum", value->most);
        if (value->multiple) {
            member_number(json, "multipleOf", value->multiple);
        }
        break;
    case SCHEMA_REAL:
        member_text(json, "type", "number");
        member_number(json, "minimum", 0);
        break;
    case SCHEMA_TEXT:
    case SCHEMA_PATH: member_text(json, "type", "string"); break;
    case SCHEMA_NAME: write_names(json, value); break;
    case SCHEMA_LIST: write_list(json, value); break;
    case SCHEMA_MAP: write_map(json, value); break;
    case SCHEMA_TABLE: write_table(json, value); break;
    }
}

static void write_value(struct json *json, const struct schema_value *value, const char *help)
{
    json_begin_object(json);
    if (help) {
        member_text(json, "description", help);
    }
    write_members(json, value);
    json_end_object(json);
}

void schema_write_json(FILE *file, const struct schema_value *value, const char *title)
{
    struct json json = {.file = file, .lines = true};
    json_begin_object(&json);
    member_text(&json, "$schema", "http://json-schema.org/draft-07/schema#");
    member_text(&json, "title", title);
    write_members(&json, value);
    json_end_object(&json);
    (void)fputc('\n', file);
}
