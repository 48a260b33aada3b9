/* The packer: moves data from Dst to L1, and on its way converts them, masks the edges of tiles, applies ReLU, gathers
   them into block floats, and adds them to what L1 holds.

   Blackhole has one packer with four read interfaces, each of which reads one row of Dst for a PACR. The rows' data go
   to L1 one after the other; where, is decided by the first PACR after one with Last or Flush, and kept until then.

     pack.c           PACR: the stages in their order
     units/pack/plan.c      what the configuration says about most PACRs, resolved once
     units/pack/address.c   which rows of Dst, where in L1, and how the address counters move on
     units/pack/convert.c   which format conversions the configuration asks for; num/pack_formats.c does them
     units/pack/output.c    groups of 16 that share an exponent, the streams to L1, their padding and accumulation
     units/pack/compress.c  zero compression
     units/pack/context.c   configuration contexts
     units/pack/status.c    what SETDMAREG, CLREXPHIST and the TDMA registers see of the packer
     units/pack/setreg.c    PACR_SETREG

   Sources: ISA documentation PACR.md (Blackhole), Packers (Wormhole, inherited), TDMA-RISC.md; chapter "pack data
   path"; the instruction descriptions of tt-llk (ZeroWrite without interfaces, RowPadZero, PACR_SETREG); ttsim. */
#ifndef BHEMU_TENSIX_UNITS_PACK_PACK_H
#define BHEMU_TENSIX_UNITS_PACK_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/num/pack_formats.h"
#include "tensix/units/stochastic.h"

struct tensix;

enum { PACK_INTERFACES = 4, PACK_HISTOGRAM_BINS = 32, PACK_SETREG_BASES = 4 };

/* A stream of bytes to L1. */
struct pack_stream {
    bool open;         /* clear: the next PACR computes a new address (NeedsNewAddress of the documentation) */
    uint8_t unused[3]; /* here and below: no padding, which snapshots would save with whatever it holds */
    uint32_t address;  /* of its next byte */
};

enum { PACK_COMPRESSED_GROUP = 32 };

/* Zero compression under way. */
struct pack_compressor {
    uint16_t kept; /* data in groups of the tile so far */
    uint16_t rows; /* ended */
    bool begun;    /* the first row start index is written */
    bool row_begun, row_has_data;
    bool holds; /* `held` is pending until `zeroes` after it are counted */
    uint8_t zeroes;
    uint8_t unused[3];
    uint32_t held;
};

/* The current tile, from its first PACR to the one with Last or Flush. */
struct pack_tile {
    struct pack_stream data, exponents, row_starts;
    uint32_t address;     /* where it began */
    uint32_t datums;      /* data of it in the data stream */
    uint8_t group_datums; /* data pending in pack_unit.group */
    uint8_t plane;        /* number of times that the tile position has returned to zero */
    bool bfp;             /* of the data last appended to the streams: a block float format */
    bool random;          /* rounded at random, */
    bool apart;           /* with mantissas aligned to their own exponents */
    uint8_t bits;         /* bits of a datum */
    uint8_t unused[2];
    struct pack_compressor compressor;
};

/* Metadata of packed tiles: TDMA-RISC.md, MetadataFIFO. The capacity of the queue is not documented. */
enum { PACK_METADATA = 8 };

struct pack_metadata {
    uint16_t tile_size;
    uint32_t all_zero_flags;
};

struct pack_unit {
    struct pack_tile tile;
    uint32_t group[16];                         /* pending data of a BFP format, until they share an exponent */
    uint32_t compressed[PACK_COMPRESSED_GROUP]; /* data of the current group */
    uint8_t compressed_zeroes[PACK_COMPRESSED_GROUP / 2]; /* and the counts of zeroes after them, four bits each */
    uint32_t all_zero_flags;                              /* one bit for each row of the last compressed tile */
    uint8_t tile_position; /* of the next row, for the edge masks: TilePosition, 8 bits */
    uint8_t exponent_histogram[PACK_HISTOGRAM_BINS];
    uint8_t max_exponent;
    uint8_t last_thread;                          /* thread that ended the last tile */
    uint16_t last_tile_size;                      /* in 16 bytes */
    uint16_t accumulated_tile_size[3];            /* for each thread */
    uint16_t l1_dest_addr_offset;                 /* set through TDMA-RISC */
    struct stochastic gasket_random, random;      /* random numbers of the early conversion; of block floats */
    uint8_t context, context_planes;              /* counted by CtxtCtrl: see units/pack/context.h */
    struct pack_metadata metadata[PACK_METADATA]; /* of tiles, oldest first */
    uint8_t metadata_count;
    uint32_t setreg_value;                   /* value that PACR_SETREG writes */
    uint32_t setreg_base[PACK_SETREG_BASES]; /* byte offsets from 0xffb00000, set through TDMA-RISC */
};

/* How data go from Dst to L1: in several stages, or in one pass if there are only a conversion and accumulation. */
enum pack_way { PACK_IN_STAGES, PACK_PLAIN_BF16, PACK_PLAIN_BFP, PACK_PLAIN_32B };

/* The words of Config that decide about one pass: the formats and ReLU, the packer's reading and masks, and
   THCON_SEC0_REG1 except sizes and addresses. */
enum { PACK_KEY_FORMATS = 0, PACK_KEY_READING = 12, PACK_KEY_OUTPUT = 70 };
struct pack_key {
    uint32_t formats[4], reading[20], output[2];
};

/* The settings resolved from these words. A cache, not state of the chip: invalid if the words have changed. */
struct pack_plan {
    struct pack_key key;
    bool quiet;      /* the words need no diagnostic, */
    bool descales;   /* unless INT_DESCALE_Enable, which is not one of them, is set: then descaling applies; */
    bool whole_rows; /* whole rows go from Dst to L1, not compressed and not rounded at random */
    struct pack_conversion conversion; /* if quiet */
    uint8_t way;                       /* enum pack_way */
    uint8_t row_shift;
};

/* Appends the last tile to the metadata, if there is room. */
void pack_push_metadata(struct pack_unit *pack);

/* Removes the oldest metadata, if there are any. */
void pack_pop_metadata(struct pack_unit *pack);

/* CLREXPHIST. */
void pack_clear_exponent_histogram(struct pack_unit *pack);

/* A write to the TDMA register of accumulated tile sizes: bit 16 resets them and takes the low half as the offset that
   THCON_SEC0_REG1_Add_l1_dest_addr_offset adds. pack_status_read() and pack_reset_accumulated_tile_size(), for
   SETDMAREG, are declared in units/scalar.h. */
void pack_write_accumulated_tile_size(struct pack_unit *pack, uint32_t value);

/* A write to the TDMA register of PACR_SETREG's addresses: two of 12 bits, with low bits 9:0 and 19:10 and high bits
   21:20 and 23:22. */
void pack_set_register_addresses(struct pack_unit *pack, uint32_t value);

#endif
