/* The firmware's handlers of messages. Clocks, voltages and limits are those of telemetry, and follow the host's
   settings; the flash is blank; no device answers on the I2C buses; sensors show made up values. Sources:
   tt-zephyr-platforms smc_msg.h, msgqueue.h, and of bh_arc aiclk_ppm.c, asic_state.c, bh_power.c, cm2dm_msg.c, gddr.c,
   i2c_messages.c, pvt.c, regulator.c, reset.c, spi_eeprom.c, throttler.c, vf_curve.c, voltage.c; P150A's fw_table.txt;
   pvt_tt_bh_decoder.c. Messages that act on the rest of the chip are answered in device_manage.c. */
#include <stddef.h>

#include "chip/arc/csm.h"
#include "util/bits.h"

enum { STATUS_OK = 0, STATUS_REFUSED = 1, STATUS_NOT_ALLOWED = 2, STATUS_SCRATCH_ONLY = 0xfe, STATUS_UNKNOWN = 0xff };
enum { STATUS_BAD_ADDRESS = 0xea, STATUS_NOT_SUPPORTED = 134 }; /* Zephyr's -EINVAL and ENOTSUP, in a byte */

enum { CLOCK_LOWEST = 200, CLOCK_HIGHEST = 1400, CLOCK_FMAX_LOWEST = 800, CLOCK_FORCED = 2, CLOCK_FREE = 3 };
enum { VDD_LOWEST = 700, VDD_HIGHEST = 900, VCORE_ADDRESS = 0x64, VCOREM_ADDRESS = 0x65 };
enum { TDP_LOWEST = 50, WATCHDOG_FEED = 250, THROTTLERS = 11 };

static bool in(uint32_t value, uint32_t least, uint32_t most)
{
    return value >= least && value <= most;
}

static uint32_t busy_clock(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    arc->manager.busy = (request[0] & 0xff) == 0x52;
    arc_telemetry_clock(arc);
    return STATUS_OK;
}

/* Bits 11:8 of the first word: how many of the flags from bit 16 on are valid; flag 0 is AICLK. */
static uint32_t power_setting(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    if (request[0] >> 8 & 0xf) {
        arc->manager.busy = request[0] >> 16 & 1;
        arc_telemetry_clock(arc);
    }
    return STATUS_OK;
}

/* Frequency 0 ends the forcing. */
static uint32_t force_clock(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    if (request[1] != 0 && !in(request[1], CLOCK_LOWEST, CLOCK_HIGHEST)) {
        return STATUS_REFUSED;
    }
    arc->manager.clock_forced = request[1];
    arc_telemetry_clock(arc);
    return STATUS_OK;
}

static uint32_t get_clock(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    response[1] = arc_telemetry(arc, AICLK);
    response[2] = arc->manager.clock_forced ? CLOCK_FORCED : CLOCK_FREE;
    return STATUS_OK;
}

static uint32_t set_clock_limit(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    bool restore = request[2] & 1;
    if (!restore && !in(request[1], CLOCK_FMAX_LOWEST, CLOCK_HIGHEST)) {
        return STATUS_REFUSED;
    }
    arc->manager.clock_most = restore ? 0 : request[1];
    arc_telemetry_clock(arc);
    return STATUS_OK;
}

/* The only characterisation message emulated sets the lower limit of the clock; 1 removes the limit. */
static uint32_t characterise(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    bool least = (request[0] >> 8 & 0xff) == 1;
    if (!least || (request[1] != 1 && !in(request[1], CLOCK_LOWEST, CLOCK_HIGHEST))) {
        return STATUS_REFUSED;
    }
    arc->manager.clock_least = request[1] == 1 ? 0 : request[1];
    arc_telemetry_clock(arc);
    return STATUS_OK;
}

/* On silicon the clock changes at random during a sweep; here it stays. */
static uint32_t sweep_clock(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    return request[1] && request[2] ? STATUS_OK : STATUS_REFUSED;
}

static uint32_t set_voltage(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    switch (request[1]) {
    case VCORE_ADDRESS: arc_set_telemetry(arc, VCORE, request[2]); return STATUS_OK;
    case VCOREM_ADDRESS: arc->manager.vcorem = request[2]; return STATUS_OK;
    default: return STATUS_REFUSED;
    }
}

static uint32_t get_voltage(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    switch (request[1]) {
    case VCORE_ADDRESS: response[1] = arc_telemetry(arc, VCORE); return STATUS_OK;
    case VCOREM_ADDRESS: response[1] = arc->manager.vcorem ? arc->manager.vcorem : 850; return STATUS_OK;
    default: return STATUS_REFUSED;
    }
}

static uint32_t force_voltage(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    if (request[1] != 0 && !in(request[1], VDD_LOWEST, VDD_HIGHEST)) {
        return STATUS_REFUSED;
    }
    arc_set_telemetry(arc, VCORE, request[1] ? request[1] : VCORE_BOOT);
    return STATUS_OK;
}

/* Prepares for a reset: the clock becomes the idle one, the voltage that of the boot. */
static uint32_t enter_state_3(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    arc->manager.clock_forced = AICLK_IDLE;
    arc_telemetry_clock(arc);
    arc_set_telemetry(arc, VCORE, VCORE_BOOT);
    return STATUS_OK;
}

/* The voltage in mV that a clock needs: a parabola plus the board's margin of 25 mV, computed in units of 10^-8 mV. */
static int64_t voltage_of_clock(uint32_t clock)
{
    int64_t megahertz = clock < 100000 ? clock : 100000;
    return 31395 * megahertz * megahertz - 43953000 * megahertz + 85383000000;
}

static uint32_t voltage_curve(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    int64_t voltage = voltage_of_clock(request[1]);
    response[1] = voltage < 0 ? 0 : (uint32_t)(voltage / 100000000);
    return STATUS_OK;
}

static uint32_t clock_curve(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    uint32_t clock = AICLK_BUSY;
    while (clock >= AICLK_IDLE && voltage_of_clock(clock) > (int64_t)request[1] * 100000000) {
        clock--;
    }
    response[1] = clock;
    return STATUS_OK;
}

static uint32_t set_power_limit(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    uint32_t watts = request[2] & 1 ? TDP_LIMIT_OF_BOARD : request[1];
    if (!in(watts, TDP_LOWEST, TDP_LIMIT_OF_BOARD)) {
        return STATUS_REFUSED;
    }
    arc_set_telemetry(arc, TDP_LIMIT_MAX, watts);
    return STATUS_OK;
}

/* Nothing is ever throttled. */
static uint32_t throttler_counters(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    enum { GET, CLEAR, FREEZE };
    uint32_t index = request[1] >> 16 & 0xff;
    if (request[1] >> 8 & 0xff) { /* another I2C bank */
        return STATUS_REFUSED;
    }
    switch (request[1] & 0xff) {
    case GET:
        response[1] = (arc->manager.counters_frozen >> index % 32 & 1) << 16;
        return index < THROTTLERS ? STATUS_OK : STATUS_REFUSED;
    case CLEAR: return STATUS_OK;
    case FREEZE: arc->manager.counters_frozen = request[2] & 0xffff; return STATUS_OK;
    default: return STATUS_REFUSED;
    }
}

/* Sensor messages return the converter's raw reading and the value: here degrees, in telemetry's format. */
static uint32_t read_temperature(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    int64_t degrees = (int32_t)arc_telemetry(arc, ASIC_TEMPERATURE), unit = 65536 * INT64_C(26250);
    response[1] = (uint32_t)(((degrees * 100 - 8309 * INT64_C(65536)) * 4096 + 2048 * unit + unit / 2) / unit);
    response[2] = (uint32_t)degrees;
    return STATUS_OK;
}

/* Raw reading, and megahertz in telemetry's format. */
static uint32_t read_process(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    response[1] = 255;
    response[2] = 20 << 16;
    return STATUS_OK;
}

/* Raw reading, and millivolts. */
static uint32_t read_supply(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    uint32_t millivolts = arc_telemetry(arc, VCORE), unit = 3 * 73242;
    response[1] = (uint32_t)((millivolts * UINT64_C(3 * 819200) + 8288 * 73242 + unit / 2) / unit);
    response[2] = millivolts;
    return STATUS_OK;
}

/* Retraining DRAM does not change its contents. */
static uint32_t reset_gddr(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    enum { NO_SUCH_CHANNEL = 1, HARVESTED };
    if (request[1] >= DRAM_CHANNELS) {
        response[1] = NO_SUCH_CHANNEL;
        return STATUS_REFUSED;
    }
    response[1] = arc_telemetry(arc, ENABLED_GDDR) >> request[1] & 1 ? 0 : HARVESTED;
    return response[1] ? STATUS_REFUSED : STATUS_OK;
}

/* The CSM bytes of a transfer between flash and buffer; null: they are not inside the buffer. */
static uint8_t *eeprom_buffer(struct arc *arc, const uint32_t *request)
{
    uint32_t offset = request[3] - (ARC_CSM_BASE + EEPROM_BUFFER), size = 1u << EEPROM_BUFFER_LOG2;
    return offset <= size && request[2] <= size - offset ? arc->csm + EEPROM_BUFFER + offset : NULL;
}

static uint32_t move_eeprom(struct arc *arc, const uint32_t *request, bool write)
{
    uint32_t at = request[1], size = request[2];
    uint8_t *bytes = eeprom_buffer(arc, request);
    if (write && !arc->manager.flash_unlocked) {
        return STATUS_NOT_ALLOWED;
    }
    if (request[0] >> 8 & 0xff) { /* another kind of buffer */
        return STATUS_REFUSED;
    }
    if (!bytes) {
        return STATUS_NOT_ALLOWED;
    }
    if (at > ARC_FLASH_SIZE || size > ARC_FLASH_SIZE - at) {
        return STATUS_BAD_ADDRESS;
    }
    for (uint32_t i = 0; i < size; i++) {
        if (write) {
            arc->flash[at + i] = (uint8_t)~bytes[i];
        } else {
            bytes[i] = (uint8_t)~arc->flash[at + i];
        }
    }
    return STATUS_OK;
}

static uint32_t read_eeprom(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    return move_eeprom(arc, request, false);
}

static uint32_t write_eeprom(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    return move_eeprom(arc, request, true);
}

static uint32_t lock_flash(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    arc->manager.flash_unlocked = (request[0] & 0xff) == 0xc2;
    return STATUS_OK;
}

static uint32_t echo(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    response[1] = request[1];
    return STATUS_OK;
}

/* Answers that the board's controller is alive. */
static uint32_t ping(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    response[1] = 1;
    return STATUS_OK;
}

static uint32_t set_watchdog(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    return in(request[1], 1, WATCHDOG_FEED) ? STATUS_NOT_SUPPORTED : STATUS_OK;
}

static uint32_t test(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    response[1] = request[1] + 1;
    return STATUS_OK;
}

static uint32_t nothing_to_do(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    return STATUS_OK;
}

static uint32_t nobody_there(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    return STATUS_REFUSED;
}

static uint32_t scratch_only(struct arc *arc, const uint32_t *request, uint32_t *response)
{
    return STATUS_SCRATCH_ONLY;
}

enum { TEST = 0x90, SET_LAST_SERIAL = 0xbe };

void arc_tell_translation(struct arc *arc, bool translated)
{
    arc_set_telemetry(arc, NOC_TRANSLATION, translated);
}

/* Handlers by message code; null: device_manage.c handles the message. */
static const struct message {
    uint8_t code;
    uint32_t (*answer)(struct arc *arc, const uint32_t *request, uint32_t *response);
} messages[] = {
    {0x12, set_voltage},        /* set voltage */
    {0x13, get_voltage},        /* get voltage */
    {0x14, nothing_to_do},      /* switch clock scheme */
    {ARC_TRANSLATE, NULL},      /* debug NoC translation */
    {0x16, scratch_only},       /* report scratch only */
    {0x17, nothing_to_do},      /* send PCIe MSI */
    {0x18, nothing_to_do},      /* switch VOUT control */
    {0x19, read_eeprom},        /* read EEPROM */
    {0x1a, write_eeprom},       /* write EEPROM */
    {0x1b, read_temperature},   /* read temperature sensor */
    {0x1c, read_process},       /* read process detector */
    {0x1d, read_supply},        /* read voltage monitor */
    {0x1e, nobody_there},       /* I2C */
    {ARC_REINITIALIZE, NULL},   /* reinitialize Tensix */
    {0x21, power_setting},      /* power setting */
    {0x22, set_power_limit},    /* set TDP limit */
    {0x23, set_clock_limit},    /* set ASIC host fmax */
    {0x30, clock_curve},        /* frequency of voltage */
    {0x31, sweep_clock},        /* AICLK sweep */
    {0x32, nothing_to_do},      /* end of AICLK sweep */
    {0x33, force_clock},        /* force AICLK */
    {0x34, get_clock},          /* get AICLK */
    {0x35, throttler_counters}, /* counter */
    {0x39, force_voltage},      /* force VDD */
    {0x52, busy_clock},         /* AICLK busy */
    {0x54, busy_clock},         /* AICLK long idle */
    {ARC_RESET_CHIP, NULL},     /* trigger reset */
    {TEST, test},               /* test */
    {ARC_DMA_TO_HOST, NULL},    /* PCIe DMA to the host */
    {ARC_DMA_TO_DEVICE, NULL},  /* PCIe DMA from the host */
    {0xa0, nothing_to_do},      /* ASIC state 0 */
    {0xa3, enter_state_3},      /* ASIC state 3 */
    {0xa6, voltage_curve},      /* voltage of frequency */
    {0xac, nothing_to_do},      /* force fan speed */
    {ARC_RESET_TILE, NULL},     /* toggle reset of a Tensix tile */
    {ARC_RESET_TILES, NULL},    /* toggle Tensix reset */
    {0xb6, reset_gddr},         /* toggle GDDR reset */
    {0xc0, ping},               /* ping the board's controller */
    {0xc1, set_watchdog},       /* set watchdog timeout */
    {0xc2, lock_flash},         /* flash unlock */
    {0xc3, lock_flash},         /* flash lock */
    {0xc4, echo},               /* confirm flashed SPI */
    {0xc5, nothing_to_do},      /* blink */
    {0xc6, characterise},       /* characterisation */
};

static enum step answer_known(struct arc *arc, const struct message *message, const uint32_t *request,
                              uint32_t *response)
{
    if (!message->answer) {
        return arc->chip.act(arc->chip.context, request, response);
    }
    response[0] = message->answer(arc, request, response);
    return STEP_DONE;
}

enum step arc_answer(struct arc *arc, uint32_t *serial, const uint32_t request[MESSAGE_WORDS],
                     uint32_t response[MESSAGE_WORDS])
{
    uint32_t code = request[0] & 0xff;
    if (code == SET_LAST_SERIAL) {
        *serial = request[1];
        response[0] = STATUS_OK;
        return STEP_DONE;
    }
    if (code == TEST) {
        response[2] = *serial + 1;
    }
    for (unsigned i = 0; i < COUNT_OF(messages); i++) {
        if (messages[i].code == code) {
            return answer_known(arc, &messages[i], request, response);
        }
    }
    response[0] = STATUS_UNKNOWN;
    return STEP_DONE;
}
