#include "host/job_file.h"

#include <cyaml/cyaml.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/fail.h"
#include "noc/coordinates.h"

static const cyaml_strval_t core_names[] = {
    {"B", BH_CORE_B}, {"T0", BH_CORE_T0}, {"T1", BH_CORE_T1}, {"T2", BH_CORE_T2}, {"NC", BH_CORE_NC},
};
static const cyaml_strval_t format_names[] = {
    {"fp32", BH_FP32},     {"bf16", BH_BF16}, {"fp16", BH_FP16},   {"int32", BH_INT32},
    {"uint16", BH_UINT16}, {"int8", BH_INT8}, {"uint8", BH_UINT8},
};
static const cyaml_strval_t layout_names[] = {{"rows", BH_ROWS}, {"tiles", BH_TILES}};
static const cyaml_strval_t policy_names[] = {
    {"default", BH_POLICY_DEFAULT}, {"strict", BH_POLICY_STRICT}, {"silicon", BH_POLICY_SILICON}};

static const cyaml_strval_t launch_names[] = {{"direct", JOB_DIRECT}, {"tt-metal", JOB_TT_METAL}};
static const cyaml_strval_t dispatch_names[] = {{"host", JOB_BY_HOST}, {"device", JOB_BY_DEVICE}};

static const cyaml_schema_field_t program_fields[] = {
    CYAML_FIELD_ENUM("core", CYAML_FLAG_STRICT, struct job_program, core, core_names, CYAML_ARRAY_LEN(core_names)),
    CYAML_FIELD_STRING_PTR("elf", CYAML_FLAG_POINTER, struct job_program, elf, 1, CYAML_UNLIMITED),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t program_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct job_program, program_fields)};

static const cyaml_schema_value_t word_value = {CYAML_VALUE_UINT(CYAML_FLAG_DEFAULT, uint32_t)};
static const cyaml_schema_value_t core_value = {
    CYAML_VALUE_ENUM(CYAML_FLAG_STRICT, enum bh_core, core_names, CYAML_ARRAY_LEN(core_names))};

/* An optional list of numbers. */
#define NUMBERS(key, structure, member, least, most)                                                                   \
    CYAML_FIELD_SEQUENCE(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL | CYAML_FLAG_FLOW, structure, member,           \
                         &word_value, least, most)

/* The words themselves; `words` is empty, or names a member with a dot behind it. */
#define WORDS(structure, words)                                                                                        \
    NUMBERS("values", structure, words values, 1, CYAML_UNLIMITED),                                                    \
        NUMBERS("by_column", structure, words by_column, 1, CYAML_UNLIMITED),                                          \
        NUMBERS("by_row", structure, words by_row, 1, CYAML_UNLIMITED),                                                \
        NUMBERS("each", structure, words each, 1, CYAML_UNLIMITED)

static const cyaml_schema_field_t words_fields[] = {
    CYAML_FIELD_UINT("address", CYAML_FLAG_DEFAULT, struct job_words, address),
    WORDS(struct job_words, ),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t words_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct job_words, words_fields)};

#define INPUT_FIELDS                                                                                                   \
    CYAML_FIELD_STRING_PTR("file", CYAML_FLAG_POINTER, struct job_input, file, 1, CYAML_UNLIMITED),                    \
        CYAML_FIELD_UINT("address", CYAML_FLAG_DEFAULT, struct job_input, place.address),                              \
        CYAML_FIELD_ENUM("format", CYAML_FLAG_STRICT, struct job_input, format, format_names,                          \
                         CYAML_ARRAY_LEN(format_names)),                                                               \
        CYAML_FIELD_ENUM("layout", CYAML_FLAG_STRICT | CYAML_FLAG_OPTIONAL, struct job_input, layout, layout_names,    \
                         CYAML_ARRAY_LEN(layout_names))

#define OUTPUT_FIELDS                                                                                                  \
    CYAML_FIELD_STRING_PTR("file", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct job_output, file, 1,               \
                           CYAML_UNLIMITED),                                                                           \
        CYAML_FIELD_STRING_PTR("expect", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct job_output, expect, 1,       \
                               CYAML_UNLIMITED),                                                                       \
        CYAML_FIELD_FLOAT_PTR("tolerance", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct job_output, tolerance),    \
        CYAML_FIELD_UINT("address", CYAML_FLAG_DEFAULT, struct job_output, place.address),                             \
        CYAML_FIELD_SEQUENCE_FIXED("shape", CYAML_FLAG_FLOW, struct job_output, shape, &word_value, 2),                \
        CYAML_FIELD_ENUM("format", CYAML_FLAG_STRICT, struct job_output, format, format_names,                         \
                         CYAML_ARRAY_LEN(format_names)),                                                               \
        CYAML_FIELD_ENUM("layout", CYAML_FLAG_STRICT | CYAML_FLAG_OPTIONAL, struct job_output, layout, layout_names,   \
                         CYAML_ARRAY_LEN(layout_names))

/* What only tensors in DRAM have. */
#define PAGES(structure)                                                                                               \
    CYAML_FIELD_UINT("page", CYAML_FLAG_OPTIONAL, structure, place.page),                                              \
        NUMBERS("channels", structure, place.channels, 1, DRAM_CHANNELS)

static const cyaml_schema_field_t input_fields[] = {INPUT_FIELDS, CYAML_FIELD_END};
static const cyaml_schema_value_t input_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct job_input, input_fields)};

static const cyaml_schema_field_t output_fields[] = {OUTPUT_FIELDS, CYAML_FIELD_END};
static const cyaml_schema_value_t output_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct job_output, output_fields)};

static const cyaml_schema_field_t dram_input_fields[] = {INPUT_FIELDS, PAGES(struct job_input), CYAML_FIELD_END};
static const cyaml_schema_value_t dram_input_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct job_input, dram_input_fields)};

static const cyaml_schema_field_t dram_output_fields[] = {OUTPUT_FIELDS, PAGES(struct job_output), CYAML_FIELD_END};
static const cyaml_schema_value_t dram_output_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct job_output, dram_output_fields)};

static const cyaml_schema_field_t dram_fields[] = {
    CYAML_FIELD_SEQUENCE("inputs", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct job_dram, inputs, &dram_input_value,
                         0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("outputs", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct job_dram, outputs,
                         &dram_output_value, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t arguments_fields[] = {
    CYAML_FIELD_SEQUENCE("cores", CYAML_FLAG_POINTER | CYAML_FLAG_FLOW, struct job_arguments, cores, &core_value, 1,
                         BH_CORE_COUNT),
    WORDS(struct job_arguments, words.),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t arguments_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct job_arguments, arguments_fields)};

static const cyaml_schema_field_t buffer_fields[] = {
    CYAML_FIELD_UINT("index", CYAML_FLAG_DEFAULT, struct metal_buffer, index),
    CYAML_FIELD_UINT("address", CYAML_FLAG_DEFAULT, struct metal_buffer, address),
    CYAML_FIELD_UINT("pages", CYAML_FLAG_DEFAULT, struct metal_buffer, pages),
    CYAML_FIELD_UINT("page", CYAML_FLAG_DEFAULT, struct metal_buffer, page),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t buffer_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct metal_buffer, buffer_fields)};

static const cyaml_strval_t form_names[] = {
    {"short", METAL_SHORT}, {"long", METAL_LONG}, {"four", METAL_FOUR}, {"threaded", METAL_THREADED}};

static const cyaml_schema_field_t metal_layout_fields[] = {
    CYAML_FIELD_ENUM("form", CYAML_FLAG_STRICT, struct metal_layout, form, form_names, CYAML_ARRAY_LEN(form_names)),
    CYAML_FIELD_UINT("end", CYAML_FLAG_DEFAULT, struct metal_layout, end),
    CYAML_FIELD_UINT("launch", CYAML_FLAG_DEFAULT, struct metal_layout, launch),
    CYAML_FIELD_UINT("go", CYAML_FLAG_DEFAULT, struct metal_layout, go),
    CYAML_FIELD_UINT("go_index", CYAML_FLAG_DEFAULT, struct metal_layout, go_index),
    CYAML_FIELD_UINT("core_info", CYAML_FLAG_DEFAULT, struct metal_layout, core_info),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t launch_fields[] = {
    CYAML_FIELD_ENUM("kind", CYAML_FLAG_STRICT, struct job_launch, kind, launch_names, CYAML_ARRAY_LEN(launch_names)),
    CYAML_FIELD_SEQUENCE("firmware", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct job_launch, firmware,
                         &program_value, 0, CYAML_UNLIMITED),
    CYAML_FIELD_MAPPING_PTR("layout", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct job_launch, layout,
                            metal_layout_fields),
    CYAML_FIELD_UINT("times", CYAML_FLAG_OPTIONAL, struct job_launch, times),
    CYAML_FIELD_ENUM("dispatch", CYAML_FLAG_STRICT | CYAML_FLAG_OPTIONAL, struct job_launch, dispatch, dispatch_names,
                     CYAML_ARRAY_LEN(dispatch_names)),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t tile_fields[] = {
    NUMBERS("at", struct job_tile, at, 2, 2),
    NUMBERS("columns", struct job_tile, columns, 1, 2 * NOC_WIDTH),
    NUMBERS("rows", struct job_tile, rows, 1, 2 * NOC_HEIGHT),
    CYAML_FIELD_SEQUENCE("programs", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct job_tile, programs,
                         &program_value, 1, BH_CORE_COUNT),
    CYAML_FIELD_SEQUENCE("start", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL | CYAML_FLAG_FLOW, struct job_tile, start,
                         &core_value, 1, BH_CORE_COUNT),
    CYAML_FIELD_SEQUENCE("words", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct job_tile, words, &words_value, 0,
                         CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("inputs", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct job_tile, inputs, &input_value, 0,
                         CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("outputs", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct job_tile, outputs, &output_value,
                         0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("kernels", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct job_tile, kernels, &program_value,
                         1, BH_CORE_COUNT),
    CYAML_FIELD_SEQUENCE("arguments", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct job_tile, arguments,
                         &arguments_value, 0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("common_arguments", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct job_tile,
                         common_arguments, &arguments_value, 0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("buffers", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct job_tile, buffers, &buffer_value,
                         0, CYAML_UNLIMITED),
    NUMBERS("semaphores", struct job_tile, semaphores, 1, CYAML_UNLIMITED),
    CYAML_FIELD_UINT("noc", CYAML_FLAG_OPTIONAL, struct job_tile, noc),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t tile_value = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct job_tile, tile_fields)};

static const cyaml_schema_field_t job_fields[] = {
    CYAML_FIELD_STRING_PTR("description", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct job_file, description, 0,
                           CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("board", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct job_file, board, 1,
                           CYAML_UNLIMITED),
    CYAML_FIELD_ENUM("policy", CYAML_FLAG_STRICT | CYAML_FLAG_OPTIONAL, struct job_file, policy, policy_names,
                     CYAML_ARRAY_LEN(policy_names)),
    CYAML_FIELD_UINT("limit", CYAML_FLAG_OPTIONAL, struct job_file, limit),
    CYAML_FIELD_MAPPING("launch", CYAML_FLAG_OPTIONAL, struct job_file, launch, launch_fields),
    CYAML_FIELD_MAPPING("dram", CYAML_FLAG_OPTIONAL, struct job_file, dram, dram_fields),
    CYAML_FIELD_SEQUENCE("tiles", CYAML_FLAG_POINTER, struct job_file, tiles, &tile_value, 1, CYAML_UNLIMITED),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t job_value = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct job_file, job_fields)};

/* libcyaml tells the cause first and then where, outermost last; one line holds the cause and the innermost place. */
struct told {
    char cause[200], place[200];
};

static void remember(cyaml_log_t level, void *context, const char *format, va_list arguments)
{
    static const char prefix[] = "Load: ";
    struct told *told = context;
    char text[200];
    vsnprintf(text, sizeof text, format, arguments);
    text[strcspn(text, "\n")] = 0;
    bool prefixed = strncmp(text, prefix, sizeof prefix - 1) == 0;
    const char *useful = prefixed ? text + sizeof prefix - 1 : text + strspn(text, " ");
    if (!prefixed && strstr(useful, "line:") && !told->place[0]) {
        snprintf(told->place, sizeof told->place, ", %s", useful);
    } else if (prefixed && !told->cause[0] && strcmp(useful, "Backtrace:") != 0) {
        snprintf(told->cause, sizeof told->cause, "%s", useful);
    }
}

static const cyaml_config_t quiet = {.mem_fn = cyaml_mem, .log_level = CYAML_LOG_ERROR};

enum bh_status job_file_load(const char *path, struct job_file **job, struct bh_error *error)
{
    struct told told = {};
    cyaml_config_t config = quiet;
    config.log_fn = remember;
    config.log_ctx = &told;
    *job = NULL;
    struct stat about;
    if (access(path, R_OK) != 0 || stat(path, &about) != 0 || (S_ISDIR(about.st_mode) && (errno = EISDIR))) {
        return fail(error, BH_ERROR_IO, "%s: %s", path, strerror(errno));
    }
    cyaml_err_t result = cyaml_load_file(path, &config, &job_value, (cyaml_data_t **)job, NULL);
    if (result != CYAML_OK || !*job) {
        return fail(error, BH_ERROR_FORMAT, "%s: %s%s", path,
                    told.cause[0]        ? told.cause
                    : result == CYAML_OK ? "empty"
                                         : cyaml_strerror(result),
                    told.place);
    }
    if ((*job)->limit > INT64_MAX) { /* libcyaml takes -1 for the largest number there is */
        job_file_free(*job);
        *job = NULL;
        return fail(error, BH_ERROR_FORMAT, "%s: limit is negative, or larger than any run", path);
    }
    if ((*job)->limit == 0) {
        (*job)->limit = JOB_DEFAULT_LIMIT;
    }
    return BH_OK;
}

void job_file_free(struct job_file *job)
{
    if (job) {
        cyaml_free(&quiet, &job_value, job, 0);
    }
}
