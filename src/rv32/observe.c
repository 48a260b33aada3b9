/* Runs an observed core: by the interpreter with hooks, one of which is called before each instruction. */
#include "rv32/execute.h"
#include "rv32/timed.h"

/* What is told when an instruction has ended. */
#define ENDS (BH_EVENT_BIT(BH_EVENT_REGISTER) | BH_EVENT_BIT(BH_EVENT_RETIRED) | BH_EVENT_BIT(BH_EVENT_WAIT_ENDED))

/* The current instruction. */
struct executing {
    struct rv32 *rv32;
    const struct rv32_hooks *also; /* may be null */
    uint64_t start;                /* the clock at the first instruction */
    uint32_t count;                /* instructions begun */
    uint32_t pc, word;
    struct bh_register destination; /* index 0 of BH_REGISTER_X: no destination */
    uint32_t csr[RV32_CSRS]; /* values before an instruction that may change them, and before a vector instruction: */
    uint32_t x[RV32_REGISTERS];
    uint8_t v[RV32_VECTOR_REGISTERS * RV32_VECTOR_BYTES];
};

static enum rv32_format format_of(uint32_t word)
{
    return (enum rv32_format)rv32_instructions[rv32_identify(word)].format;
}

/* The register that an instruction writes, besides CSRs and vector registers. */
static struct bh_register destination_of(uint32_t word)
{
    uint16_t rd = (uint16_t)rv32_rd(word);
    switch (format_of(word)) {
    case RV32_FORMAT_R:
    case RV32_FORMAT_UNARY:
    case RV32_FORMAT_I:
    case RV32_FORMAT_SHIFT:
    case RV32_FORMAT_U:
    case RV32_FORMAT_J:
    case RV32_FORMAT_JALR:
    case RV32_FORMAT_LOAD:
    case RV32_FORMAT_AMO:
    case RV32_FORMAT_CSR:
    case RV32_FORMAT_CSRI:
    case RV32_FORMAT_FCMP:
    case RV32_FORMAT_FTOX: return (struct bh_register){.file = BH_REGISTER_X, .index = rd};
    case RV32_FORMAT_FLOAD:
    case RV32_FORMAT_FR:
    case RV32_FORMAT_FR4:
    case RV32_FORMAT_FUNARY:
    case RV32_FORMAT_XTOF: return (struct bh_register){.file = BH_REGISTER_F, .index = rd};
    default: return (struct bh_register){.file = BH_REGISTER_X};
    }
}

static bool changes_csrs(uint32_t word)
{
    switch (format_of(word)) {
    case RV32_FORMAT_CSR:
    case RV32_FORMAT_CSRI:
    case RV32_FORMAT_FR:
    case RV32_FORMAT_FR4:
    case RV32_FORMAT_FUNARY:
    case RV32_FORMAT_FCMP:
    case RV32_FORMAT_FTOX:
    case RV32_FORMAT_XTOF:
    case RV32_FORMAT_VECTOR: return true;
    default: return false;
    }
}

static uint32_t *register_of(struct rv32_core *core, const struct bh_register *reg)
{
    return &core->x[reg->index + (reg->file == BH_REGISTER_F ? RV32_F0 : 0)];
}

static bool is_register(const struct bh_register *reg)
{
    return reg->file == BH_REGISTER_F || reg->index != 0;
}

/* Makes this instruction the origin of the events that follow. */
static void executes_now(const struct executing *executing)
{
    struct diagnostic_origin *now = &executing->rv32->diagnostics->now;
    now->agent = BH_AGENT_CORE;
    now->index = executing->rv32->core->id;
    now->pc = executing->pc;
    now->instruction = executing->word;
}

static void remember_registers(struct executing *executing)
{
    struct rv32_core *core = executing->rv32->core;
    executing->destination = destination_of(executing->word);
    if (is_register(&executing->destination)) {
        executing->destination.before = *register_of(core, &executing->destination);
    }
    if (changes_csrs(executing->word)) {
        memcpy(executing->csr, core->csr, sizeof executing->csr);
    }
    if (format_of(executing->word) == RV32_FORMAT_VECTOR) {
        memcpy(executing->v, core->v, sizeof executing->v);
        memcpy(executing->x, core->x, sizeof executing->x);
    }
}

static void tell_register(struct observed *observed, struct bh_register reg)
{
    struct bh_event event = observed_event(observed, BH_EVENT_REGISTER);
    event.reg = reg;
    observed_tell(observed, &event);
}

/* Vector instructions may write registers of all files. */
static void tell_vector_registers(const struct executing *executing)
{
    for (unsigned i = 1; i < RV32_REGISTERS; i++) {
        uint32_t before = executing->x[i], value = executing->rv32->core->x[i];
        bool is_float = i >= RV32_F0;
        if (before != value && i != RV32_SINK) {
            tell_register(executing->rv32->observed,
                          (struct bh_register){.file = is_float ? BH_REGISTER_F : BH_REGISTER_X,
                                               .index = (uint16_t)(is_float ? i - RV32_F0 : i),
                                               .before = before,
                                               .value = value});
        }
    }
    for (unsigned word = 0; word < sizeof executing->v / 4; word++) {
        uint32_t before, value;
        memcpy(&before, executing->v + 4 * word, sizeof before);
        memcpy(&value, executing->rv32->core->v + 4 * word, sizeof value);
        if (before != value) {
            tell_register(
                executing->rv32->observed,
                (struct bh_register){.file = BH_REGISTER_V, .index = (uint16_t)word, .before = before, .value = value});
        }
    }
}

static void tell_registers(struct executing *executing)
{
    struct rv32 *rv32 = executing->rv32;
    struct rv32_core *core = rv32->core;
    struct bh_register *destination = &executing->destination;
    if (is_register(destination)) {
        destination->value = *register_of(core, destination);
        tell_register(rv32->observed, *destination);
    }
    if (format_of(executing->word) == RV32_FORMAT_VECTOR) {
        tell_vector_registers(executing);
    }
    for (unsigned csr = 0; csr < RV32_CSRS && changes_csrs(executing->word); csr++) {
        if (core->csr[csr] != executing->csr[csr]) {
            tell_register(rv32->observed, (struct bh_register){.file = BH_REGISTER_CSR,
                                                               .index = rv32_csrs[csr].number,
                                                               .before = executing->csr[csr],
                                                               .value = core->csr[csr]});
        }
    }
}

static void retire(struct executing *executing)
{
    struct rv32 *rv32 = executing->rv32;
    executes_now(executing);
    if (observed_wants(rv32->observed, BH_EVENT_REGISTER)) {
        tell_registers(executing);
    }
    observed_retired(rv32->observed, BH_AGENT_CORE, rv32->core->id, executing->pc, executing->word);
}

/* When the instruction begins. One that waits for its operands at the end of a turn begins again with the next, by
   when they are there: where turns end, as the ends of quanta do, depends on who else is observed, and makes no
   difference. */
static uint64_t timed_cycle(const struct rv32 *rv32, const struct executing *executing, uint32_t pc, uint32_t word)
{
    uint64_t began;
    bool again = !executing->count && observed_began(rv32->observed, rv32->core->id, pc, word, &began);
    return again ? began : clock_of(rv32->clock, rv32->core->id);
}

static void on_instruction(void *context, uint32_t pc, uint32_t word)
{
    struct executing *executing = context;
    struct rv32 *rv32 = executing->rv32;
    const bool goes_on = executing->count && !(rv32->observed->kinds & ENDS);
    if (executing->count && !goes_on) { /* the next instruction begins, so the previous one has retired */
        retire(executing);
    }
    rv32->observed->cycle = rv32->timing ? timed_cycle(rv32, executing, pc, word) : executing->start + executing->count;
    executing->count++;
    executing->pc = pc;
    executing->word = word;
    executes_now(executing);
    if (observed_wants(rv32->observed, BH_EVENT_REGISTER)) {
        remember_registers(executing);
    }
    if (goes_on) {
        observed_goes_on(rv32->observed, rv32->core->id, pc, word);
    } else {
        observed_issued(rv32->observed, BH_AGENT_CORE, rv32->core->id, pc, word);
    }
    if (executing->also && executing->also->instruction) {
        executing->also->instruction(executing->also->context, pc, word);
    }
}

void rv32_tell_access(struct rv32 *rv32, bool store, uint32_t address, unsigned size, const void *data)
{
    enum bh_space space = address < rv32_l1_size(rv32)                      ? BH_SPACE_L1
                          : address - MEM_LOCAL_BASE < rv32->local_ram_size ? BH_SPACE_LOCAL_RAM
                                                                            : BH_SPACE_REGISTER;
    rv32->observed->uncached =
        space == BH_SPACE_L1 && !store && rv32->core->csr[RV32_CSR_cfg0] & RV32_CFG0_DIS_LOW_CASH;
    observed_access(rv32->observed, (struct actor){.agent = BH_AGENT_CORE, .index = rv32->core->id}, space, store,
                    address, size, data);
    rv32->observed->uncached = false;
}

static void on_access(void *context, bool store, uint32_t address, unsigned size, uint32_t value)
{
    struct executing *executing = context;
    struct rv32 *rv32 = executing->rv32;
    executes_now(executing); /* a thread may have, meanwhile */
    rv32_tell_access(rv32, store, address, size, &value);
    if (rv32->observed->tile.changed && address >= rv32_l1_size(rv32)) {
        rv32->observed->tile.changed(rv32->observed->tile.context);
    }
    if (executing->also && executing->also->access) {
        executing->also->access(executing->also->context, store, address, size, value);
    }
}

static void on_effect(void *context, enum rv32_effect effect, uint32_t address)
{
    const struct executing *executing = context;
    if (executing->also && executing->also->effect) {
        executing->also->effect(executing->also->context, effect, address);
    }
}

static struct bh_wait wait_of(const struct rv32 *rv32)
{
    const struct observed_tile *tile = &rv32->observed->tile;
    return tile->wait ? tile->wait(tile->context, rv32->core->id)
                      : (struct bh_wait){.reason = BH_WAIT_REGISTER, .detail = rv32->core->wait_address};
}

static struct rv32_hooks hooks_of(struct executing *executing)
{
    return (struct rv32_hooks){
        .context = executing, .instruction = on_instruction, .access = on_access, .effect = on_effect};
}

/* Tells of the last instruction: it is one of those that have retired, or waits. */
static uint32_t end_of_turn(struct executing *executing, uint32_t retired)
{
    struct rv32 *rv32 = executing->rv32;
    if (rv32->observed->leaves) {
        rv32->observed->leaves = false;
        rv32->core->pc = rv32->observed->goes_to;
        return retired;
    }
    if (executing->count && retired == executing->count) {
        retire(executing);
    } else if (executing->count && rv32->core->waiting) {
        observed_waits(rv32->observed, BH_AGENT_CORE, rv32->core->id, executing->pc, executing->word, wait_of(rv32));
    }
    return retired;
}

uint32_t rv32_run_observed(struct rv32 *rv32, uint32_t budget, const struct rv32_hooks *also)
{
    struct executing executing = {.rv32 = rv32, .also = also, .start = clock_of(rv32->clock, rv32->core->id)};
    const struct rv32_hooks hooks = hooks_of(&executing);
    return end_of_turn(&executing, rv32_interpret_hooked(rv32, budget, &hooks));
}

uint32_t rv32_run_timed_observed(struct rv32 *rv32, struct rv32_turn *turn)
{
    struct executing executing = {.rv32 = rv32};
    const struct rv32_hooks hooks = hooks_of(&executing);
    return end_of_turn(&executing, rv32_interpret_timed_hooked(rv32, turn, &hooks));
}

uint32_t rv32_run_hooked(struct rv32 *rv32, uint32_t budget, const struct rv32_hooks *hooks)
{
    return rv32->observed ? rv32_run_observed(rv32, budget, hooks) : rv32_interpret_hooked(rv32, budget, hooks);
}
