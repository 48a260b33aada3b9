/* Names of events and their parts: bh_event_name() and the like. */
#include "bhemu/event.h"
#include "util/bits.h"

const char *bh_event_name(enum bh_event_kind kind)
{
    static const char *const names[BH_EVENT_KINDS] = {
        [BH_EVENT_ISSUED] = "issued",           [BH_EVENT_RETIRED] = "retired",
        [BH_EVENT_REGISTER] = "register",       [BH_EVENT_ACCESS] = "access",
        [BH_EVENT_WAIT_BEGAN] = "wait began",   [BH_EVENT_WAIT_ENDED] = "wait ended",
        [BH_EVENT_SEMAPHORE] = "semaphore",     [BH_EVENT_MUTEX] = "mutex",
        [BH_EVENT_SRC_BANK] = "Src bank",       [BH_EVENT_NOC_SENT] = "NoC sent",
        [BH_EVENT_NOC_ARRIVED] = "NoC arrived", [BH_EVENT_NOC_ACKNOWLEDGED] = "NoC acknowledged",
        [BH_EVENT_OCCUPIED] = "occupied",       [BH_EVENT_OPERAND] = "operand",
    };
    return (unsigned)kind < COUNT_OF(names) ? names[kind] : NULL;
}

const char *bh_agent_name(enum bh_agent agent)
{
    static const char *const names[BH_AGENTS] = {
        [BH_AGENT_HOST] = "host",
        [BH_AGENT_CORE] = "core",
        [BH_AGENT_THREAD] = "thread",
        [BH_AGENT_UNPACKER] = "unpacker",
        [BH_AGENT_PACKER] = "packer",
        [BH_AGENT_MOVER] = "mover",
        [BH_AGENT_SCALAR] = "scalar unit",
        [BH_AGENT_NIU] = "NIU",
        [BH_AGENT_STREAM] = "stream",
        [BH_AGENT_RECORDER] = "recorder",
        [BH_AGENT_ETHERNET] = "Ethernet queues",
        [BH_AGENT_DMA] = "GDDR DMA",
    };
    return (unsigned)agent < COUNT_OF(names) ? names[agent] : NULL;
}

const char *bh_wait_name(enum bh_wait_reason reason)
{
    static const char *const names[BH_WAIT_REASONS] = {
        [BH_WAIT_NONE] = "nothing",      [BH_WAIT_STALLWAIT] = "STALLWAIT", [BH_WAIT_SEMWAIT] = "SEMWAIT",
        [BH_WAIT_STREAM] = "STREAMWAIT", [BH_WAIT_SRC_BANK] = "Src bank",   [BH_WAIT_MUTEX] = "mutex",
        [BH_WAIT_MEMORY] = "memory",     [BH_WAIT_UNIT] = "unit",           [BH_WAIT_FIFO] = "instruction FIFO",
        [BH_WAIT_MAILBOX] = "mailbox",   [BH_WAIT_PCBUF] = "PCBuf",         [BH_WAIT_TTSYNC] = "TTSync",
        [BH_WAIT_NOC] = "NoC",           [BH_WAIT_REGISTER] = "register",
    };
    return (unsigned)reason < COUNT_OF(names) ? names[reason] : NULL;
}

const char *bh_unit_name(enum bh_unit unit)
{
    static const char *const names[BH_UNITS] = {
        [BH_UNIT_FRONTEND] = "frontend", [BH_UNIT_SYNC] = "sync",     [BH_UNIT_SCALAR] = "scalar",
        [BH_UNIT_CONFIG] = "config",     [BH_UNIT_ADDR] = "addr",     [BH_UNIT_UNPACK] = "unpack",
        [BH_UNIT_MATRIX] = "matrix",     [BH_UNIT_VECTOR] = "vector", [BH_UNIT_PACK] = "pack",
        [BH_UNIT_MOVER] = "mover",
    };
    return (unsigned)unit < COUNT_OF(names) ? names[unit] : NULL;
}

const char *bh_operand_name(enum bh_operand_file file)
{
    static const char *const names[BH_OPERAND_FILES] = {
        [BH_OPERAND_GPR] = "GPR",
        [BH_OPERAND_CONFIG] = "Config",
        [BH_OPERAND_THREAD_CONFIG] = "ThreadConfig",
        [BH_OPERAND_DST] = "Dst",
        [BH_OPERAND_SRCA] = "SrcA",
        [BH_OPERAND_SRCB] = "SrcB",
        [BH_OPERAND_LREG] = "LReg",
        [BH_OPERAND_MOP] = "MOP",
        [BH_OPERAND_LANE_FLAGS] = "lane flags",
        [BH_OPERAND_REPLAY] = "replay buffer",
    };
    return (unsigned)file < COUNT_OF(names) ? names[file] : NULL;
}
