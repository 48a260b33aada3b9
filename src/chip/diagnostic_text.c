/* Diagnostics as text for people: bh_diagnostic_format(). */
#include <stdio.h>

#include "bhemu/diagnostic.h"
#include "isa/rv32_text.h"
#include "isa/tensix_text.h"
#include "util/text.h"

/* "thread T1 pc 0x00006404 [MVMUL ...]", or nothing for the host. */
static void format_agent(const struct bh_diagnostic *diagnostic, char *buffer, size_t size)
{
    if (diagnostic->agent == BH_AGENT_HOST) {
        *buffer = 0;
        return;
    }
    if (diagnostic->agent == BH_AGENT_ETHERNET) {
        snprintf(buffer, size, " RX queue %u", diagnostic->index);
        return;
    }
    char instruction[TENSIX_TEXT_SIZE] = "";
    int length = diagnostic->agent == BH_AGENT_CORE
                     ? snprintf(buffer, size, " core %s", bh_core_name((enum bh_core)diagnostic->index))
                     : snprintf(buffer, size, " thread T%u", diagnostic->index);
    length += snprintf(buffer + length, size - (size_t)length, " pc 0x%08x", diagnostic->pc);
    if (diagnostic->instruction == 0) {
        return;
    }
    if (diagnostic->agent == BH_AGENT_CORE) {
        rv32_disassemble(diagnostic->instruction, diagnostic->pc, instruction, sizeof instruction);
    } else {
        tensix_disassemble(diagnostic->instruction, TENSIX_TEXT_FIELDS, instruction, sizeof instruction);
    }
    snprintf(buffer + length, size - (size_t)length, " [%s]", instruction);
}

int bh_diagnostic_format(const struct bh_diagnostic *diagnostic, char *buffer, unsigned size)
{
    char agent[TENSIX_TEXT_SIZE + 64], chip[32] = "";
    if (!diagnostic) {
        return text_nothing(buffer, size);
    }
    format_agent(diagnostic, agent, sizeof agent);
    if (diagnostic->chips) {
        snprintf(chip, sizeof chip, "chip %u ", diagnostic->chip);
    }
    return snprintf(buffer, buffer ? size : 0, "%s: %s: %stile (%u,%u)%s: %s",
                    diagnostic->action == BH_STOP ? "error" : "warning", bh_category_name(diagnostic->category), chip,
                    diagnostic->tile_x, diagnostic->tile_y, agent, diagnostic->text);
}
