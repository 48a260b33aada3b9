/* The keys of a job file, and what each may be: docs/jobs.md. */
#include "host/job_file.h"

#include <stdlib.h>

#include "host/elf_file.h"
#include "host/schema_text.h"
#include "noc/translation.h"
#include "util/bits.h"
#include "util/fail.h"

_Static_assert(sizeof(enum bh_core) == sizeof(int), "names become an int");

/* Values. */
#define NUMBER(type, ...)                                                                                              \
    {                                                                                                                  \
        .kind = SCHEMA_NUMBER, .size = sizeof(type), __VA_ARGS__                                                       \
    }
#define NAMES(list)                                                                                                    \
    {                                                                                                                  \
        .kind = SCHEMA_NAME, .size = sizeof(int), .names = (list), .count = COUNT_OF(list)                             \
    }
#define LIST(of, from, to)                                                                                             \
    {                                                                                                                  \
        .kind = SCHEMA_LIST, .size = sizeof(void *), .item = &(of), .least = (from), .most = (to)                      \
    }
#define MAP(type, list)                                                                                                \
    {                                                                                                                  \
        .kind = SCHEMA_MAP, .size = sizeof(type), .keys = (list), .count = COUNT_OF(list)                              \
    }

/* Keys: the struct, the key, its member, the value, what it is. */
#define KEY(type, key, member, of, is) .name = #key, .help = (is), .value = &(of), .place = offsetof(type, member)
#define REQUIRED(type, key, member, of, is)                                                                            \
    {                                                                                                                  \
        KEY(type, key, member, of, is)                                                                                 \
    }
#define OPTIONAL(type, key, member, of, is)                                                                            \
    {                                                                                                                  \
        KEY(type, key, member, of, is), .optional = true                                                               \
    }
#define POINTER(type, key, member, of, is)                                                                             \
    {                                                                                                                  \
        KEY(type, key, member, of, is), .optional = true, .pointer = true                                              \
    }
#define REQUIRED_LIST(type, key, member, of, is)                                                                       \
    {                                                                                                                  \
        KEY(type, key, member, of, is), .count = offsetof(type, member##_count)                                        \
    }
#define OPTIONAL_LIST(type, key, member, of, is)                                                                       \
    {                                                                                                                  \
        KEY(type, key, member, of, is), .count = offsetof(type, member##_count), .optional = true                      \
    }

static const struct schema_name core_names[] = {
    {"B", BH_CORE_B}, {"NC", BH_CORE_NC}, {"T0", BH_CORE_T0}, {"T1", BH_CORE_T1}, {"T2", BH_CORE_T2},
};
static const struct schema_name any_core_names[] = {
    {"B", BH_CORE_B},   {"NC", BH_CORE_NC}, {"T0", BH_CORE_T0}, {"T1", BH_CORE_T1},
    {"T2", BH_CORE_T2}, {"E0", BH_CORE_E0}, {"E1", BH_CORE_E1}, {"DRISC", BH_CORE_DRISC},
};
static const struct schema_name format_names[] = {
    {"fp32", BH_FP32},   {"bf16", BH_BF16},   {"fp16", BH_FP16},     {"int32", BH_INT32}, {"uint16", BH_UINT16},
    {"int8", BH_INT8},   {"uint8", BH_UINT8}, {"uint32", BH_UINT32}, {"int16", BH_INT16}, {"tf32", BH_TF32},
    {"fp8", BH_FP8},     {"e4m3", BH_E4M3},   {"bfp8", BH_BFP8},     {"bfp4", BH_BFP4},   {"bfp2", BH_BFP2},
    {"bfp8a", BH_BFP8A}, {"bfp4a", BH_BFP4A}, {"bfp2a", BH_BFP2A},
};
static const struct schema_name layout_names[] = {{"rows", BH_ROWS}, {"tiles", BH_TILES}};
static const struct schema_name policy_names[] = {
    {"default", BH_POLICY_DEFAULT}, {"strict", BH_POLICY_STRICT}, {"silicon", BH_POLICY_SILICON}};
static const struct schema_name board_names[] = {
    {"full", BH_BOARD_FULL}, {"p100a", BH_BOARD_P100A}, {"p150a", BH_BOARD_P150A}};
static const struct schema_name launch_names[] = {{"direct", JOB_DIRECT}, {"tt-metal", JOB_TT_METAL}};
static const struct schema_name dispatch_names[] = {{"host", JOB_BY_HOST}, {"device", JOB_BY_DEVICE}};
static const struct schema_name form_names[] = {
    {"short", METAL_SHORT}, {"long", METAL_LONG}, {"four", METAL_FOUR}, {"threaded", METAL_THREADED}};

static const struct schema_value text = {.kind = SCHEMA_TEXT, .size = sizeof(char *)};
static const struct schema_value path = {.kind = SCHEMA_PATH, .size = sizeof(char *)};
static const struct schema_value tolerance = {.kind = SCHEMA_REAL, .size = sizeof(double)};
static const struct schema_value core = NAMES(core_names);
static const struct schema_value any_core = NAMES(any_core_names);
static const struct schema_value format = NAMES(format_names);
static const struct schema_value layout = NAMES(layout_names);
static const struct schema_value policy = NAMES(policy_names);
static const struct schema_value board = NAMES(board_names);
static const struct schema_value kind = NAMES(launch_names);
static const struct schema_value dispatch = NAMES(dispatch_names);
static const struct schema_value form = NAMES(form_names);
static const struct schema_value word = NUMBER(uint32_t, .most = UINT32_MAX);
static const struct schema_value one_or_more = NUMBER(uint32_t, .least = 1, .most = UINT32_MAX);
/* Up to the end of the L1 of DRAM tiles' cores. */
enum { DRISC_L1_BYTES = 128 * 1024 };
static const struct schema_value address = NUMBER(uint64_t, .most = BH_DRISC_L1 + DRISC_L1_BYTES - 1);
static const struct schema_value word_address =
    NUMBER(uint64_t, .most = BH_DRISC_L1 + DRISC_L1_BYTES - 1, .multiple = 4);
static const struct schema_value message_address = NUMBER(uint32_t, .most = L1_BYTES, .multiple = 4);
static const struct schema_value aligned_address = NUMBER(uint32_t, .most = L1_BYTES, .multiple = 16);
static const struct schema_value aligned_size = NUMBER(uint32_t, .least = 16, .most = L1_BYTES, .multiple = 16);
static const struct schema_value pages = NUMBER(uint32_t, .least = 1, .most = L1_BYTES / 16);
static const struct schema_value buffer_number = NUMBER(uint32_t, .most = 63);
static const struct schema_value channel = NUMBER(uint32_t, .most = DRAM_CHANNELS - 1);
static const struct schema_value noc = NUMBER(uint32_t, .most = 1);
static const struct schema_value cycles = NUMBER(uint64_t, .least = 1, .most = INT64_MAX);
static const struct schema_value numbers = LIST(word, 1, UINT32_MAX);
static const struct schema_value coordinate = NUMBER(uint32_t, .most = TRANSLATED - 1);
static const struct schema_value coordinates = LIST(coordinate, 1, TRANSLATED);
static const struct schema_value one_tile = LIST(coordinate, 2, 2);
static const struct schema_value shape = LIST(one_or_more, 2, 2);
static const struct schema_value channels = LIST(channel, 1, DRAM_CHANNELS);
static const struct schema_value cores = LIST(core, 1, BH_CORE_COUNT);
static const struct schema_value any_cores = LIST(any_core, 1, BH_CORE_COUNT);
static const struct schema_value latency = NUMBER(uint32_t, .least = 100, .most = 100000);
static const struct schema_value chip = NUMBER(uint32_t, .most = BH_SYSTEM_CHIPS - 1);
static const struct schema_value chip_numbers = LIST(chip, 1, BH_SYSTEM_CHIPS);

static const struct schema_key program_keys[] = {
    REQUIRED(struct job_program, core, core, core, "the core that runs the program"),
    REQUIRED(struct job_program, elf, elf, path, "path of the ELF"),
};
static const struct schema_value program = MAP(struct job_program, program_keys);
static const struct schema_value programs = LIST(program, 1, BH_CORE_COUNT);

static const struct schema_key any_program_keys[] = {
    REQUIRED(struct job_program, core, core, any_core, "the core that runs the program"),
    REQUIRED(struct job_program, elf, elf, path, "path of the ELF"),
};
static const struct schema_value any_program = MAP(struct job_program, any_program_keys);
static const struct schema_value any_programs = LIST(any_program, 1, BH_CORE_COUNT);

/* `words` is empty, or names a member with a dot behind it. */
#define WORDS(type, words)                                                                                             \
    OPTIONAL_LIST(type, values, words values, numbers, "the words"),                                                   \
        OPTIONAL_LIST(type, by_column, words by_column, numbers,                                                       \
                      "added to the values, times the place of the tile's column in the entry"),                       \
        OPTIONAL_LIST(type, by_row, words by_row, numbers,                                                             \
                      "added to the values, times the place of the tile's row in the entry"),                          \
        OPTIONAL_LIST(type, each, words each, numbers, "the words of each tile one after the other, row by row")

static const struct schema_key words_keys[] = {
    REQUIRED(struct job_words, address, address, word_address, "where the first word goes, in bytes"),
    WORDS(struct job_words, ),
    OPTIONAL_LIST(struct job_words, by_chip, by_chip, numbers,
                  "added to the values, times the place of the chip in the entry's chips"),
};
static const struct schema_value words_entry = MAP(struct job_words, words_keys);
static const struct schema_value words = LIST(words_entry, 0, UINT32_MAX);

#define INPUT                                                                                                          \
    REQUIRED(struct job_input, file, file, path, "path of the .npy file"),                                             \
        REQUIRED(struct job_input, address, place.address, address, "where the tensor begins, in bytes"),              \
        REQUIRED(struct job_input, format, format, format, "format of the elements in memory"),                        \
        OPTIONAL(struct job_input, layout, layout, layout,                                                             \
                 "rows, or tiles of 32x32 elements; rows if it is not there")

#define OUTPUT                                                                                                         \
    OPTIONAL(struct job_output, file, file, path, "path of the .npy file that is written"),                            \
        OPTIONAL(struct job_output, expect, expect, path, "path of a .npy file that the tensor is compared with"),     \
        POINTER(struct job_output, tolerance, tolerance, tolerance,                                                    \
                "with expect: the largest difference, relative to magnitudes above 1, absolute below; bits are "       \
                "compared if it is not there"),                                                                        \
        REQUIRED(struct job_output, address, place.address, address, "where the tensor begins, in bytes"),             \
        REQUIRED_LIST(struct job_output, shape, shape, shape, "rows and columns"),                                     \
        REQUIRED(struct job_output, format, format, format, "format of the elements in memory"),                       \
        OPTIONAL(struct job_output, layout, layout, layout,                                                            \
                 "rows, or tiles of 32x32 elements; rows if it is not there")

/* What only tensors in DRAM have. */
#define PAGES(type)                                                                                                    \
    OPTIONAL(type, page, place.page, one_or_more,                                                                      \
             "bytes of a page of an interleaved tensor; a tile or a row if it is not there"),                          \
        OPTIONAL_LIST(type, channels, place.channels, channels,                                                        \
                      "channels that the pages go around; all if it is not there")

static const struct schema_key input_keys[] = {INPUT};
static const struct schema_key output_keys[] = {OUTPUT};
static const struct schema_key dram_input_keys[] = {INPUT, PAGES(struct job_input)};
static const struct schema_key dram_output_keys[] = {OUTPUT, PAGES(struct job_output)};
static const struct schema_value input = MAP(struct job_input, input_keys);
static const struct schema_value output = MAP(struct job_output, output_keys);
static const struct schema_value dram_input = MAP(struct job_input, dram_input_keys);
static const struct schema_value dram_output = MAP(struct job_output, dram_output_keys);
static const struct schema_value inputs = LIST(input, 0, UINT32_MAX);
static const struct schema_value outputs = LIST(output, 0, UINT32_MAX);
static const struct schema_value dram_inputs = LIST(dram_input, 0, UINT32_MAX);
static const struct schema_value dram_outputs = LIST(dram_output, 0, UINT32_MAX);

static const struct schema_key dram_keys[] = {
    OPTIONAL_LIST(struct job_dram, inputs, inputs, dram_inputs, "tensors written before anything starts"),
    OPTIONAL_LIST(struct job_dram, outputs, outputs, dram_outputs, "tensors read at the end"),
};
static const struct schema_value dram = MAP(struct job_dram, dram_keys);

static const struct schema_key arguments_keys[] = {
    REQUIRED_LIST(struct job_arguments, cores, cores, cores, "cores that have these arguments"),
    WORDS(struct job_arguments, words.),
};
static const struct schema_value arguments_entry = MAP(struct job_arguments, arguments_keys);
static const struct schema_value arguments = LIST(arguments_entry, 0, UINT32_MAX);

static const struct schema_key buffer_keys[] = {
    REQUIRED(struct metal_buffer, index, index, buffer_number, "number of the circular buffer"),
    REQUIRED(struct metal_buffer, address, address, aligned_address, "where it begins in L1, in bytes"),
    REQUIRED(struct metal_buffer, pages, pages, pages, "how many pages it has"),
    REQUIRED(struct metal_buffer, page, page, aligned_size, "bytes of a page"),
};
static const struct schema_value buffer = MAP(struct metal_buffer, buffer_keys);
static const struct schema_value buffers = LIST(buffer, 0, UINT32_MAX);

static const struct schema_key metal_layout_keys[] = {
    REQUIRED(
        struct metal_layout, form, form, form,
        "form of launch messages: 96 bytes (short), 112 (long), 112 of four kinds of cores (four), 128 (threaded)"),
    REQUIRED(struct metal_layout, end, end, aligned_address, "MEM_MAP_END"),
    REQUIRED(struct metal_layout, launch, launch, message_address, "address of the first launch message"),
    REQUIRED(struct metal_layout, go, go, message_address, "address of the first go message"),
    REQUIRED(struct metal_layout, go_index, go_index, message_address, "address of go_message_index"),
    REQUIRED(struct metal_layout, core_info, core_info, message_address, "address of core_info"),
};
static const struct schema_value metal_layout = MAP(struct metal_layout, metal_layout_keys);

static const struct schema_key launch_keys[] = {
    REQUIRED(struct job_launch, kind, kind, kind, "who starts programs: the host (direct), or tt-metal's firmware"),
    OPTIONAL_LIST(struct job_launch, firmware, firmware, programs, "an ELF for each of the five cores"),
    POINTER(struct job_launch, layout, layout, metal_layout, "where firmware that is not known has its mailboxes"),
    OPTIONAL(struct job_launch, times, times, one_or_more, "how often kernels are launched; once if it is not there"),
    OPTIONAL(struct job_launch, dispatch, dispatch, dispatch,
             "who sends launch messages: the host, or a dispatcher on the chip (device); the host if it is not there"),
};
static const struct schema_value launch = MAP(struct job_launch, launch_keys);

static const struct schema_key tile_keys[] = {
    OPTIONAL_LIST(struct job_tile, at, at, one_tile, "the tile, x and y of translated NoC coordinates"),
    OPTIONAL_LIST(struct job_tile, columns, columns, coordinates,
                  "in place of at: all tiles in these columns and in rows"),
    OPTIONAL_LIST(struct job_tile, rows, rows, coordinates, "with columns: the rows"),
    OPTIONAL_LIST(struct job_tile, programs, programs, any_programs, "an ELF for each core"),
    OPTIONAL_LIST(struct job_tile, start, start, any_cores,
                  "cores that are released, in this order; all that have a program if it is not there"),
    OPTIONAL_LIST(struct job_tile, words, words, words, "words written to L1 before anything starts"),
    OPTIONAL_LIST(struct job_tile, inputs, inputs, inputs, "tensors written before anything starts"),
    OPTIONAL_LIST(struct job_tile, outputs, outputs, outputs, "tensors read at the end"),
    OPTIONAL_LIST(struct job_tile, kernels, kernels, programs, "kernels that tt-metal's firmware launches"),
    OPTIONAL_LIST(struct job_tile, arguments, arguments, arguments, "unique run-time arguments of kernels"),
    OPTIONAL_LIST(struct job_tile, common_arguments, common_arguments, arguments,
                  "common run-time arguments of kernels"),
    OPTIONAL_LIST(struct job_tile, buffers, buffers, buffers, "circular buffers in L1"),
    OPTIONAL_LIST(struct job_tile, semaphores, semaphores, numbers, "initial values of semaphores 0, 1, ..."),
    OPTIONAL(struct job_tile, noc, noc, noc, "the NoC that the kernel of B was compiled for"),
};
static const struct schema_value tile = MAP(struct job_tile, tile_keys);
static const struct schema_value tiles = LIST(tile, 1, UINT32_MAX);

static const struct schema_key chips_keys[] = {
    REQUIRED_LIST(struct job_chips, chips, chips, chip_numbers, "the chips that the entry is about"),
    OPTIONAL_LIST(struct job_chips, tiles, tiles, tiles, "their tiles"),
    OPTIONAL(struct job_chips, dram, dram, dram, "their tensors in DRAM"),
};
static const struct schema_value chips_entry = MAP(struct job_chips, chips_keys);
static const struct schema_value chips = LIST(chips_entry, 1, UINT32_MAX);

static const struct schema_key job_keys[] = {
    OPTIONAL(struct job_file, description, description, text, "what the job computes"),
    OPTIONAL(struct job_file, board, board, board,
             "the chip's tiles: all (full, which it is if this is not there), or those of a board"),
    OPTIONAL(struct job_file, policy, policy, policy, "which mistakes of programs stop the job"),
    OPTIONAL(struct job_file, limit, limit, cycles, "emulated steps after which the job has failed"),
    OPTIONAL(struct job_file, launch, launch, launch, "how programs are started"),
    OPTIONAL(struct job_file, dram, dram, dram, "tensors in DRAM"),
    OPTIONAL_LIST(struct job_file, tiles, tiles, tiles, "tiles with their programs and data"),
    OPTIONAL(struct job_file, system, system, text,
             "several chips: the name of a system, or the path of a topology file"),
    OPTIONAL(struct job_file, latency, latency, latency, "with system: cycles that a link takes"),
    OPTIONAL_LIST(struct job_file, chips, chips, chips, "with system: chips with their tiles and tensors"),
};
const struct schema_value job_file_schema = MAP(struct job_file, job_keys);

enum bh_status job_file_load(const char *from, const char *content, struct job_file **job, struct bh_error *error)
{
    struct job_file *made = *job = calloc(1, sizeof *made);
    if (!made) {
        return fail(error, BH_ERROR_MEMORY, "%s: out of memory", from);
    }
    enum bh_status status = content ? schema_parse(from, content, &job_file_schema, made, &made->schema, error)
                                    : schema_load(from, &job_file_schema, made, &made->schema, error);
    if (status != BH_OK) {
        job_file_free(made);
        *job = NULL;
    } else if (!made->limit) {
        made->limit = JOB_DEFAULT_LIMIT;
    }
    return status;
}

void job_file_free(struct job_file *job)
{
    if (job) {
        schema_free(job->schema);
        free(job);
    }
}

enum bh_status job_file_has_no_tiles(const struct job_file *job, struct bh_error *error)
{
    struct schema_words allowed = schema_allowed(&tiles);
    return schema_fail(job->schema, job, error, BH_ERROR_FORMAT, "tiles is missing; it has to be %s", allowed.text);
}
