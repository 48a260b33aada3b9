#include "host/schema.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "host/npy.h"
#include "host/read_file.h"
#include "host/schema_text.h"
#include "util/fail.h"

enum { DEPTH_MAX = 32, VALUES_MAX = 1 << 24 }; /* aliases can make a small file large */

static const char untagged[] = "tag:yaml.org,2002:";

/* Where a key or a mapping begins. */
struct place {
    const void *what;
    bool map;
    unsigned line;
};

struct block {
    struct block *next;
    _Alignas(max_align_t) char bytes[];
};

struct schema_file {
    char *path;
    struct block *blocks;
    struct place *places; /* sorted, once all is read */
    size_t places_count, places_room;
};

struct reader {
    const char *path;
    yaml_document_t document;
    struct schema_file *file;
    struct bh_error *error;
    size_t lines;
    unsigned values; /* read so far */
};

/* A value on its way: the key that it belongs to, what it is to be, and the node that it is. */
struct item {
    const char *key;
    unsigned key_line;
    const struct schema_value *value;
    const yaml_node_t *node;
};

static unsigned line_of(const yaml_node_t *node)
{
    return (unsigned)node->start_mark.line + 1;
}

static enum bh_status no_memory(const struct reader *reader)
{
    return fail(reader->error, BH_ERROR_MEMORY, "%s: out of memory", reader->path);
}

static void *allocate(struct reader *reader, size_t size)
{
    struct block *block = calloc(1, sizeof *block + size + 1);
    if (!block) {
        return NULL;
    }
    block->next = reader->file->blocks;
    reader->file->blocks = block;
    return block->bytes;
}

static bool remember(struct schema_file *file, const void *what, bool map, unsigned line)
{
    if (file->places_count == file->places_room) {
        size_t room = file->places_room ? 2 * file->places_room : 64;
        struct place *more = realloc(file->places, room * sizeof *more);
        if (!more) {
            return false;
        }
        file->places = more;
        file->places_room = room;
    }
    file->places[file->places_count++] = (struct place){what, map, line};
    return true;
}

static bool is_plain(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static const char *text_of(const yaml_node_t *node)
{
    return (const char *)node->data.scalar.value;
}

/* Whether a node is empty, or one of YAML's words for null. */
static bool is_null(const yaml_node_t *node)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    for (unsigned i = 0; is_plain(node) && i < sizeof nulls / sizeof *nulls; i++) {
        if (strcmp(text_of(node), nulls[i]) == 0) {
            return true;
        }
    }
    return false;
}

static enum bh_status refuse(const struct reader *reader, const struct item *item)
{
    const yaml_node_t *node = item->node;
    struct schema_words allowed = schema_allowed(item->value), found = {"a list"}, suggestion = {""};
    const char *colon = item->key[0] ? ": " : "";
    if (is_null(node)) {
        return fail(reader->error, BH_ERROR_FORMAT, "%s:%u: %s%shas no value; it has to be %s", reader->path,
                    item->key_line, item->key, colon, allowed.text);
    }
    if (node->type == YAML_SCALAR_NODE) {
        found = schema_quoted(text_of(node), node->data.scalar.length);
        suggestion = schema_suggestion(item->value, text_of(node));
    } else if (node->type == YAML_MAPPING_NODE) {
        found = (struct schema_words){"a mapping"};
    }
    return fail(reader->error, BH_ERROR_FORMAT, "%s:%u: %s%s%s is not allowed; it has to be %s%s", reader->path,
                line_of(node), item->key, colon, found.text, allowed.text, suggestion.text);
}

/* So many items of a list. */
static enum bh_status refuse_length(const struct reader *reader, const struct item *item, size_t length)
{
    struct schema_words allowed = schema_allowed(item->value);
    return fail(reader->error, BH_ERROR_FORMAT, "%s:%u: %s: a list of %zu is not allowed; it has to be %s",
                reader->path, line_of(item->node), item->key, length, allowed.text);
}

/* Decimal, or hexadecimal behind 0x; other programs would take a leading zero for octal, or not. */
static bool parse_number(const char *text, uint64_t *number)
{
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hexadecimal ? text + 2 : text;
    if (!*digits || digits[strspn(digits, hexadecimal ? "0123456789abcdefABCDEF" : "0123456789")] ||
        (!hexadecimal && digits[0] == '0' && digits[1])) {
        return false;
    }
    errno = 0;
    *number = strtoull(digits, NULL, hexadecimal ? 16 : 10);
    return errno == 0;
}

static bool read_number(const struct schema_value *value, const char *text, void *to)
{
    uint64_t number;
    if (!parse_number(text, &number) || number < value->least || number > value->most ||
        (value->multiple && number % value->multiple)) {
        return false;
    }
    memcpy(to, &number, value->size); /* little-endian */
    return true;
}

static bool read_real(const char *text, void *to)
{
    char *end;
    double number = strtod(text, &end);
    if (!strchr(".0123456789", *text) || *end || !isfinite(number) || number < 0) {
        return false;
    }
    memcpy(to, &number, sizeof number);
    return true;
}

static bool read_name(const struct schema_value *value, const char *text, void *to)
{
    for (unsigned i = 0; i < value->count; i++) {
        if (strcmp(text, value->names[i].name) == 0) {
            memcpy(to, &value->names[i].value, sizeof value->names[i].value);
            return true;
        }
    }
    return false;
}

/* Whether a text can be a path: diagnostics, which are one line, name it. */
static bool is_path(const char *text)
{
    while ((unsigned char)*text >= ' ' && *text != 0x7f) {
        text++;
    }
    return !*text;
}

static enum bh_status read_scalar(struct reader *reader, const struct item *item, void *to)
{
    const struct schema_value *value = item->value;
    const yaml_node_t *node = item->node;
    bool may_be_empty = value->kind == SCHEMA_TEXT;
    bool good = node->type == YAML_SCALAR_NODE && (may_be_empty || (node->data.scalar.length && !is_null(node))) &&
                (may_be_empty || strlen(text_of(node)) == node->data.scalar.length);
    const char *text = good ? text_of(node) : "";
    switch (value->kind) {
    case SCHEMA_NUMBER: good = good && read_number(value, text, to); break;
    case SCHEMA_REAL: good = good && read_real(text, to); break;
    case SCHEMA_NAME: good = good && read_name(value, text, to); break;
    default: good = good && (may_be_empty || is_path(text)); break;
    }
    if (good && (value->kind == SCHEMA_TEXT || value->kind == SCHEMA_PATH)) {
        char *copy = allocate(reader, strlen(text));
        if (!copy) {
            return no_memory(reader);
        }
        memcpy(copy, text, strlen(text) + 1);
        memcpy(to, &copy, sizeof copy);
    }
    return good ? BH_OK : refuse(reader, item);
}

static enum bh_status read_value(struct reader *reader, const struct item *item, void *to, unsigned *count);

static enum bh_status read_list(struct reader *reader, const struct item *item, void *to, unsigned *count)
{
    const struct schema_value *value = item->value;
    if (item->node->type != YAML_SEQUENCE_NODE) {
        return refuse(reader, item);
    }
    const yaml_node_item_t *items = item->node->data.sequence.items.start;
    size_t length = (size_t)(item->node->data.sequence.items.top - items);
    if (length < value->least || length > value->most) {
        return refuse_length(reader, item, length);
    }
    char *all = allocate(reader, length * value->item->size);
    if (!all) {
        return no_memory(reader);
    }
    enum bh_status status = BH_OK;
    for (size_t i = 0; status == BH_OK && i < length; i++) {
        struct item one = {item->key, item->key_line, value->item, yaml_document_get_node(&reader->document, items[i])};
        status = read_value(reader, &one, all + i * value->item->size, NULL);
    }
    memcpy(to, &all, sizeof all);
    if (count) { /* there is none for a list of a list */
        *count = (unsigned)length;
    }
    return status;
}

static bool names_key(const yaml_node_t *node, const struct schema_key *key)
{
    return node->type == YAML_SCALAR_NODE && strcmp(text_of(node), key->name) == 0 &&
           strlen(text_of(node)) == node->data.scalar.length;
}

static const struct schema_key *find_key(const struct schema_value *map, const yaml_node_t *node)
{
    for (unsigned i = 0; i < map->count; i++) {
        if (names_key(node, &map->keys[i])) {
            return &map->keys[i];
        }
    }
    return NULL;
}

static enum bh_status refuse_key(const struct reader *reader, const struct schema_value *map, const yaml_node_t *node)
{
    bool scalar = node->type == YAML_SCALAR_NODE;
    struct schema_words found =
        scalar ? schema_quoted(text_of(node), node->data.scalar.length) : (struct schema_words){"a list or a mapping"};
    struct schema_words suggestion = {""};
    if (scalar) {
        suggestion = schema_suggestion(map, text_of(node));
    }
    return fail(reader->error, BH_ERROR_FORMAT, "%s:%u: %s is no key here; the keys are %s%s", reader->path,
                line_of(node), found.text, schema_names(map).text, suggestion.text);
}

static enum bh_status read_pair(struct reader *reader, const struct schema_value *map, const yaml_node_pair_t *pair,
                                char *to)
{
    const yaml_node_t *name = yaml_document_get_node(&reader->document, pair->key);
    const struct schema_key *key = find_key(map, name);
    if (!key && map->open) {
        return BH_OK;
    }
    if (!key) {
        return refuse_key(reader, map, name);
    }
    struct item item = {key->name, line_of(name), key->value, yaml_document_get_node(&reader->document, pair->value)};
    char *place = to + key->place;
    if (!remember(reader->file, place, false, line_of(name))) {
        return no_memory(reader);
    }
    if (key->pointer) {
        char *value = allocate(reader, key->value->size);
        if (!value) {
            return no_memory(reader);
        }
        memcpy(place, &value, sizeof value);
        place = value;
    }
    return read_value(reader, &item, place, (unsigned *)(void *)(to + key->count));
}

/* Refuses a mapping without a required key, or with a key twice. */
static enum bh_status check_keys(const struct reader *reader, const struct item *item)
{
    const struct schema_value *map = item->value;
    const yaml_node_pair_t *pairs = item->node->data.mapping.pairs.start, *end = item->node->data.mapping.pairs.top;
    for (unsigned i = 0; i < map->count; i++) {
        const struct schema_key *key = &map->keys[i];
        unsigned first = 0;
        for (const yaml_node_pair_t *pair = pairs; pair < end; pair++) {
            const yaml_node_t *node = yaml_document_get_node((yaml_document_t *)&reader->document, pair->key);
            if (!names_key(node, key)) {
                continue;
            }
            if (first) {
                return fail(reader->error, BH_ERROR_FORMAT, "%s:%u: %s is there twice, first in line %u", reader->path,
                            line_of(node), key->name, first);
            }
            first = line_of(node);
        }
        if (!first && !key->optional) {
            struct schema_words allowed = schema_allowed(key->value);
            return fail(reader->error, BH_ERROR_FORMAT, "%s:%u: %s%s%s is missing; it has to be %s", reader->path,
                        line_of(item->node), item->key, item->key[0] ? ": " : "", key->name, allowed.text);
        }
    }
    return BH_OK;
}

static enum bh_status read_map(struct reader *reader, const struct item *item, char *to)
{
    if (item->node->type != YAML_MAPPING_NODE) {
        return refuse(reader, item);
    }
    const yaml_node_pair_t *pairs = item->node->data.mapping.pairs.start, *end = item->node->data.mapping.pairs.top;
    enum bh_status status = remember(reader->file, to, true, line_of(item->node)) ? BH_OK : no_memory(reader);
    for (const yaml_node_pair_t *pair = pairs; status == BH_OK && pair < end; pair++) {
        status = read_pair(reader, item->value, pair, to);
    }
    return status == BH_OK ? check_keys(reader, item) : status;
}

/* A mapping whose keys are numbers. */
static enum bh_status read_table(struct reader *reader, const struct item *item, char *to, unsigned *count)
{
    static const struct schema_value number = {.kind = SCHEMA_NUMBER, .size = sizeof(uint32_t), .most = UINT32_MAX};
    const struct schema_value *value = item->value;
    if (item->node->type != YAML_MAPPING_NODE) {
        return refuse(reader, item);
    }
    const yaml_node_pair_t *pairs = item->node->data.mapping.pairs.start;
    size_t length = (size_t)(item->node->data.mapping.pairs.top - pairs);
    char *all = allocate(reader, length * value->size);
    enum bh_status status = all ? BH_OK : no_memory(reader);
    for (size_t i = 0; status == BH_OK && i < length; i++) {
        char *entry = all + i * value->size;
        struct item key = {item->key, item->key_line, &number, yaml_document_get_node(&reader->document, pairs[i].key)};
        struct item one = {item->key, item->key_line, value->item,
                           yaml_document_get_node(&reader->document, pairs[i].value)};
        status = read_value(reader, &key, entry, NULL);
        for (size_t j = 0; status == BH_OK && j < i; j++) {
            if (memcmp(all + j * value->size, entry, sizeof(uint32_t)) == 0) {
                status = fail(reader->error, BH_ERROR_FORMAT, "%s:%u: %s: %s is there twice", reader->path,
                              line_of(key.node), item->key, text_of(key.node));
            }
        }
        status = status == BH_OK ? read_value(reader, &one, entry + value->place, NULL) : status;
    }
    memcpy(to, &all, sizeof all);
    if (count) {
        *count = (unsigned)length;
    }
    return status;
}

static enum bh_status read_value(struct reader *reader, const struct item *item, void *to, unsigned *count)
{
    if (++reader->values > VALUES_MAX) {
        return fail(reader->error, BH_ERROR_FORMAT, "%s: more than %u values", reader->path, VALUES_MAX);
    }
    const char *tag = (const char *)item->node->tag;
    if (tag && strncmp(tag, untagged, sizeof untagged - 1) != 0) {
        return fail(reader->error, BH_ERROR_FORMAT, "%s:%u: %s: the tag %s means nothing here", reader->path,
                    line_of(item->node), item->key, schema_quoted(tag, strlen(tag)).text);
    }
    switch (item->value->kind) {
    case SCHEMA_LIST: return read_list(reader, item, to, count);
    case SCHEMA_MAP: return read_map(reader, item, to);
    case SCHEMA_TABLE: return read_table(reader, item, to, count);
    default: return read_scalar(reader, item, to);
    }
}

/* Reports libyaml's error for a text that is not YAML. */
static enum bh_status refuse_text(const struct reader *reader, const yaml_parser_t *parser)
{
    const char *problem = parser->problem ? parser->problem : "no YAML";
    if (parser->error == YAML_MEMORY_ERROR) {
        return no_memory(reader);
    }
    if (parser->error == YAML_READER_ERROR) {
        return fail(reader->error, BH_ERROR_FORMAT, "%s: byte %zu: %s", reader->path, parser->problem_offset + 1,
                    problem);
    }
    size_t line = parser->problem_mark.line + 1, begins = parser->context_mark.line + 1;
    char context[100] = "";
    line = line < reader->lines ? line : reader->lines; /* libyaml counts one more behind the end */
    if (parser->context && begins < line) {
        snprintf(context, sizeof context, ", %s that begins in line %zu", parser->context, begins);
    } else if (parser->context) {
        snprintf(context, sizeof context, ", %s", parser->context);
    }
    return fail(reader->error, BH_ERROR_FORMAT, "%s:%zu: %s%s", reader->path, line, problem, context);
}

/* The last line may be without an end. */
static size_t count_lines(const uint8_t *bytes, size_t size)
{
    size_t lines = size && bytes[size - 1] != '\n';
    for (size_t i = 0; i < size; i++) {
        lines += bytes[i] == '\n';
    }
    return lines;
}

static enum bh_status read_root(struct reader *reader, const struct schema_value *value, void *to)
{
    const yaml_node_t *root = yaml_document_get_root_node(&reader->document);
    if (!root || is_null(root)) {
        return fail(reader->error, BH_ERROR_FORMAT, "%s: empty; it has to be %s", reader->path,
                    schema_allowed(value).text);
    }
    struct item item = {"", line_of(root), value, root};
    return read_value(reader, &item, to, NULL);
}

static bool begins(const yaml_event_t *event)
{
    return event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT;
}

static bool ends(const yaml_event_t *event)
{
    return event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT;
}

/* Whether a text is YAML, of one document, and not so deep that libyaml takes for ever. */
static enum bh_status check_events(const struct reader *reader, yaml_parser_t *parser)
{
    unsigned depth = 0, documents = 0;
    enum bh_status status = BH_OK;
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            return refuse_text(reader, parser);
        }
        size_t line = event.start_mark.line + 1;
        depth += begins(&event);
        depth -= ends(&event);
        documents += event.type == YAML_DOCUMENT_START_EVENT;
        if (depth > DEPTH_MAX) {
            status =
                fail(reader->error, BH_ERROR_FORMAT, "%s:%zu: lists and mappings within each other more than %u deep",
                     reader->path, line, DEPTH_MAX);
        } else if (documents > 1) {
            status = fail(reader->error, BH_ERROR_FORMAT, "%s:%zu: a second document begins here; only one is allowed",
                          reader->path, line);
        }
        more = status == BH_OK && event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    return status;
}

static enum bh_status read_document(struct reader *reader, yaml_parser_t *parser, const struct schema_value *value,
                                    void *to)
{
    if (!yaml_parser_load(parser, &reader->document)) {
        return refuse_text(reader, parser); /* an alias of nothing */
    }
    enum bh_status status = read_root(reader, value, to);
    yaml_document_delete(&reader->document);
    return status;
}

static enum bh_status read_text(struct reader *reader, const struct schema_value *value, const uint8_t *bytes,
                                size_t size, void *to)
{
    enum bh_status status = BH_OK;
    reader->lines = count_lines(bytes, size);
    for (unsigned pass = 0; status == BH_OK && pass < 2; pass++) {
        yaml_parser_t parser;
        if (!yaml_parser_initialize(&parser)) {
            return no_memory(reader);
        }
        yaml_parser_set_input_string(&parser, bytes, size);
        status = pass == 0 ? check_events(reader, &parser) : read_document(reader, &parser, value, to);
        yaml_parser_delete(&parser);
    }
    return status;
}

static int compare(const void *a, const void *b)
{
    const struct place *one = a, *other = b;
    if (one->what != other->what) {
        return (uintptr_t)one->what < (uintptr_t)other->what ? -1 : 1;
    }
    return one->map - other->map;
}

static enum bh_status parse(const char *path, const uint8_t *bytes, size_t size, const struct schema_value *value,
                            void *to, struct schema_file **file, struct bh_error *error)
{
    struct reader reader = {.path = path, .error = error, .file = calloc(1, sizeof **file)};
    *file = reader.file;
    if (!reader.file || !(reader.file->path = strdup(path))) {
        return no_memory(&reader);
    }
    enum bh_status status = read_text(&reader, value, bytes, size, to);
    if (reader.file->places_count) {
        qsort(reader.file->places, reader.file->places_count, sizeof *reader.file->places, compare);
    }
    return status;
}

enum bh_status schema_parse(const char *path, const char *text, const struct schema_value *value, void *to,
                            struct schema_file **file, struct bh_error *error)
{
    return parse(path, (const uint8_t *)text, strlen(text), value, to, file, error);
}

enum bh_status schema_load(const char *path, const struct schema_value *value, void *to, struct schema_file **file,
                           struct bh_error *error)
{
    uint8_t *bytes;
    size_t size;
    *file = NULL;
    enum bh_status status = read_file(path, &bytes, &size, error);
    if (status == BH_OK) {
        status = parse(path, bytes, size, value, to, file, error);
        free(bytes);
    }
    return status;
}

void schema_free(struct schema_file *file)
{
    if (!file) {
        return;
    }
    for (struct block *block = file->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(file->places);
    free(file->path);
    free(file);
}

static unsigned find_line(const struct schema_file *file, const void *what, bool map)
{
    struct place wanted = {.what = what, .map = map};
    const struct place *found =
        file->places_count ? bsearch(&wanted, file->places, file->places_count, sizeof wanted, compare) : NULL;
    return found ? found->line : 0;
}

bool schema_has(const struct schema_file *file, const void *member)
{
    return find_line(file, member, false) != 0;
}

enum bh_status schema_fail(const struct schema_file *file, const void *what, struct bh_error *error,
                           enum bh_status status, const char *format, ...)
{
    char text[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    unsigned line = find_line(file, what, false);
    line = line ? line : find_line(file, what, true);
    return line ? fail(error, status, "%s:%u: %s", file->path, line, text)
                : fail(error, status, "%s: %s", file->path, text);
}
