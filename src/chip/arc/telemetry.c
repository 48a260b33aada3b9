/* Telemetry: a table of version, number of entries, and pairs of tag and index of the value; the values follow, each
   at the index that equals its tag. Sources: tt-zephyr-platforms bh_arc telemetry.c, aiclk_ppm.c (arbiters),
   throttler.c (which of them are enabled), fan_ctrl.c; P100A's and P150A's fw_table.txt (limits);
   tt_blackhole_smc.dtsi (clocks). */
#include "chip/arc/csm.h"
#include "chip/arc/firmware.h"
#include "util/bits.h"

enum { TABLE_VERSION = 0x100, TABLE_HEADER = 8 };

uint32_t arc_telemetry_place(const struct arc *arc, unsigned tag)
{
    return TELEMETRY + TABLE_HEADER + 4 * arc->firmware->tags + 4 * tag;
}

void arc_set_telemetry(struct arc *arc, enum telemetry_tag tag, uint32_t value)
{
    if (tag < arc->firmware->tags) {
        arc_store(arc, arc_telemetry_place(arc, tag), value);
    }
}

uint32_t arc_telemetry(const struct arc *arc, enum telemetry_tag tag)
{
    return arc_load(arc, arc_telemetry_place(arc, tag));
}

void arc_firmware_looked_at(struct arc *arc, uint32_t offset, uint32_t size)
{
    uint32_t heartbeat = arc_telemetry_place(arc, TIMER_HEARTBEAT);
    if (offset <= heartbeat && heartbeat < offset + size) {
        arc_set_telemetry(arc, TIMER_HEARTBEAT, arc_telemetry(arc, TIMER_HEARTBEAT) + 1);
    }
}

/* Arbiters of the clock: some demand a lower limit, others an upper one; of arbiters with equal demands the last one
   is reported. Arbiters of lower limits that are not listed demand the lowest clock, those of upper limits the
   highest. */
enum { MIN_FMIN, MIN_BUSY };
enum { MAX_FMAX, MAX_THM = 4, MAX_VOLTAGE = 6, MAX_GDDR_THM = 7, MAX_DOPPLER_SLOW = 8, MAX_HOST_FMAX = 10 };
enum reason { BY_MIN, BY_MAX, BY_FMIN, BY_FORCE = 4 };

struct wish {
    uint32_t clock, arbiter;
};

static uint32_t told(struct wish wish)
{
    return wish.clock | wish.arbiter << 16;
}

void arc_telemetry_clock(struct arc *arc)
{
    const struct arc_manager *manager = &arc->manager;
    bool limited = manager->clock_most && manager->clock_most <= AICLK_BUSY;
    struct wish least = {manager->busy ? AICLK_BUSY : AICLK_IDLE, MIN_BUSY};
    struct wish most = {AICLK_BUSY, MAX_DOPPLER_SLOW};
    if (limited) {
        most = (struct wish){manager->clock_most, MAX_HOST_FMAX};
    }
    uint32_t clock = least.clock, why = least.arbiter | BY_MIN << 16;
    if (manager->clock_least > clock) {
        clock = manager->clock_least;
        why = BY_FMIN << 16;
    }
    if (clock > most.clock) {
        clock = most.clock;
        why = most.arbiter | BY_MAX << 16;
    }
    if (manager->clock_forced) {
        clock = manager->clock_forced;
        why = BY_FORCE << 16;
    }
    uint32_t enabled = 1 << MAX_FMAX | 1 << MAX_THM | 1 << MAX_VOLTAGE | 1 << MAX_GDDR_THM | 1 << MAX_DOPPLER_SLOW;
    arc_set_telemetry(arc, AICLK, clock);
    arc_set_telemetry(arc, AICLK_ARB_MIN, told(least));
    arc_set_telemetry(arc, AICLK_ARB_MAX, told(most));
    arc_set_telemetry(arc, ENABLED_MIN_ARB, 1 << MIN_FMIN | 1 << MIN_BUSY);
    arc_set_telemetry(arc, ENABLED_MAX_ARB, enabled | (uint32_t)limited << MAX_HOST_FMAX);
    arc_set_telemetry(arc, AICLK_PPM_INFO, why);
}

/* Two bits for each DRAM channel of the board: training is complete; no error. The upper half has the same for the
   memory's self-test. */
static uint32_t gddr_status(const struct board *board)
{
    uint32_t trained = 0;
    for (unsigned i = 0; i < DRAM_CHANNELS; i++) {
        trained |= (uint32_t)(board->tiles.dram >> i & 1) << 2 * i;
    }
    return board->firmware->tests_gddr ? trained | trained << 16 : trained;
}

/* Ethernet tiles that are there, and in the upper half those whose links are up, as two p150a say
   (Knight-Ops/metalium-rs docs/learnings/ttsim-divergence.md, row 60). Without a link it is "Not Available yet". */
void arc_links_changed(struct arc *arc, const struct board *board, uint32_t up)
{
    arc_set_telemetry(arc, ETH_LIVE_STATUS, up << 16 | board->tiles.ethernet);
}

enum { GDDR_DEGREES = 40 };

/* One word for two channels: temperatures of bottom and top of each. */
static void boot_gddr_temperatures(struct arc *arc, const struct board *board)
{
    for (unsigned i = 0; i < DRAM_CHANNELS; i += 2) {
        uint32_t there = (board->tiles.dram >> i & 1) | (board->tiles.dram >> i & 2) << 15;
        arc_set_telemetry(arc, (enum telemetry_tag)(GDDR_0_1_TEMP + i / 2), there * (GDDR_DEGREES << 8 | GDDR_DEGREES));
    }
    arc_set_telemetry(arc, MAX_GDDR_TEMP, GDDR_DEGREES);
}

/* Made-up values of quantities that silicon measures. */
static void boot_fixed(struct arc *arc)
{
    static const struct {
        uint8_t tag;
        uint32_t value;
    } fixed[] = {
        {UPDATE_TELEM_SPEED, 100},
        {VCORE, VCORE_BOOT},
        {TDP, 25},
        {TDC, 33},
        {VDD_LIMITS, 900 << 16 | 700},
        {THM_LIMIT_SHUTDOWN, 110},
        {ASIC_TEMPERATURE, 40 << 16},
        {BOARD_TEMPERATURE, 0}, /* firmware has no way to read it */
        {AXICLK, 960},
        {ARCCLK, 800},
        {L2CPUCLK0, 800},
        {L2CPUCLK1, 800},
        {L2CPUCLK2, 800},
        {L2CPUCLK3, 800},
        {GDDR_SPEED, 16000},
        {FAN_SPEED, 35}, /* below 49 degrees */
        {FAN_RPM, 1500},
        {TIMER_HEARTBEAT, 1},
        {ENABLED_L2CPU, 0xf}, /* although these cores answer as absent hardware does */
        {NOC_TRANSLATION, 1},
        {BOARD_POWER_LIMIT, 300},
        {INPUT_POWER, 60},
        {TDC_LIMIT_MAX, 200},
        {THM_LIMIT_THROTTLE, 90},
        {AICLK_LIMIT_MAX, AICLK_BUSY},
        {TDP_LIMIT_MAX, TDP_LIMIT_OF_BOARD},
    };
    for (unsigned i = 0; i < COUNT_OF(fixed); i++) {
        arc_set_telemetry(arc, (enum telemetry_tag)fixed[i].tag, fixed[i].value);
    }
}

static void boot_table(struct arc *arc)
{
    static const struct {
        uint8_t entry, tag;
    } tags[] = {
#define TELEMETRY_TAG(entry, tag, name) {entry, tag},
#include "arc_firmware.def"
#undef TELEMETRY_TAG
    };
    arc_store(arc, TELEMETRY, TABLE_VERSION);
    arc_store(arc, TELEMETRY + 4, arc->firmware->tags);
    for (unsigned i = 0; i < COUNT_OF(tags); i++) {
        if (tags[i].entry < arc->firmware->entries) {
            arc_store(arc, TELEMETRY + TABLE_HEADER + 4 * tags[i].entry, (uint32_t)tags[i].tag << 16 | tags[i].tag);
        }
    }
}

void arc_telemetry_boot(struct arc *arc, const struct board *board)
{
    const struct firmware_bundle *firmware = arc->firmware;
    boot_table(arc);
    boot_fixed(arc);
    boot_gddr_temperatures(arc, board);
    arc_telemetry_clock(arc);
    arc_set_telemetry(arc, BOARD_ID_HIGH, (uint32_t)(board->chip.board_id >> 32));
    arc_set_telemetry(arc, BOARD_ID_LOW, (uint32_t)board->chip.board_id);
    arc_set_telemetry(arc, ASIC_ID_HIGH, (uint32_t)(board->chip.asic_id >> 32));
    arc_set_telemetry(arc, ASIC_ID_LOW, (uint32_t)board->chip.asic_id);
    arc_set_telemetry(arc, ASIC_LOCATION, board->chip.asic_location);
    arc_set_telemetry(arc, PCIE_USAGE, board->chip.pcie_usage);
    arc_set_telemetry(arc, GDDR_STATUS, gddr_status(board));
    arc_set_telemetry(arc, ETH_FW_VERSION, firmware->tells_ethernet && board->tiles.ethernet ? firmware->ethernet : 0);
    arc_set_telemetry(arc, GDDR_FW_VERSION, firmware->gddr);
    arc_set_telemetry(arc, DM_APP_FW_VERSION, firmware->dmc);
    arc_set_telemetry(arc, FLASH_BUNDLE_VERSION, firmware->bundle);
    arc_set_telemetry(arc, CM_FW_VERSION, firmware->smc);
    arc_set_telemetry(arc, TELEM_ENUM_COUNT, firmware->tags);
    arc_set_telemetry(arc, ENABLED_TENSIX_COL, board->tiles.tensix_columns);
    arc_set_telemetry(arc, ENABLED_ETH, board->tiles.ethernet);
    arc_set_telemetry(arc, ENABLED_GDDR, board->tiles.dram);
}
