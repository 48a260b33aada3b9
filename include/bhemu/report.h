/* Who waits for whom, as a graph. bh_report() of device.h gives the same as text. */
#ifndef BHEMU_REPORT_H
#define BHEMU_REPORT_H

#include "bhemu/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes, piece by piece, a graph in the language of Graphviz (`dot -Tsvg`): a node for each core and thread that has
   not finished, an edge to each that may end its wait, a box around those of a tile; tiles that hang alike share one.
   A wait that nobody can end is red. Changes nothing on the device. */
BH_API enum bh_status bh_report_graph(struct bh_device *device, void (*write)(void *context, const char *text),
                                      void *context);

#ifdef __cplusplus
}
#endif
#endif
