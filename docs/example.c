/* Runs a program on core B of one tile: it stores 42 to address 0x1000 of L1 and stops. */
#include <stdio.h>

#include "bhemu/device.h"

int main(void)
{
    static const uint32_t program[] = {0x000012b7, 0x02a00313, 0x0062a023, 0x0000006f}; /* lui, li, sw, j . */
    struct bh_device *device;
    uint32_t answer = 0;
    bh_device_create(NULL, &device);
    bh_write(device, 1, 2, 0, program, sizeof program);
    bh_core_start(device, 1, 2, BH_CORE_B, 0);
    bh_run(device, 1000, NULL);
    bh_read(device, 1, 2, 0x1000, &answer, sizeof answer);
    bh_device_destroy(device);
    printf("the answer is %u\n", answer);
    return answer != 42;
}
