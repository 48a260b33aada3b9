/* matmul128, dispatcher and reader (B). */
#include "reader.h"

void kernel_main(void)
{
    multiply();
}
