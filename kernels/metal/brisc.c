/* Firmware of B: prepares the tile, starts the other cores, and then, launch by launch, gets kernels run. */
#include "common.h"
#include "noc.h"

enum { ALL_CACHES = 0x1f, SEMAPHORES = 8 };

struct metal_kernel metal;
struct metal_banks metal_banks;
uint32_t bank_to_dram_offset[METAL_DRAM_BANKS], bank_to_l1_offset[METAL_L1_BANKS];
uint8_t logical_columns[20], logical_rows[12];

static volatile struct go_message *go_message(void)
{
    return (volatile struct go_message *)METAL_GO + load_shared((const volatile uint32_t *)METAL_GO_INDEX);
}

static void set_reset_pcs(void)
{
    static const struct {
        uint16_t reset_register;
        uint32_t value;
    } writes[] = {
        {0x228, METAL_TRISC0_CODE}, {0x22c, METAL_TRISC1_CODE},
        {0x230, METAL_TRISC2_CODE}, {0x234, 7}, /* T0, T1 and T2 begin there */
        {0x238, METAL_NCRISC_CODE}, {0x23c, 1},
    };
    for (uint32_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        *(volatile uint32_t *)(0xffb12000 + writes[i].reset_register) = writes[i].value;
    }
}

/* Dst and the semaphores zero, all lanes of the vector unit enabled, caches empty. */
static void prepare_tile(void)
{
    for (uint32_t i = 0; i < METAL_ZEROES_SIZE; i += 4) {
        *(volatile uint32_t *)(METAL_ZEROES + i) = 0;
    }
    TENSIX_CONFIG[RISCV_IC_INVALIDATE_InvalidateAll_ADDR32] = ALL_CACHES;
    TT_ZEROACC(3, 0, 0, 3, 0);
    TT_SFPENCC(3, 0, 0, 10);
    for (uint32_t i = 0; i < SEMAPHORES; i++) {
        TT_SEMINIT(1, 0, 1u << i);
    }
}

static uint32_t all_run_states(void)
{
    return load_shared((const volatile uint32_t *)METAL_RUN_STATES);
}

static void wait_for_others(void)
{
    while (all_run_states() != RUN_DONE) {
    }
}

static void start_others(void)
{
    *(volatile uint32_t *)METAL_RUN_STATES = RUN_INIT * 0x01010101;
    (void)all_run_states();
    *SOFT_RESET = 0;
    wait_for_others();
}

/* Left to T0, which has time for it. */
static void clear_counters(void)
{
    *run_state(METAL_T0) = RUN_CLEAR_COUNTERS;
}

static void say_done(void)
{
    go_message()->signal = SIGNAL_DONE;
}

/* If the device had sent the launch, frees its message and tells the dispatcher. */
static void tell_dispatcher(volatile struct launch_message *launch)
{
    volatile struct go_message *go = go_message();
    struct noc noc = noc_open(metal.noc);
    struct noc_place counter = {go->dispatcher_x | (uint32_t)go->dispatcher_y << 6,
                                METAL_DISPATCHER_COUNTER + go->counter * 0x1000u};
    volatile uint32_t *next = (volatile uint32_t *)METAL_LAUNCH_READ_PTR;
    launch->enables = 0;
    launch->preload = 0;
    noc_write_register(&noc, counter, 1 << 6);
    noc_wait(&noc, NOC_WR_ACK_RECEIVED);
    *next = (*next + 1) % LAUNCHES;
}

static void wait_for_go(void)
{
    uint8_t signal;
    while ((signal = load_shared_byte(&go_message()->signal)) != SIGNAL_GO &&
           !(next_launch()->preload & METAL_PRELOAD)) {
        if (signal == SIGNAL_REWIND || signal == SIGNAL_REWIND_BY_HOST) {
            *(volatile uint32_t *)METAL_LAUNCH_READ_PTR = 0;
        }
    }
}

static void run_others(uint32_t enables)
{
    while (load_shared_byte(run_state(METAL_T0)) != RUN_DONE) {
    }
    if (enables >> METAL_T0 & 7) {
        *run_state(METAL_T0) = RUN_GO;
        *run_state(METAL_T1) = RUN_GO;
        *run_state(METAL_T2) = RUN_GO;
    }
    if (enables >> METAL_NC & 1) {
        *run_state(METAL_NC) = RUN_GO;
    }
}

static void run(volatile struct launch_message *launch)
{
    uint32_t enables = launch->enables;
    if (enables >> METAL_NC & 1) {
        *run_state(METAL_NC) = RUN_LOAD;
    }
    uint32_t kernel = read_launch(launch, METAL_B);
    TENSIX_CONFIG[RISCV_IC_INVALIDATE_InvalidateAll_ADDR32] = ALL_CACHES;
    run_others(enables);
    if (enables >> METAL_B & 1) {
        call(kernel);
    }
    wait_for_others();
    clear_counters();
}

void firmware_main(void)
{
    *(volatile uint32_t *)METAL_LAUNCH_READ_PTR = 0;
    READ_TABLES();
    read_place();
    set_reset_pcs();
    prepare_tile();
    start_others();
    say_done();
    clear_counters();
    for (;;) {
        wait_for_go();
        volatile struct launch_message *launch = (volatile struct launch_message *)next_launch();
        run(launch);
        uint8_t mode = launch->mode;
        if (mode == LAUNCH_BY_DEVICE) {
            tell_dispatcher(launch);
        }
        say_done();
    }
}
