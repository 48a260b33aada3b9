/* Firmware of NC: reads a launch message when B says so, and runs its kernel when B says that. */
#include "common.h"

struct metal_kernel metal;
struct metal_banks metal_banks;
uint32_t bank_to_dram_offset[METAL_DRAM_BANKS], bank_to_l1_offset[METAL_L1_BANKS];
uint8_t logical_columns[20], logical_rows[12];

void firmware_main(void)
{
    READ_TABLES();
    read_place();
    for (;;) {
        *run_state(METAL_NC) = RUN_DONE;
        uint8_t state = wait_to_run(METAL_NC);
        uint32_t kernel = read_launch(next_launch(), METAL_NC);
        while (state != RUN_GO) {
            state = wait_to_run(METAL_NC);
        }
        call(kernel);
        (void)load_shared((const volatile uint32_t *)METAL_RUN_STATES); /* what the kernel stored is in L1 */
    }
}
