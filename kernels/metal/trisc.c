/* Firmware of T0, T1 and T2; PROCESSOR says which. T0 also clears the counters of circular buffers when B asks for it:
   two registers of an overlay stream each. */
#include "circular_buffer.h"
#include "common.h"

enum { FIRST_STREAM = 8, GPRS = 64 };

struct metal_kernel metal;

static void clear_counters(void)
{
    for (uint32_t i = 0; i < METAL_BUFFERS; i++) {
        circular_buffer_reset(FIRST_STREAM + i);
    }
}

static void clear_gprs(void)
{
    volatile uint32_t *gprs = (volatile uint32_t *)0xffe00000;
    for (uint32_t i = 0; i < GPRS; i++) {
        gprs[i] = 0;
    }
}

void firmware_main(void)
{
    read_place();
    clear_gprs();
    tensix_wait_idle(); /* B has pushed instructions to T0 */
    for (;;) {
        *run_state(PROCESSOR) = RUN_DONE;
        if (wait_to_run(PROCESSOR) == RUN_CLEAR_COUNTERS) {
            clear_counters();
            continue;
        }
        const volatile struct launch_message *launch = next_launch();
        uint32_t kernel = read_launch(launch, PROCESSOR);
        if (launch->enables >> PROCESSOR & 1) {
            call(kernel);
            tensix_wait_idle();
        }
    }
}
