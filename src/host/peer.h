/* A job on another library with the vendor's C ABI: what our device holds before its first cycle is put into the other
   one, which then runs for as many clocks as ours, and on until its memory stays as it is. The library runs in a child
   process, since it ends its process on errors. */
#ifndef BHEMU_HOST_PEER_H
#define BHEMU_HOST_PEER_H

#include "bhemu/error.h"
#include "bhemu/job.h"

/* Bytes of a tile, by its translated coordinates. */
struct peer_memory {
    unsigned x, y;
    uint64_t address;
    uint32_t size;
    uint8_t *bytes;
};

enum { PEER_REGISTERS = 7 };

/* L1 of a job's tiles, and what was written of DRAM, in blocks of 2 MiB. */
struct peer_image {
    struct peer_memory *memory;
    unsigned count;
    uint32_t (*registers)[PEER_REGISTERS]; /* of the job's tiles: reset PCs, and who is in reset, which is the last */
};

/* Of a device. Blocks of DRAM are those of `like`, and those that were written since; like may be null. */
enum bh_status peer_image_take(const struct bh_job *job, struct bh_device *device, const struct peer_image *like,
                               struct peer_image *image, struct bh_error *error);
/* The memory of another image. false: there is no memory for it. */
bool peer_image_copy(const struct peer_image *from, struct peer_image *to);
void peer_image_free(struct peer_image *image);
/* Reads the bytes of an image, whose places and sizes are given, anew. */
enum bh_status peer_image_read(struct peer_image *image, struct bh_device *device, struct bh_error *error);
/* The same for the same bytes. */
uint64_t peer_image_digest(const struct peer_image *image);

struct peer_run {
    const char *library;
    uint64_t clocks;  /* at least */
    unsigned seconds; /* of the host's time, at most */
    bool timed;       /* a library of this project is to run in timed mode */
    /* Memory after each so many clocks is to have these digests: 0 clocks: nobody looks before the end. */
    uint64_t every;
    const uint64_t *digests;
    unsigned looks; /* how many there are */
};

enum { PEER_AT_END = 0 };

/* Begins with `begin`; fills in the bytes of `end`, whose places and sizes are given: of the first look at which they
   have another digest, and then *looked is its number, from 1 on; else PEER_AT_END. */
enum bh_status peer_run(const struct bh_job *job, const struct peer_run *run, const struct peer_image *begin,
                        struct peer_image *end, unsigned *looked, struct bh_error *error);

#endif
