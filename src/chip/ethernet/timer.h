/* The PTP timer of an Ethernet tile, and the FIFO of timestamps of received frames. The timer counts ticks of the
   reference clock from power-on and, once enabled, nanoseconds: each tick adds an increment. Increment and time can be
   replaced at a tick that software chooses. Sources: tt-metal tt_eth_ss_regs.h (addresses), eth_ptp.hpp (fields and
   what was measured of them); ISA documentation EthernetTile/EthernetRxClassifier.md (what records timestamps). */
#ifndef BHEMU_CHIP_ETHERNET_TIMER_H
#define BHEMU_CHIP_ETHERNET_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#define TIMER_BASE 0xFFB98800u
#define TIMER_END 0xFFB98868u
#define STAMPS_BASE 0xFFB9D800u
#define STAMPS_END 0xFFB9D814u

enum { TIMER_WORDS = 0x68 / 4, STAMPS_KEPT = 16 };

struct ethernet_timer {
    uint32_t words[TIMER_WORDS];
    uint32_t latched_ticks, latched_time; /* high words, latched by reads of the low ones */
    uint64_t since; /* the tick at which the time was `time` nanoseconds and `fraction` / 2^16 nanoseconds */
    uint64_t time;
    uint32_t fraction, increment; /* in nanoseconds / 2^16 */
    bool waits_for_increment, waits_for_time, took_increment, took_time, late_increment, late_time;
    uint8_t first, count; /* of the FIFO of timestamps */
    struct {
        uint64_t time;
        uint32_t label;
    } stamp[STAMPS_KEPT];
};

/* Whether an address in one of the timer's two ranges is a register; clock: the device's. */
bool ethernet_timer_has(uint32_t address);
uint32_t ethernet_timer_read(struct ethernet_timer *timer, uint64_t clock, uint32_t address);
void ethernet_timer_write(struct ethernet_timer *timer, uint64_t clock, uint32_t address, uint32_t value);

/* Records the arrival time of a frame. It is lost if the FIFO is full. */
void ethernet_timer_stamp(struct ethernet_timer *timer, uint64_t clock, uint32_t label, bool by_rule);

#endif
