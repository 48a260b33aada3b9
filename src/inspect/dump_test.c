/* bh_dump(): instructions bring a tile into a known state, dumps say what it is; they change nothing, and refuse what
   makes no sense. */
#include "../../tests/host/files.h"

#include "bhemu/dump.h"
#include "bhemu/observer.h"
#include "chip/device_fixture.h"
#include "chip/device_state.h"
#include "tensix/units/execute.h"
#include "util/bits.h"

enum { X = 1, Y = 2, PROGRAM = 0x1000, OUTPUT = 1 << 20 };

static char output[OUTPUT];
static size_t length;
static struct bh_error error;

static void take(void *context, const void *bytes, size_t size)
{
    assert_true(length + size < sizeof output);
    memcpy(output + length, bytes, size);
    length += size;
    output[length] = 0;
}

static bool where(void *context, unsigned x, unsigned y, const struct bh_place *place, char *buffer, unsigned size)
{
    return snprintf(buffer, size, "%s of %u-%u at %x", bh_agent_name(place->agent), x, y, place->pc) > 0;
}

static enum bh_status dump(struct fixture *fixture, const char *request, enum bh_dump_form form)
{
    static const struct bh_tile tile = {X, Y};
    const struct bh_dump what = {.request = request, .form = form, .tiles = &tile, .tile_count = 1};
    length = 0;
    output[0] = 0;
    return bh_dump(fixture->device, &what, take, NULL, &error);
}

static void dumped(struct fixture *fixture, const char *request, enum bh_dump_form form)
{
    if (dump(fixture, request, form) != BH_OK) {
        fail_msg("%s: %s", request, error.text);
    }
}

static void has(const char *text)
{
    if (!memmem(output, length, text, strlen(text))) {
        fail_msg("'%s' is not in:\n%.3000s", text, output);
    }
}

/* The tile's coprocessor. */
static struct tensix *tensix_of(struct fixture *fixture)
{
    unsigned index;
    assert_int_equal(bh_write(fixture->device, X, Y, 0, &(uint32_t){0}, 4), BH_OK);
    assert_true(tensix_index(X, Y, &index));
    return &fixture->device->tiles[index].tensix;
}

#define RUN(tensix, thread, name, ...)                                                                                 \
    assert_int_equal(execute_##name(tensix, thread, (struct args_##name){__VA_ARGS__}), STEP_DONE)

enum { FP16 = 1, BF16 = 2, FP32 = 3, INT32 = 4, INT16 = 8, INT8_COMP = 13 }; /* SFPSTORE.md */
enum { LOAD_BF16 = 0, LOAD_SHORT = 4, LOAD_UPPER = 8, LOAD_LOWER = 10 };     /* SFPLOADI.md */

/* As ZEROACC leaves it. */
static struct dst_register_file *cleared_dst(struct fixture *fixture)
{
    struct dst_register_file *dst = &tensix_of(fixture)->state->dst;
    memset(dst->valid, 0, sizeof dst->valid);
    return dst;
}

/* LReg 0 goes to even columns of four rows. */
static void store(struct tensix *tensix, unsigned mode, unsigned row)
{
    RUN(tensix, 0, SFPSTORE, .lreg_ind = 0, .instr_mod0 = mode, .dest_reg_addr = row);
}

static void dst_holds_what_the_vector_unit_stored(void **context)
{
    struct fixture *fixture = *context;
    struct tensix *tensix = tensix_of(fixture);
    RUN(tensix, 0, SFPLOADI, .lreg_ind = 0, .instr_mod0 = LOAD_BF16, .imm16 = 0xbfc0);
    store(tensix, BF16, 0);
    store(tensix, FP16, 4);
    dumped(fixture, "dst 2 1 bf16", BH_DUMP_JSON);
    has("\"rows\":[[-1.5,0,-1.5,0,-1.5,0,-1.5,0,-1.5,0,-1.5,0,-1.5,0,-1.5,0]]");
    dumped(fixture, "dst 5,1,FP16", BH_DUMP_JSON);
    has("\"format\":\"fp16\",\"first_row\":5,\"rows\":[[-1.5,0,-1.5,0,");
    dumped(fixture, "dst 0 4 bits16", BH_DUMP_TEXT);
    has("   0: bfc0 0000 bfc0 0000 ");
    store(tensix, FP32, 64);
    dumped(fixture, "dst 64 1 fp32", BH_DUMP_JSON);
    has("[[-1.5,0,-1.5,0,");
    RUN(tensix, 0, SFPLOADI, .lreg_ind = 0, .instr_mod0 = LOAD_SHORT, .imm16 = 0xfffe);
    store(tensix, INT32, 128);
    dumped(fixture, "dst 128 1 twos32", BH_DUMP_JSON);
    has("\"rows\":[[-2,0,-2,0,");
    RUN(tensix, 0, SFPLOADI, .lreg_ind = 0, .instr_mod0 = LOAD_UPPER, .imm16 = 0x8000);
    RUN(tensix, 0, SFPLOADI, .lreg_ind = 0, .instr_mod0 = LOAD_LOWER, .imm16 = 300);
    store(tensix, INT32, 128);
    store(tensix, INT16, 16);
    store(tensix, INT8_COMP, 20);
    dumped(fixture, "dst 128 1 int32", BH_DUMP_JSON);
    has("\"rows\":[[-300,0,-300,0,");
    dumped(fixture, "dst 16 1 int16", BH_DUMP_JSON);
    has("\"rows\":[[-300,0,-300,0,");
    dumped(fixture, "dst 20 1 int8", BH_DUMP_JSON);
    has("\"rows\":[[-300,0,-300,0,");
}

/* Row 20 of 32 bits is in rows 36 and 44 of 16 bits: Dst.md. */
static void rows_of_32_bits_are_where_the_documentation_has_them(void **context)
{
    struct fixture *fixture = *context;
    struct dst_register_file *dst = cleared_dst(fixture);
    dst->rows[36][3] = dst_high_cell(0x40490fdb);
    dst->rows[44][3] = dst_low_cell(0x40490fdb);
    dst->valid[36] = 1;
    dumped(fixture, "dst 20 1 bits32", BH_DUMP_TEXT);
    has(" 20: 00000000 00000000 00000000 40490fdb 00000000");
    dumped(fixture, "dst fp32", BH_DUMP_TEXT);
    has("    0 to 19: cleared\n      20:");
    has("\n    21 to 511: cleared\n");
    has(" 3.1415927 ");
    dst->only_row32 = true;
    dumped(fixture, "dst 20 1 bits16", BH_DUMP_TEXT);
    has("bit 11 of DBG_FEATURE_DISABLE");
    has(" 20: 0000 0000 0000 4049 0000");
}

static uint32_t element(unsigned row, unsigned column)
{
    enum { HEADER = 128, SIDE = 32 };
    uint32_t value;
    memcpy(&value, output + HEADER + 4 * (SIDE * row + column), sizeof value);
    return value;
}

static void tiles_are_put_together_from_faces(void **context)
{
    struct fixture *fixture = *context;
    struct dst_register_file *dst = cleared_dst(fixture);
    for (unsigned row = 64; row < 128; row++) {
        for (unsigned column = 0; column < 16; column++) {
            dst->rows[row][column] = dst_from_hardware((uint16_t)(100 * row + column));
        }
        dst->valid[row] = 1;
    }
    dumped(fixture, "dst tiles 1 1 uint16", BH_DUMP_NPY);
    assert_int_equal(length, 128 + 4096);
    assert_memory_equal(output, "\x93NUMPY\1\0\x76\0{'descr': '<u4', 'fortran_order': False, 'shape': (1, 32, 32), }",
                        74);
    assert_int_equal(element(0, 0), 6400);
    assert_int_equal(element(3, 17), 100 * (64 + 16 + 3) + 1);
    assert_int_equal(element(18, 5), 100 * (64 + 32 + 2) + 5);
    assert_int_equal(element(31, 31), 100 * 127 + 15);
    dumped(fixture, "dst tile 1 1 uint16", BH_DUMP_TEXT);
    has("tile 1 row 18:");
    dumped(fixture, "dst tiles uint16", BH_DUMP_TEXT);
    has("    0: cleared\n    tile 1 row  0:");
    has("    2 to 15: cleared\n");
}

static void src_has_two_banks_with_owners(void **context)
{
    struct fixture *fixture = *context;
    struct tensix_state *state = tensix_of(fixture)->state;
    state->srcb.rows[1][63][15] = 0xbf800000;
    state->srcb.owner[1] = SRC_MATRIX_UNIT;
    state->srcb.format[1] = FORMAT_TF32;
    dumped(fixture, "srcb bank 1", BH_DUMP_TEXT);
    has("owner matrix unit\n      implied_format TF32\n      format tf32\n");
    has("      0 to 62: zeroes\n");
    assert_null(strstr(output, "    bank 0"));
    dumped(fixture, "srcb 63 1 bf16", BH_DUMP_JSON);
    has("\"bank\":0,\"owner\":\"unpackers\"");
    has("\"bank\":1,\"owner\":\"matrix unit\",\"implied_format\":\"TF32\",\"format\":\"bf16\",\"first_row\":63,"
        "\"rows\":[[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-1]]");
    dumped(fixture, "srcb 63 1", BH_DUMP_NPY);
    has("(2, 16)");
    dumped(fixture, "srcb bank 1 60 4", BH_DUMP_NPY);
    has("(4, 16)");
    assert_int_equal(length, 128 + 4 * 64);
    assert_memory_equal(output + length - 4, "\0\0\x80\xbf", 4);
    dumped(fixture, "srcb bank 0", BH_DUMP_NPY);
    has("(64, 16)");
}

/* A tile of BFP8: 64 exponents, then signs and mantissas of seven bits (ISA documentation, BlockFloat). */
static void l1_is_read_as_unpackers_do(void **context)
{
    enum { DATA = 0x20000 };
    struct fixture *fixture = *context;
    static uint8_t bytes[64 + 1024];
    memset(bytes, 127, 64);
    bytes[33] = 128;                  /* face 2, row 1 */
    bytes[64 + 16 * 33 + 2] = 0x60;   /* 1.5 * 2 */
    bytes[64 + 1023] = 0x80 | 1 << 6; /* -1 */
    assert_int_equal(bh_write(fixture->device, X, Y, DATA, bytes, sizeof bytes), BH_OK);
    dumped(fixture, "l1 0x20000 1 tile BFP8", BH_DUMP_JSON);
    has("\"l1\":{\"address\":131072,\"format\":\"bfp8\",\"first_tile\":0,\"tiles\":[[[0,0,");
    has("[0,0,3,0,0,");
    has(",0,0,-1]]]}}]}");
    dumped(fixture, "l1 0x20000 1 tile bfp8", BH_DUMP_NPY);
    assert_int_equal(element(17, 2), 0x40400000);
    assert_int_equal(element(31, 31), 0xbf800000);
    const uint8_t data[] = {0x38, 0xb8, 0x85, 0x7f};
    assert_int_equal(bh_write(fixture->device, X, Y, DATA, data, sizeof data), BH_OK);
    dumped(fixture, "l1 131072 1 e4m3", BH_DUMP_JSON);
    has("\"format\":\"e4m3\",\"first_row\":0,\"rows\":[[1,-1,");
    dumped(fixture, "l1 131072 1 fp8", BH_DUMP_JSON);
    has("\"rows\":[[0.5,-0.5,");
    dumped(fixture, "l1 131072 1 int8", BH_DUMP_JSON);
    has("\"rows\":[[56,-56,-5,127,");
    dumped(fixture, "l1 131072 1 uint8", BH_DUMP_JSON);
    has("\"rows\":[[56,184,133,127,");
    dumped(fixture, "l1 131072 1 uint16", BH_DUMP_JSON);
    has("\"rows\":[[47160,32645,");
    dumped(fixture, "l1 131072 1 bits32", BH_DUMP_TEXT);
    has("   0: 7f85b838 ");
    dumped(fixture, "l1 131072 2 twos32", BH_DUMP_NPY);
    has("(2, 16)");
    dumped(fixture, "l1 0x17ffc0 1 fp32", BH_DUMP_TEXT);
}

static void lregs_have_lanes_and_flags(void **context)
{
    struct fixture *fixture = *context;
    struct tensix *tensix = tensix_of(fixture);
    RUN(tensix, 0, SFPLOADI, .lreg_ind = 2, .instr_mod0 = LOAD_SHORT, .imm16 = 0xfffe);
    dumped(fixture, "lregs 2 1 int32", BH_DUMP_JSON);
    has("\"format\":\"int32\",\"first\":2,\"lregs\":[[-2,-2,-2,");
    dumped(fixture, "lregs int32", BH_DUMP_TEXT);
    has("15 lanes  8 to 15:          16          18          20 "); /* twice the lane's number */
    has("lane_flags 0x");
    tensix->state->vector.load_macro.instruction_template[2][4] = 0x84000000;
    tensix->state->vector.load_macro.sequence[2][4] = 0x77;
    dumped(fixture, "lregs", BH_DUMP_JSON);
    has("\"load_macro\":[{\"macro\":2,\"lanes\":16,\"template\":2214592512,\"instruction\":\"SFPMAD ");
    dumped(fixture, "lregs", BH_DUMP_NPY);
    has("'<f4'");
    has("(17, 32)");
}

static void units_have_their_counters(void **context)
{
    struct fixture *fixture = *context;
    struct tensix *tensix = tensix_of(fixture);
    RUN(tensix, 1, SEMINIT, .max_value = 7, .init_value = 3, .sem_sel = 1 << 5);
    RUN(tensix, 2, ATGETM, .mutex_index = 3);
    RUN(tensix, 1, SETDMAREG, .Payload_SigSel = 0x1234 & 0x3fff, .RegIndex16b = 2 * 9);
    RUN(tensix, 0, SETRWC, .rwc_b = 3, .rwc_a = 2, .BitMask = 3);
    RUN(tensix, 2, SETADC, .CntSetMask = 4, .ChannelIndex = 1, .DimensionIndex = 1, .Value = 17);
    dumped(fixture, "semaphores", BH_DUMP_JSON);
    has("{\"number\":5,\"value\":3,\"max\":7}");
    dumped(fixture, "mutexes", BH_DUMP_JSON);
    has("{\"number\":2,\"owner\":null,\"waiting\":null},{\"number\":3,\"owner\":\"T2\",\"waiting\":null}");
    dumped(fixture, "gprs T1", BH_DUMP_JSON);
    has("\"gprs\":{\"T1\":{\"gpr0\":0,");
    has("\"gpr9\":4660,\"gpr10\":0");
    dumped(fixture, "rwcs T0", BH_DUMP_JSON);
    has("\"rwcs\":[{\"thread\":\"T0\",\"srca\":2,\"srcb\":3,\"dst\":0,");
    dumped(fixture, "adcs", BH_DUMP_JSON);
    has("{\"thread\":\"T2\",\"unit\":\"packer\",\"channel\":1,\"x\":0,\"y\":17,");
}

static void config_has_the_names_of_the_table(void **context)
{
    struct fixture *fixture = *context;
    struct tensix *tensix = tensix_of(fixture);
    RUN(tensix, 1, SETC16, .setc16_reg = CFG_STATE_ID_StateID_ADDR32, .setc16_value = 1);
    config_write(tensix, 1, ALU_FORMAT_SPEC_REG_SrcA_val_ADDR32, 5u << ALU_FORMAT_SPEC_REG_SrcA_val_SHAMT, UINT32_MAX);
    dumped(fixture, "config", BH_DUMP_JSON);
    has("\"bank_of_T0\":0,\"bank_of_T1\":1,\"bank_of_T2\":0,");
    has("{\"name\":\"ALU_FORMAT_SPEC_REG_SrcA_val\",\"word\":0,\"shift\":0,\"width\":4,\"bank0\":0,\"bank1\":5}");
    has("{\"name\":\"CFG_STATE_ID_StateID\",\"word\":0,\"shift\":0,\"width\":1,\"T0\":0,\"T1\":1,\"T2\":0}");
    dumped(fixture, "config SrcA_val ReluThreshold", BH_DUMP_JSON);
    has("\"name\":\"STACC_RELU_ReluThreshold\"");
    assert_null(strstr(output, "CFG_STATE_ID_StateID"));
}

static void mop_and_replay_are_disassembled(void **context)
{
    struct fixture *fixture = *context;
    struct frontend *frontend = &tensix_of(fixture)->state->frontend[1];
    frontend->mop.config[5] = 0x26014000;
    frontend->replay.words[31] = 0x26014000;
    (void)fifo_push(&frontend->fifo, 0x02000000, 0x1234);
    dumped(fixture, "mop T1", BH_DUMP_JSON);
    has("{\"word\":5,\"template0\":\"InsnA2\",\"template1\":\"LoopOp\",\"value\":637616128,\"instruction\":\"MVMUL ");
    dumped(fixture, "replay T1", BH_DUMP_TEXT);
    has("31     0x26014000  MVMUL clear_dvalid=0, instr_mod19=0, addr_mode=5, dst=0");
    dumped(fixture, "fifos", BH_DUMP_TEXT);
    has("T1      FIFO   0x00001234  0x02000000  NOP");
    const struct bh_tile tile = {X, Y};
    const struct bh_dump what = {.request = "fifos", .tiles = &tile, .tile_count = 1, .source = where};
    length = 0;
    assert_int_equal(bh_dump(fixture->device, &what, take, NULL, &error), BH_OK);
    has("NOP          thread of 1-2 at 1234");
    (void)fifo_push(&frontend->fifo, 0x42000000, 0x1238); /* UNPACR, which has more fields than others */
    length = 0;
    assert_int_equal(bh_dump(fixture->device, &what, take, NULL, &error), BH_OK);
    has("NOP          thread of 1-2 at 1234");
    has("Last=0  thread of 1-2 at 1238");
}

static void stream_counters_are_circular_buffers(void **context)
{
    struct fixture *fixture = *context;
    enum { STREAM_9 = 0xffb40000 + 9 * 0x1000 };
    tensix_of(fixture);
    assert_int_equal(bh_write(fixture->device, X, Y, STREAM_9 + 4 * 8, &(uint32_t){0xffff}, 4), BH_OK);
    assert_int_equal(bh_write(fixture->device, X, Y, STREAM_9 + 4 * 10, &(uint32_t){2}, 4), BH_OK);
    dumped(fixture, "cbs", BH_DUMP_JSON);
    has("\"cbs\":[{\"number\":null,\"stream\":9,\"pushed\":2,\"popped\":65535,\"held\":3,\"address\":null,");
}

static void counters_of_nius_have_names(void **context)
{
    struct fixture *fixture = *context;
    struct tile *tile = (struct tile *)((char *)tensix_of(fixture) - offsetof(struct tile, tensix));
    tile->state->registers.niu[1].counter[NIU_MST_RD_REQ_SENT] = 12;
    tile->state->registers.niu[0].counter[NIU_MST_REQS_OUTSTANDING_ID + 3] = 2;
    tile->state->registers.niu[0].counter[NIU_SLV_POSTED_WR_REQ_STARTED] = 7;
    dumped(fixture, "niu", BH_DUMP_JSON);
    has("{\"name\":\"NIU_MST_RD_REQ_SENT\",\"id\":null,\"noc0\":0,\"noc1\":12}");
    has("{\"name\":\"NIU_MST_REQS_OUTSTANDING_ID\",\"id\":3,\"noc0\":2,\"noc1\":0}");
    has("{\"name\":\"NIU_SLV_POSTED_WR_REQ_STARTED\",\"id\":null,\"noc0\":7,\"noc1\":0}]");
}

/* T0 adds one to t1 over and over. */
static void start_counting(struct fixture *fixture)
{
    const uint32_t program[] = {addi(T1, T1, 1), jump(-4)};
    assert_int_equal(bh_write(fixture->device, X, Y, PROGRAM, program, sizeof program), BH_OK);
    assert_int_equal(bh_core_start(fixture->device, X, Y, BH_CORE_T0, PROGRAM), BH_OK);
}

static void cores_have_registers_and_places(void **context)
{
    struct fixture *fixture = *context;
    static const char *const cores[] = {"T0", "NC"};
    const struct bh_dump what = {
        .request = "cores", .cores = cores, .core_count = 2, .source = where, .title = "a test"};
    start_counting(fixture);
    assert_int_equal(bh_run(fixture->device, 20, NULL), BH_OK);
    length = 0;
    assert_int_equal(bh_dump(fixture->device, &what, take, NULL, &error), BH_OK);
    has("tile 1-2, clock 20, a test\n  cores\n    T0\n      state runs\n      pc 0x00001000\n"
        "      instruction addi t1,t1,1\n      source core of 1-2 at 1000\n      instructions 20\n");
    has("t1       0x0000000a");
    has("    NC\n      in reset\n");
    has(" mcycle ");
    has(" 0xb00   0x00000014\n");
    assert_null(strstr(output, "    B\n"));
}

/* An observer that dumps where T0 is about to jump for the third time. */
struct watch {
    struct fixture *fixture;
    unsigned jumps;
};

static void on_event(void *context, const struct bh_event *event)
{
    struct watch *watch = context;
    const struct bh_dump what = {.request = "cores T0", .event = event};
    if (event->place.pc == PROGRAM + 4 && ++watch->jumps == 3) {
        length = 0;
        assert_int_equal(bh_dump(watch->fixture->device, &what, take, NULL, &error), BH_OK);
    }
}

static void a_dump_in_a_callback_is_of_that_moment(void **context)
{
    struct watch watch = {.fixture = *context};
    const struct bh_observer observer = {
        .kinds = BH_EVENT_BIT(BH_EVENT_ISSUED), .on_event = on_event, .context = &watch};
    assert_int_equal(bh_device_add_observer(watch.fixture->device, &observer), BH_OK);
    start_counting(watch.fixture);
    assert_int_equal(bh_run(watch.fixture->device, 1000, NULL), BH_OK);
    assert_int_equal(bh_device_remove_observer(watch.fixture->device, &observer), BH_OK);
    assert_int_equal(watch.jumps, 500);
    has("tile 1-2, clock 5\n");
    has("pc 0x00001004\n");
    has("t1       0x00000003");
}

static void dumps_change_nothing(void **context)
{
    struct fixture *fixture = *context;
    struct tile_state *before = malloc(sizeof *before);
    start_counting(fixture);
    assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
    const struct tile_state *state =
        ((struct tile *)((char *)tensix_of(fixture) - offsetof(struct tile, tensix)))->state;
    memcpy(before, state, sizeof *before);
    for (enum bh_dump_form form = BH_DUMP_TEXT; form <= BH_DUMP_JSON; form++) {
        dumped(fixture, "all", form);
    }
    assert_memory_equal(before, state, sizeof *before);
    assert_int_equal(fixture->diagnostics, 0);
    free(before);
}

/* Cycles that bh_advance() has let pass are shown, and programs do not notice. */
static void dumps_between_small_steps_change_nothing(void **context)
{
    struct fixture *fixture = *context;
    start_counting(fixture);
    for (unsigned i = 0; i < 100; i++) {
        (void)bh_advance(fixture->device, 7);
        dumped(fixture, "cores T0", BH_DUMP_TEXT);
    }
    assert_int_equal(bh_run(fixture->device, 300, NULL), BH_OK);
    dumped(fixture, "cores T0", BH_DUMP_TEXT);
    has("tile 1-2, clock 1000\n");
    has("t1       0x000001f4"); /* 500 */
}

static void a_tile_that_nobody_used_is_empty(void **context)
{
    struct fixture *fixture = *context;
    const struct bh_dump what = {.request = "all"};
    length = 0;
    assert_int_equal(bh_dump_tiles(fixture->device, NULL, 0), 0);
    assert_int_equal(bh_dump(fixture->device, &what, take, NULL, &error), BH_OK);
    assert_int_equal(length, 0);
    dumped(fixture, "dst", BH_DUMP_TEXT);
    has("0 to 1023: zeroes");
}

static void what_makes_no_sense_is_refused(void **context)
{
    static const struct {
        const char *request, *why;
    } wrong[] = {
        {"", "no dump of ''"},
        {"dts", "no dump of 'dts'; there are cores, gprs, "},
        {"dst 5", "dst: how many rows from 5 on? '5 1' is one"},
        {"dst 0 0", "dst has 1024 rows: not 0 from 0 on"},
        {"dst 1020 5", "dst has 1024 rows: not 5 from 1020 on"},
        {"dst 512 1 fp32", "dst has 512 rows of fp32: not 1 from 512 on"},
        {"dst tiles 8 1 int32", "dst has 8 tiles of int32"},
        {"dst 4294967295 2", "dst has 1024 rows"},
        {"dst 99999999999 2", "'99999999999' is not understood"},
        {"dst -1 2", "'-1' is not understood"},
        {"dst 0 1 2", "more numbers"},
        {"dst fp64", "'fp64' is not understood, and no data format"},
        {"dst bits19", "dst does not hold bits19"},
        {"dst bank 1", "'bank' is not understood"},
        {"srca bank", "'' is no bank of srca"},
        {"srca bank 2", "'2' is no bank of srca; there are 0 and 1"},
        {"srcb uint32", "srcb does not hold uint32"},
        {"lregs bf16", "lregs does not hold bf16"},
        {"lregs 16 2", "lregs has 17 registers"},
        {"lregs tiles", "'tiles' is not understood"},
        {"l1", "l1: an address, how many rows of 16 or tiles, and a data format"},
        {"l1 0 1", "l1: an address, how many rows of 16 or tiles, and a data format"},
        {"l1 0 bf16", "l1: an address, how many rows of 16 or tiles, and a data format"},
        {"l1 0 1 bfp4", "l1: BFP4 has exponents of its own: only as tiles"},
        {"l1 0 1 raw32", "'raw32' is not understood, and no data format"},
        {"l1 0x180000 1 fp32", "l1: 1 rows at 0x180000: L1 has 0x180000 bytes"},
        {"l1 0x17ffc4 1 fp32", "l1: 1 rows at 0x17ffc4"},
        {"l1 0 4294967295 tiles fp32", "l1: 4294967295 tiles at 0x0"},
        {"l1 0 0 fp32", "l1: 0 rows"},
        {"semaphores 3", "'3' is not understood"},
        {"all bf16", "'bf16' is not understood"},
    };
    for (unsigned i = 0; i < COUNT_OF(wrong); i++) {
        assert_int_equal(dump(*context, wrong[i].request, BH_DUMP_TEXT), BH_ERROR_ARGUMENT);
        assert_int_equal(length, 0);
        if (!strstr(error.text, wrong[i].why)) {
            fail_msg("'%s': %s", wrong[i].request, error.text);
        }
        assert_int_equal(bh_dump_check(wrong[i].request, BH_DUMP_TEXT, &error), BH_ERROR_ARGUMENT);
    }
    assert_int_equal(dump(*context, "config", BH_DUMP_NPY), BH_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "config is no array"));
    assert_int_equal(bh_dump_check("all", BH_DUMP_NPY, NULL), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_dump_check("dst", BH_DUMP_NPY, NULL), BH_OK);
}

static void long_requests_are_refused_or_read(void **context)
{
    enum { LONG = 3000 };
    char text[LONG + 1];
    memset(text, 'a', LONG);
    text[LONG] = 0;
    assert_int_equal(bh_dump_check(text, BH_DUMP_TEXT, &error), BH_ERROR_ARGUMENT);
    text[1500] = 0;
    assert_int_equal(bh_dump_check(text, BH_DUMP_TEXT, &error), BH_ERROR_ARGUMENT);
    memcpy(text, "config ", 7);
    for (unsigned i = 7; i < 1500; i++) {
        text[i] = i % 2 ? 'x' : ' ';
    }
    assert_int_equal(bh_dump_check(text, BH_DUMP_TEXT, &error), BH_ERROR_ARGUMENT); /* too many fields */
    memcpy(text, "dst    \t , , \n", 15);
    assert_int_equal(bh_dump_check(text, BH_DUMP_TEXT, &error), BH_OK);
    assert_int_equal(bh_dump_check(NULL, BH_DUMP_TEXT, &error), BH_ERROR_ARGUMENT);
}

static void add_text(void *context, const char *text)
{
    take(context, text, strlen(text));
}

static void text_of_a_tile_comes_in_pieces(void **context)
{
    struct fixture *fixture = *context;
    static const char *const cores[] = {"T3"};
    const struct bh_tile tiles[] = {{1, 2}, {2, 2}, {0, 0}};
    struct bh_dump what = {.request = "dst", .tiles = tiles, .tile_count = 2, .form = BH_DUMP_NPY};
    length = 0;
    assert_int_equal(bh_dump_text(fixture->device, X, Y, "all", add_text, NULL, &error), BH_OK);
    assert_int_equal(strncmp(output, "tile 1-2, clock 0\n  cores\n", 26), 0);
    assert_int_equal(bh_dump_text(fixture->device, 8, 0, "all", add_text, NULL, &error), BH_ERROR_ARGUMENT);
    assert_string_equal(error.text, "there is no Tensix tile at 8-0");
    assert_int_equal(bh_dump_text(fixture->device, 257, 2, "all", add_text, NULL, &error), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_dump_text(fixture->device, X, Y, "all", NULL, NULL, NULL), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_dump(fixture->device, &what, take, NULL, &error), BH_ERROR_ARGUMENT);
    assert_string_equal(error.text, "a .npy file is of one tile, not of 2");
    what = (struct bh_dump){.request = "dst", .tiles = tiles, .tile_count = 3};
    assert_int_equal(bh_dump(fixture->device, &what, take, NULL, &error), BH_ERROR_ARGUMENT);
    what = (struct bh_dump){.request = "cores", .cores = cores, .core_count = 1};
    assert_int_equal(bh_dump(fixture->device, &what, take, NULL, &error), BH_ERROR_ARGUMENT);
    assert_string_equal(error.text, "no core 'T3'; there are B, T0, T1, T2, NC");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(dst_holds_what_the_vector_unit_stored),
        TEST(rows_of_32_bits_are_where_the_documentation_has_them),
        TEST(tiles_are_put_together_from_faces),
        TEST(src_has_two_banks_with_owners),
        TEST(l1_is_read_as_unpackers_do),
        TEST(lregs_have_lanes_and_flags),
        TEST(units_have_their_counters),
        TEST(config_has_the_names_of_the_table),
        TEST(mop_and_replay_are_disassembled),
        TEST(stream_counters_are_circular_buffers),
        TEST(counters_of_nius_have_names),
        TEST(cores_have_registers_and_places),
        TEST(a_dump_in_a_callback_is_of_that_moment),
        TEST(dumps_change_nothing),
        TEST(dumps_between_small_steps_change_nothing),
        TEST(a_tile_that_nobody_used_is_empty),
        TEST(what_makes_no_sense_is_refused),
        TEST(long_requests_are_refused_or_read),
        TEST(text_of_a_tile_comes_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
