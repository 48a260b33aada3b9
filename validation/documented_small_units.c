/* Sync Unit, Configuration Unit, Scalar Unit and Miscellaneous Unit. */
#include <stdio.h>

#include "validation/documented.h"

/* How many instructions all threads do in a cycle, each with a pattern of its own or all with the same. */
static double rate_of_threads(const char *const pattern[THREADS])
{
    const struct thread_work work[THREADS] = {
        {.pattern = pattern[0]}, {.pattern = pattern[1]}, {.pattern = pattern[2]}};
    unsigned all = length_of(pattern[0]) + length_of(pattern[1]) + length_of(pattern[2]);
    return all / cycles_of_round(work);
}

static double three_threads(const struct documented_figure *figure)
{
    const char *const pattern[THREADS] = {figure->text, figure->text, figure->text};
    return rate_of_threads(pattern);
}

static double mutexes_of_their_own(const struct documented_figure *figure)
{
    static const char *const pattern[THREADS] = {"ATGETM mutex_index=0; ATRELM mutex_index=0",
                                                 "ATGETM mutex_index=2; ATRELM mutex_index=2",
                                                 "ATGETM mutex_index=3; ATRELM mutex_index=3"};
    (void)figure;
    return rate_of_threads(pattern);
}

/* A thread acquires a mutex that it has, while another one tries to release it: how much longer that takes. */
static double mutex_in_turn(const struct documented_figure *figure)
{
    const struct thread_work work[THREADS] = {{.setup = figure->text, .pattern = figure->text},
                                              {.pattern = figure->other}};
    return cycles_of_round(work) - 1;
}

/* How many instructions have to be between one that writes a GPR and one that reads it, for the reader to get the new
   value: a thread's core looks at what WRCFG has written. The latency is one more. */
static double until_result(const struct documented_figure *figure)
{
    enum { CODE = 0x8000, RESULT = 0x120000, VALUE = 0x1234, FROM = 209, TO = 210, MOST = 32, TEXT = 1024 };
    static struct program program_room;
    struct program *program = &program_room;
    const struct place tile = {1, 2};
    uint32_t seen = 0;
    unsigned between = 0;
    for (; seen != VALUE && between < MOST; between++) {
        char text[TEXT];
        uint32_t words[MOST + 8];
        size_t length = (size_t)snprintf(text, sizeof text, "%s", figure->text);
        for (unsigned i = 0; i < between; i++) {
            length += (size_t)snprintf(text + length, sizeof text - length, ";NOP");
        }
        (void)snprintf(text + length, sizeof text - length, ";WRCFG GprAddress=8, CfgReg=%u", TO);
        unsigned count = assemble(text, words, MOST + 8);
        *program = (struct program){.address = CODE};
        emit_li(program, S1, 0xFFEF0000u + 4 * FROM);
        emit_li(program, S2, VALUE);
        emit_sw(program, S2, S1, 0);
        emit_lw(program, T0, S1, 0);
        RVI(ANDI, T0, T0, 0);
        for (unsigned turn = 0; turn < 64; turn++) {
            RVI(ADDI, ZERO, ZERO, 0);
        }
        uint32_t replay;
        (void)snprintf(text, sizeof text, "REPLAY len=%u, load_mode=1", count);
        (void)assemble(text, &replay, 1);
        emit_tensix(program, replay); /* so that the instructions follow each other */
        for (unsigned i = 0; i < count; i++) {
            emit_tensix(program, words[i]);
        }
        emit_tensix(program, replay & ~1u);
        emit_li(program, S3, 0xFFE80004u);
        emit_sw(program, ZERO, S3, 0);
        emit_lw(program, T1, S3, 0);
        RVI(ANDI, T1, T1, 0);
        RV(ADD, S1, S1, T1);
        emit_lw(program, S2, S1, 4 * (TO - FROM));
        emit_li(program, S3, RESULT);
        emit_sw(program, S2, S3, 0);
        emit_end(program);
        struct bh_device *device = machine_create();
        machine_load(device, tile, program);
        machine_start(device, tile, BH_CORE_T0, program);
        machine_run(device);
        seen = machine_word(device, tile, RESULT);
        bh_device_destroy(device);
    }
    return between;
}

/* The instruction in front occupies its stages; what is behind it takes one cycle. */
#define BEHIND(front) front "; RMWCIB0 Mask=0, CfgRegAddr=210"

/* GPRs: 0 to 3 hold L1 addresses in 16 bytes, 4 to 63 nothing. Index of its lower half: twice the register. */
#define ADDRESS "SETDMAREG Payload_SigSel=0x2000, RegIndex16b=0; SETDMAREG RegIndex16b=1"

const struct documented_figure documented_small_units[] = {
    {"D0045", measure_mean, "SEMINIT max_value=8, sem_sel=1; SEMPOST sem_sel=1; SEMGET sem_sel=1", 0, 0},
    {"D0046", three_threads, "STALLWAIT stall_res=0x40, wait_res=1", 0, 0},
    {"D0047", mutexes_of_their_own, 0, 0, 0},
    {"D0048", mutexes_of_their_own, 0, 0, 0},
    {"D0049", three_threads, "SEMPOST sem_sel=1; SEMGET sem_sel=1", 0, 0},
    {"D0050", mutex_in_turn, "ATGETM mutex_index=0", "ATRELM mutex_index=0", 0},
    {"D0051", measure_mean, "SETC16 setc16_reg=60", 0, 0},
    {"D0052", three_threads, "SETC16 setc16_reg=60", 0, 0},
    {"D0053", measure_beyond, BEHIND("WRCFG GprAddress=8, CfgReg=209"), 0, 1},
    {"D0054", measure_rate, "WRCFG GprAddress=8, CfgReg=209", 0, 0},
    {"D0055", measure_beyond, BEHIND("RMWCIB0 Mask=0, CfgRegAddr=209"), 0, 1},
    {"D0056", measure_rate, "RMWCIB0 Mask=0, CfgRegAddr=209", 0, 0},
    {"D0057", until_result, "RDCFG GprAddress=8, CfgReg=209", 0, 0},
    {"D0058", measure_beyond, BEHIND("CFGSHIFTMASK disable_mask_on_old_val=1, CfgReg=210"), 0, 1},
    {"D0059", measure_rate, "CFGSHIFTMASK disable_mask_on_old_val=1, CfgReg=210", 0, 0},
    {"D0060", measure_beyond, BEHIND("STREAMWRCFG StreamRegAddr=8, CfgReg=210"), 0, 1},
    {"D0061", three_threads, "RMWCIB0 Mask=0, CfgRegAddr=209", 0, 0},
    {"D0062", measure_mean, "REG2FLOP SizeSel=1, FlopIndex=20, RegIndex=8", 0, 0},
    {"D0063", measure_mean, "DMANOP", 0, 0},
    {"D0064", measure_mean, "SETDMAREG RegIndex16b=20", 0, 0},
    {"D0065", measure_mean, "SETDMAREG SetSignalsMode=1, RegIndex16b=20", 0, 0},
    {"D0066", measure_mean, "REG2FLOP SizeSel=1, FlopIndex=20, RegIndex=8", 0, 0},
    {"D0067", measure_mean, "FLUSHDMA FlushSpec=1", 0, 0},
    {"D0068a", measure_mean, "ADDDMAREG OpBisConst=1, ResultRegIndex=8, OpARegIndex=12", 0, 0},
    {"D0069a", measure_mean, "SUBDMAREG OpBisConst=1, ResultRegIndex=8, OpARegIndex=12", 0, 0},
    {"D0070a", measure_mean, "MULDMAREG OpBisConst=1, ResultRegIndex=8, OpARegIndex=12", 0, 0},
    {"D0071a", measure_mean, "CMPDMAREG OpBisConst=1, ResultRegIndex=8, OpARegIndex=12", 0, 0},
    {"D0072a", measure_mean, "BITWOPDMAREG OpBisConst=1, ResultRegIndex=8, OpARegIndex=12", 0, 0},
    {"D0073a", measure_mean, "SHIFTDMAREG OpBisConst=1, ResultRegIndex=8, OpARegIndex=12", 0, 0},
    {"D0068b", measure_mean, "ADDDMAREG ResultRegIndex=8, OpBRegIndex=14, OpARegIndex=12", 0, 0},
    {"D0069b", measure_mean, "SUBDMAREG ResultRegIndex=8, OpBRegIndex=14, OpARegIndex=12", 0, 0},
    {"D0070b", measure_mean, "MULDMAREG ResultRegIndex=8, OpBRegIndex=14, OpARegIndex=12", 0, 0},
    {"D0071b", measure_mean, "CMPDMAREG ResultRegIndex=8, OpBRegIndex=14, OpARegIndex=12", 0, 0},
    {"D0072b", measure_mean, "BITWOPDMAREG ResultRegIndex=8, OpBRegIndex=14, OpARegIndex=12", 0, 0},
    {"D0073b", measure_mean, "SHIFTDMAREG ResultRegIndex=8, OpBRegIndex=14, OpARegIndex=12", 0, 0},
    {"D0068c", measure_mean, "ADDDMAREG ResultRegIndex=8, OpBRegIndex=16, OpARegIndex=12", 0, 0},
    {"D0069c", measure_mean, "SUBDMAREG ResultRegIndex=8, OpBRegIndex=16, OpARegIndex=12", 0, 0},
    {"D0070c", measure_mean, "MULDMAREG ResultRegIndex=8, OpBRegIndex=16, OpARegIndex=12", 0, 0},
    {"D0071c", measure_mean, "CMPDMAREG ResultRegIndex=8, OpBRegIndex=16, OpARegIndex=12", 0, 0},
    {"D0072c", measure_mean, "BITWOPDMAREG ResultRegIndex=8, OpBRegIndex=16, OpARegIndex=12", 0, 0},
    {"D0073c", measure_mean, "SHIFTDMAREG ResultRegIndex=8, OpBRegIndex=16, OpARegIndex=12", 0, 0},
    {"D0074", measure_mean, "LOADIND SizeSel=1, OffsetIndex=40, DataRegIndex=8, AddrRegIndex=0", ADDRESS, 0},
    {"D0075", measure_mean, "LOADREG TdmaDataRegIndex=8, RegAddr=0x487c", 0, 0},
    {"D0076", measure_mean, "STOREIND MemHierSel=1, RegSizeSel=1, OffsetIndex=40, DataRegIndex=8, AddrRegIndex=0",
     ADDRESS, 0},
    {"D0077", measure_mean, "STOREREG TdmaDataRegIndex=8, RegAddr=0x8000", 0, 0},
    {"D0078", measure_mean, "ATSWAP SwapMask=0xf, DataRegIndex=8, AddrRegIndex=0", ADDRESS, 0},
    {"D0079", measure_mean, "ATINCGET WrapVal=31, DataRegIndex=8, AddrRegIndex=0", ADDRESS, 0},
    {"D0080", measure_mean, "ATINCGET WrapVal=31, DataRegIndex=8, AddrRegIndex=0", ADDRESS, 0},
    {"D0081", measure_mean, "ATCAS DataRegIndex=8, AddrRegIndex=0", ADDRESS, 0},
    {"D0082", measure_mean, "ATINCGETPTR NoIncr=1, WrapVal=4, Sel32b=1, DataRegIndex=8, AddrRegIndex=0", ADDRESS, 0},
    {"D0083", measure_mean, "LOADIND SizeSel=1, OffsetIndex=40, DataRegIndex=8, AddrRegIndex=0", ADDRESS, 0},
    {"D0084", measure_mean, "SETADC; SETADCXY; INCADCXY; ADDRCRXY; SETADCZW; INCADCZW; ADDRCRZW; SETADCXX", 0, 0},
    {0},
};
