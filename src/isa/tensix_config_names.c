#include "isa/tensix_config_names.h"

#include <stdio.h>

#include "isa/tensix_isa.h"

enum { NAMES_SHOWN = 3 };

static const struct tensix_config_field config_names[] = {
#define CONFIG_FIELD(name, address, shift, width, ...) {#name, (address), (shift), (width)},
#define THREAD_CONFIG_FIELD(...)
#include "config.def"
#undef CONFIG_FIELD
#undef THREAD_CONFIG_FIELD
};

static const struct tensix_config_field thread_config_names[] = {
#define CONFIG_FIELD(...)
#define THREAD_CONFIG_FIELD(name, address, shift, width, ...) {#name, (address), (shift), (width)},
#include "config.def"
#undef CONFIG_FIELD
#undef THREAD_CONFIG_FIELD
};

const struct tensix_config_field *tensix_config_fields(bool thread, size_t *count)
{
    *count =
        thread ? sizeof thread_config_names / sizeof *thread_config_names : sizeof config_names / sizeof *config_names;
    return thread ? thread_config_names : config_names;
}

/* The registers, and the bits of each, that an instruction accesses. */
struct access {
    bool thread;
    uint32_t first, count;
    uint32_t mask;
};

static struct access byte_access(struct args_RMWCIB0 args, unsigned byte)
{
    return (struct access){.first = args.CfgRegAddr, .count = 1, .mask = args.Mask << (8 * byte)};
}

static struct access access_of(uint32_t word)
{
    switch (word >> 24) {
    case TENSIX_OPCODE_SETC16:
        return (struct access){.thread = true, .first = decode_SETC16(word).setc16_reg, .count = 1, .mask = 0xffff};
    case TENSIX_OPCODE_RMWCIB0:
    case TENSIX_OPCODE_RMWCIB1:
    case TENSIX_OPCODE_RMWCIB2:
    case TENSIX_OPCODE_RMWCIB3: return byte_access(decode_RMWCIB0(word), (word >> 24) - TENSIX_OPCODE_RMWCIB0);
    case TENSIX_OPCODE_WRCFG: {
        struct args_WRCFG args = decode_WRCFG(word);
        /* 128 bits go to the aligned group of four registers (ISA documentation, WRCFG.md). */
        return args.wr128b ? (struct access){.first = args.CfgReg & ~3u, .count = 4, .mask = UINT32_MAX}
                           : (struct access){.first = args.CfgReg, .count = 1, .mask = UINT32_MAX};
    }
    case TENSIX_OPCODE_RDCFG:
        return (struct access){.first = decode_RDCFG(word).CfgReg, .count = 1, .mask = UINT32_MAX};
    case TENSIX_OPCODE_STREAMWRCFG:
        return (struct access){.first = decode_STREAMWRCFG(word).CfgReg, .count = 1, .mask = UINT32_MAX};
    case TENSIX_OPCODE_CFGSHIFTMASK:
        return (struct access){.first = decode_CFGSHIFTMASK(word).CfgReg, .count = 1, .mask = UINT32_MAX};
    default: return (struct access){};
    }
}

static bool addressed(const struct tensix_config_field *name, const struct access *access)
{
    uint64_t bits = ((1ull << name->width) - 1) << name->shift;
    return name->address >= access->first && name->address < access->first + access->count && (bits & access->mask);
}

size_t tensix_config_names(uint32_t word, char *buffer, size_t size)
{
    struct access access = access_of(word);
    size_t length = 0, count;
    const struct tensix_config_field *names = tensix_config_fields(access.thread, &count);
    unsigned shown = 0, left = 0;
    for (size_t i = 0; i < count; i++) {
        if (!addressed(&names[i], &access)) {
            continue;
        }
        int wanted = snprintf(NULL, 0, "%s%s", shown ? " " : "", names[i].name);
        if (shown == NAMES_SHOWN || length + (size_t)wanted + sizeof " +999" > size) {
            left++;
            continue;
        }
        length += (size_t)snprintf(buffer + length, size - length, "%s%s", shown ? " " : "", names[i].name);
        shown++;
    }
    if (left && length + sizeof " +999" <= size) {
        length += (size_t)snprintf(buffer + length, size - length, "%s+%u", shown ? " " : "", left);
    }
    return length;
}
