/* Ranges of an Ethernet tile's memory map, beyond tile control and NIUs, that have registers according to the map, but
   no public source describes them or says whether they exist. tt-exalens lists the registers around them as safe to
   read. Sources: ISA documentation EthernetTile/BabyRISCV/README.md (memory map), EthernetTxRx.md,
   EthernetRxClassifier.md; tt-exalens. */
#include "chip/ethernet/ethernet.h"
#include "tile/mmio.h"

static bool within(uint32_t address, uint32_t first, uint32_t end)
{
    return address >= first && address < end;
}

static bool unknown_of_overlay(uint32_t address)
{
    uint32_t offset = address - 0xFFB40000u;
    return offset / STREAM_STRIDE >= ETHERNET_STREAMS || offset % STREAM_STRIDE / 4 >= STREAM_REGISTERS;
}

static bool unknown_of_control(uint32_t address)
{
    enum {
        PCS_STATUS = 0xc,
        ERR_STAT = 0xd8,
        EOP_STATUS_GOOD_LO = 0x120,
        MAC_RX_ROUTING = 0x150,
        MAC_RX_ADDR_ROUTING = 0x154
    };
    uint32_t offset = address & 0x1ff;
    return offset != PCS_STATUS && offset != ERR_STAT && offset != EOP_STATUS_GOOD_LO && offset != MAC_RX_ROUTING &&
           offset != MAC_RX_ADDR_ROUTING;
}

bool ethernet_unknown(uint32_t address)
{
    enum { TX_END = 0x8c, RX_END = 0x54, QUEUE_OFFSET = 0xfff };
    return (within(address, 0xFFB40000u, 0xFFB80000u) && unknown_of_overlay(address)) ||
           (within(address, 0xFFB90000u, 0xFFB93000u) && (address & QUEUE_OFFSET) >= TX_END) ||
           (within(address, 0xFFB94000u, 0xFFB97000u) && (address & QUEUE_OFFSET) >= RX_END) ||
           (within(address, 0xFFB98000u, 0xFFB98200u) && unknown_of_control(address)) ||
           (within(address, 0xFFB9D008u, 0xFFB9EA20u) && !ethernet_timer_has(address));
}
