/* The constants of tables/links.def as LINK_LATENCY and so on. */
#ifndef BHEMU_CHIP_ETHERNET_LINK_CONSTANTS_H
#define BHEMU_CHIP_ETHERNET_LINK_CONSTANTS_H

enum {
#define LINK_CONSTANT(name, value, source) LINK_##name = (value),
#include "links.def"
#undef LINK_CONSTANT
};

#endif
