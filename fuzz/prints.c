/* What kernels print: formats, and print buffers. */
#include <string.h>

#include "bhemu/print.h"
#include "fuzz.h"
#include "host/metal_print_fmt.h"
#include "watch/print_format.h"

enum { X = 1, Y = 2, CORE_INFO = 0x8b8, BUFFERS = CORE_INFO - 0x400, MOST = 2048 };

static bool read_memory(const struct print_memory *memory, uint32_t address, void *data, uint32_t size)
{
    static const char text[64] = "a text\0of the memory";
    if (address >= sizeof text || size > sizeof text - address) {
        return false;
    }
    memcpy(data, text + address, size);
    return true;
}

static const struct print_memory memory = {read_memory};

/* The first bytes are arguments, the others a format. */
static void format(bool of_metal, const uint8_t *bytes, size_t size)
{
    enum { ARGUMENTS = 4, ARGUMENT_BYTES = 8 * ARGUMENTS };
    char template[MOST + 1] = "";
    struct print_argument arguments[ARGUMENTS];
    struct print_text text = {};
    if (size < ARGUMENT_BYTES || size > MOST) {
        return;
    }
    memcpy(template, bytes + ARGUMENT_BYTES, size - ARGUMENT_BYTES);
    for (unsigned i = 0; i < ARGUMENTS; i++) {
        memcpy(&arguments[i].bits, bytes + 8 * i, sizeof arguments[i].bits);
        arguments[i].kind = arguments[i].bits & 3;
    }
    if (of_metal) {
        metal_add_message(&text, template, bytes, ARGUMENT_BYTES, NULL, &memory);
    } else {
        print_format(&text, template, arguments, ARGUMENTS, &memory);
    }
    print_text_free(&text);
}

static void on_line(void *context, const struct bh_print_line *line)
{
    (void)strlen(line->text);
}

/* What is in the buffers of a tile changes between looks. */
static void read_buffers(unsigned which, const uint8_t *bytes, size_t size)
{
    static const uint32_t header[] = {0x72706862, 0x31746e69, 248}; /* of printf() */
    const struct bh_print_options options = {.on_line = on_line};
    const struct metal_layout layout = {.core_info = CORE_INFO};
    const struct metal_print_tile tile = {.x = X, .y = Y};
    struct metal_core_formats none[BH_CORE_COUNT] = {};
    struct bh_device *device;
    struct bh_print *print;
    struct metal_formats *formats = metal_formats_new();
    if (bh_device_create(NULL, &device) != BH_OK) {
        return;
    }
    if (formats && bh_print_open(device, &options, &print) == BH_OK) {
        uint32_t address = which == 0 ? BH_PRINT_ADDRESS : BUFFERS;
        (void)(which == 0   ? bh_print_add_all(print, X, Y)
               : which == 1 ? metal_print_add(print, formats, device, &layout, &tile, false)
                            : metal_print_add_messages(print, &tile, BUFFERS, none));
        for (size_t at = 0; at < size; at += MOST / 2) {
            size_t part = size - at < MOST / 2 ? size - at : MOST / 2;
            (void)bh_write(device, X, Y, address, bytes + at, (uint32_t)part);
            if (which == 0 && bytes[at] & 3) {
                (void)bh_write(device, X, Y, address, header, sizeof header);
            }
            print_visit(print);
        }
        bh_print_close(print);
    }
    metal_formats_free(formats);
    bh_device_destroy(device);
}

void fuzz_print(const uint8_t *bytes, size_t size)
{
    if (size == 0) {
        return;
    }
    unsigned which = *bytes % 5;
    if (which < 2) {
        format(which, bytes + 1, size - 1);
    } else {
        read_buffers(which - 2, bytes + 1, size - 1);
    }
}
