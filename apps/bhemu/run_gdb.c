/* --gdb: a debugger for the cores of each job. */
#include <stdio.h>

#include "bhemu/gdb.h"
#include "interrupt.h"
#include "run_part.h"

static struct {
    bool wanted;
    unsigned port;
    struct bh_gdb *gdb;
    struct bh_job_hook hook;
} debugging;

const struct command_option run_gdb_list[] = {
    {"gdb", "PORT",
     "wait for gdb at PORT of 127.0.0.1 before the first instruction; 0: any port, which is printed;\n"
     "--tile and --core choose its threads",
     0, false},
    {},
};

static bool set(struct run *run, const char *name, const char *value)
{
    uint64_t port;
    if (!run_number(value, &port) || port > UINT16_MAX) {
        return run_wrong("--gdb %s: that is no port", value);
    }
    debugging.wanted = true;
    debugging.port = (unsigned)port;
    return true;
}

static enum bh_status ready(void *context, struct bh_device *device, struct bh_error *error)
{
    fprintf(stderr, "bhemu: gdb: target remote 127.0.0.1:%u\n", bh_gdb_port(debugging.gdb));
    fflush(stderr);
    return bh_gdb_attach(debugging.gdb, device, error);
}

static enum bh_status run_on(void *context, struct bh_device *device, uint64_t cycles, struct bh_run_result *result)
{
    return bh_gdb_run(debugging.gdb, cycles, result);
}

static bool serve(void *context, struct bh_device *device, bool *holds)
{
    bool goes_on = bh_gdb_serve(debugging.gdb);
    *holds = bh_gdb_holds(debugging.gdb);
    return goes_on;
}

static enum bh_status ended(void *context, struct bh_device *device, enum bh_status how, struct bh_error *error)
{
    bh_gdb_detach(debugging.gdb, how == BH_OK ? 0 : 1);
    return BH_OK;
}

static enum bh_status begin(struct run *run, struct bh_error *error)
{
    if (!debugging.wanted) {
        return BH_OK;
    }
    const struct bh_gdb_options wanted = {.port = debugging.port,
                                          .tiles = run->filter.tiles,
                                          .tile_count = run->filter.tile_count,
                                          .cores = run->filter.cores,
                                          .core_count = run->filter.core_count,
                                          .interrupted = interrupt_watch()};
    enum bh_status status = bh_gdb_open(&wanted, &debugging.gdb, error);
    if (status == BH_OK) {
        debugging.hook = (struct bh_job_hook){.ready = ready, .run = run_on, .serve = serve, .ended = ended};
        run_add_hook(run, &debugging.hook);
    }
    return status;
}

static enum bh_status end(struct run *run, enum bh_status how, struct bh_error *error)
{
    bh_gdb_close(debugging.gdb);
    debugging.gdb = NULL;
    return BH_OK;
}

const struct run_part run_gdb_part = {.options = run_gdb_list, .set = set, .begin = begin, .end = end};
