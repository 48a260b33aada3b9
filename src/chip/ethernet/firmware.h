/* The base firmware of an Ethernet tile, which runs on E0 until a program takes that core over. It is modelled, not
   executed; the model does what the firmware does for hosts, for E1, and for a program on E0 that calls it:

   - It leaves in L1 what is known of the link and of both chips (boot results, 0x7cc00), and a heartbeat.
   - It serves requests in four mailboxes (0x7d000: of the host, of E1, of the ARC processor, of others), each a word
     0xca11TTTT and three arguments behind it, and answers 0xd0e5TTTT. Of a host's requests it learns as they arrive, of
     E1's when E1's turn ends.
   - The table at 0x7cf00 has the addresses of functions that a program on E0 calls. They are code in L1: each stores
   its number to FIRMWARE_CALL, a register that silicon does not have, at which the model acts; a0 is the argument.
   - A program that returns from where a request has started it hands E0 back.

   Brings L1 up to date when the link changes, and, as long as another program has E0, only when that asks for it.
   Sources: tt-metal eth_fw_api.h, active_erisc.cc, dev_mem_map.h (layout, requests, functions, counters of the NoC; one
   version of the first says what training does to the queues), tt-firmware's release notes (since when links recover),
   tools/scaleout (arguments of requests 6 and 9); tt-umd blackhole_eth.hpp; tt-exalens check_eth_status (0xcede, which
   says that a request is being served); ttsim (addresses of functions). */
#ifndef BHEMU_CHIP_ETHERNET_FIRMWARE_H
#define BHEMU_CHIP_ETHERNET_FIRMWARE_H

#include "chip/ethernet/ethernet.h"

#define FIRMWARE_CALL 0xFFB981F0u    /* written by the firmware's code: the number of a function */
#define FIRMWARE_PROGRAM 0xFFB981F4u /* read by it: the program to hand E0 over to; 0: none */

enum { FIRMWARE_HEARTBEAT = 0x7cc70 };

/* Fills L1 as after power-on. */
void ethernet_firmware_boot(struct ethernet *ethernet, const struct board *board);

/* The chip has left reset, or a program has handed E0 back, at `time`; E0 has left reset without a program: mailboxes
   are empty. */
void ethernet_firmware_starts(struct ethernet *ethernet, uint64_t time);
void ethernet_firmware_begins(struct ethernet *ethernet);

/* Serves what is in the mailboxes: to be called after L1 was written from outside, when cores have run, and when E0 was
   handed back. */
enum step ethernet_firmware_written(struct ethernet *ethernet, uint32_t address, uint32_t size);
enum step ethernet_firmware_poll(struct ethernet *ethernet);

/* Brings the heartbeat up to date. */
void ethernet_firmware_beat(struct ethernet *ethernet);

/* The link is up after training: firmware has configured the queues again. */
void ethernet_firmware_trained(struct ethernet *ethernet);

/* The link is not up any more, or was waited for in vain. */
void ethernet_firmware_sees_link(struct ethernet *ethernet);

/* A core has stored to FIRMWARE_CALL. */
enum step ethernet_firmware_call(struct ethernet *ethernet, unsigned core, uint32_t function);

#endif
