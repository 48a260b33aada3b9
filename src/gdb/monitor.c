/* "monitor ...": what only the emulator knows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu/dump.h"
#include "gdb/state.h"
#include "tile/waits.h"

static void write_text(void *context, const void *bytes, size_t size)
{
    fwrite(bytes, 1, size, context);
}

/* Of the tile of the chosen thread, as it is right now. */
static void dump(struct bh_gdb *gdb, const char *request, FILE *out)
{
    const struct gdb_thread *thread = gdb_thread(gdb, gdb->general);
    const struct bh_tile tile = {thread->x, thread->y};
    bool here = gdb->current && gdb_thread(gdb, gdb->current)->tile == thread->tile;
    const struct bh_dump wanted = {
        .request = request, .tiles = &tile, .tile_count = 1, .event = here ? gdb->event : NULL, .in_callback = true};
    struct bh_error error;
    if (bh_dump(gdb->device, &wanted, write_text, out, &error) != BH_OK) {
        fprintf(out, "%s\n", error.text);
    }
}

/* Within its turn a core has its pc elsewhere: sets what others see to that of the instruction that is about to begin.
   Returns what it was. */
static uint32_t show_pc(struct bh_gdb *gdb, uint32_t pc)
{
    struct rv32_core *core = gdb_core(gdb, gdb_thread(gdb, gdb->current))->core;
    uint32_t before = core->pc;
    core->pc = pc;
    return before;
}

static void explain(struct bh_gdb *gdb, FILE *out)
{
    const struct gdb_thread *thread = gdb_thread(gdb, gdb->general);
    uint32_t before = gdb->current ? show_pc(gdb, gdb->event->place.pc) : 0;
    char buffer[BH_DIAGNOSTIC_TEXT] = "";
    struct text text = {.buffer = buffer, .size = sizeof buffer};
    struct bh_place places[BH_PLACES];
    uint16_t lines[BH_PLACES];
    struct waits waits;
    gdb_explain_tile(gdb, thread, &waits);
    waits_write(&waits, &text, places, lines);
    if (gdb->current) {
        (void)show_pc(gdb, before);
    }
    fprintf(out, "%u,%u: %s\n", thread->x, thread->y, *buffer ? buffer : "nothing has to finish");
}

static void list_threads(struct bh_gdb *gdb, FILE *out)
{
    for (unsigned i = 1; i <= gdb->thread_count; i++) {
        const struct gdb_thread *thread = gdb_thread(gdb, i);
        fprintf(out, "%-4u %-10s pc 0x%08x, %llu instructions\n", i, thread->name, gdb_pc(gdb, thread),
                (unsigned long long)thread->retired);
    }
}

/* A command for each program that any thread executes. */
static void list_symbols(struct bh_gdb *gdb, FILE *out)
{
    enum { PATH_SIZE = 4096 };
    char path[PATH_SIZE];
    uint32_t moved;
    bool any = false;
    for (unsigned i = 1; i <= gdb->thread_count; i++) {
        const struct gdb_thread *thread = gdb_thread(gdb, i);
        const struct diagnostics *tile = gdb_core(gdb, thread)->diagnostics;
        const struct bh_place place = {.agent = BH_AGENT_CORE, .index = thread->core, .pc = gdb_pc(gdb, thread)};
        if (gdb->program &&
            gdb->program(gdb->program_context, tile->tile_x, tile->tile_y, &place, path, sizeof path, &moved)) {
            fprintf(out, "%-10s add-symbol-file %s -o 0x%x\n", thread->name, path, moved);
            any = true;
        }
    }
    if (!any) {
        fputs(gdb->program ? "no core executes a program that is known\n"
                           : "nothing is known of programs: set BHEMU_SYMBOLS to the folders of the ELFs\n",
              out);
    }
}

static void record(struct bh_gdb *gdb, const char *request, FILE *out)
{
    bool on = strcmp(request, "on") == 0;
    const char *why = on || strcmp(request, "off") == 0 ? gdb_record_switch(gdb, on)
                      : *request                        ? "monitor record on, or off"
                                                        : NULL;
    if (why) {
        fprintf(out, "%s\n", why);
    } else {
        gdb_record_describe(gdb, out);
    }
}

static void help(FILE *out)
{
    fputs(
        "monitor dump WHAT   state of the thread's tile, as `bhemu run --dump` has it: dst 0 16 bf16, srca, lregs,\n"
        "                    gprs, config, adcs, rwcs, semaphores, mutexes, cbs, niu, fifos, mop, replay, cores, all\n"
        "monitor wait        who waits for whom on the thread's tile\n"
        "monitor threads     tiles, cores, their pcs and instructions\n"
        "monitor symbols     the ELFs of the programs that the threads execute, as add-symbol-file commands\n"
        "monitor clock       the device's clock\n"
        "monitor record on   records from here on, for reverse-step, reverse-continue and so on; off: no more\n"
        "monitor record      what is recorded\n"
        "monitor help        this list\n",
        out);
}

static void run_command(struct bh_gdb *gdb, const char *command, FILE *out)
{
    const char *rest = command + strspn(command, " ");
    if (packet_take(&rest, "dump") && (*rest == ' ' || !*rest)) {
        dump(gdb, rest + strspn(rest, " "), out);
    } else if (strcmp(rest, "wait") == 0) {
        explain(gdb, out);
    } else if (strcmp(rest, "threads") == 0) {
        list_threads(gdb, out);
    } else if (strcmp(rest, "symbols") == 0) {
        list_symbols(gdb, out);
    } else if (packet_take(&rest, "record") && (*rest == ' ' || !*rest)) {
        record(gdb, rest + strspn(rest, " "), out);
    } else if (strcmp(rest, "clock") == 0) {
        fprintf(out, "%llu\n", (unsigned long long)(gdb->event ? gdb->event->cycle : bh_clock(gdb->device)));
    } else {
        if (strcmp(rest, "help") != 0) {
            fprintf(out, "monitor: '%s' is not known\n", command);
        }
        help(out);
    }
}

void gdb_monitor(struct bh_gdb *gdb, const char *command)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out) {
        run_command(gdb, command, out);
        if (fclose(out) == 0) {
            gdb_say(gdb, text);
        }
    }
    free(text);
    packet_text(&gdb->reply, "OK");
}
