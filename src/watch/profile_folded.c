/* Stacks for flame graphs: "1-2;T1;kernel_main;matmul_block 1234", a line for each, outermost first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/tensix_table.h"
#include "watch/profile_state.h"

enum { FRAMES = 32, LINE_SIZE = 1600 };

struct folded {
    char *text;
    uint64_t cycles;
};

/* Frames of "inner (place), in outer (place)", without their places. */
static unsigned frames_of(const char *source, const char *begin[FRAMES], size_t length[FRAMES])
{
    unsigned count = 0;
    while (source && count < FRAMES) {
        const char *bracket = strstr(source, " ("), *next = strstr(source, "), in ");
        begin[count] = source;
        length[count] = bracket && (!next || bracket < next) ? (size_t)(bracket - source) : strlen(source);
        count++;
        source = next ? next + strlen("), in ") : NULL;
    }
    return count;
}

/* Neither blanks, which end a stack, nor semicolons are within frames. */
static int add_frame(char *line, int at, const char *frame, size_t length)
{
    if ((size_t)at + length + 2 >= LINE_SIZE) {
        return at;
    }
    line[at++] = ';';
    for (size_t i = 0; i < length; i++) {
        line[at++] = frame[i] == ';' || frame[i] == ' ' || frame[i] == '\n' ? '_' : frame[i];
    }
    line[at] = 0;
    return at;
}

static char *folded_of(const struct profile_stack *stack)
{
    char line[LINE_SIZE], address[16];
    const char *frame[FRAMES];
    size_t length[FRAMES];
    unsigned count = frames_of(stack->source, frame, length);
    int at = snprintf(line, sizeof line, "%u-%u", stack->x, stack->y);
    const char *name = profile_agent_name(stack->agent);
    at = add_frame(line, at, name, strlen(name));
    if (!count) {
        (void)snprintf(address, sizeof address, "0x%08x", stack->pc);
        at = add_frame(line, at, address, strlen(address));
    }
    while (count--) {
        at = add_frame(line, at, frame[count], length[count]);
    }
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)(stack->word >> 24));
    if (profile_is_thread(stack->agent) && instruction) {
        (void)add_frame(line, at, instruction->name, strlen(instruction->name));
    }
    return strdup(line);
}

static int by_text(const void *left, const void *right)
{
    return strcmp(((const struct folded *)left)->text, ((const struct folded *)right)->text);
}

void profile_write_folded(const struct bh_profile *profile, FILE *file)
{
    const struct profile_stacks *stacks = profile->stacks;
    struct folded *all = calloc(stacks->count + 1, sizeof *all);
    size_t count = 0;
    bool counts = profile->result.mode != BH_MODE_TIMED && !profile->result.every; /* cycles say nothing */
    for (size_t i = 0; all && i < stacks->count; i++) {
        const struct profile_stack *stack = &stacks->of[i];
        uint64_t cycles = counts ? stack->count : stack->running + stack->waiting;
        char *text = cycles ? folded_of(stack) : NULL;
        if (text) {
            all[count++] = (struct folded){.text = text, .cycles = cycles};
        }
    }
    if (all) {
        qsort(all, count, sizeof *all, by_text);
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t cycles = all[i].cycles;
        while (i + 1 < count && strcmp(all[i].text, all[i + 1].text) == 0) {
            free(all[i++].text);
            cycles += all[i].cycles;
        }
        fprintf(file, "%s %" PRIu64 "\n", all[i].text, cycles);
        free(all[i].text);
    }
    free(all);
}
