/* Packets of gdb: framing, checksums, escapes, and whatever else may come over the socket. */
#include "gdb/packet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct packet_reader reader;
static struct packet_writer writer;

static enum packet_event feed(const char *bytes, size_t size)
{
    enum packet_event last = PACKET_NOTHING;
    for (size_t i = 0; i < size; i++) {
        last = packet_read(&reader, (uint8_t)bytes[i]);
    }
    return last;
}

static int set_up(void **context)
{
    memset(&reader, 0, sizeof reader);
    packet_begin(&writer);
    return 0;
}

static void a_packet_has_a_checksum(void **context)
{
    assert_int_equal(feed("$g#67", 5), PACKET_WHOLE);
    assert_string_equal(reader.data, "g");
    assert_int_equal(feed("$g#68", 5), PACKET_WRONG);
    assert_int_equal(feed("$g#6x", 5), PACKET_WRONG);
    assert_int_equal(feed("noise$m0,4#FD", 13), PACKET_WHOLE);
    assert_string_equal(reader.data, "m0,4");
    assert_int_equal(feed("$m0,$g#67", 9), PACKET_WHOLE);
    assert_string_equal(reader.data, "g");
}

static void acknowledgements_and_interrupts_are_outside_of_packets(void **context)
{
    assert_int_equal(feed("+", 1), PACKET_ACK);
    assert_int_equal(feed("-", 1), PACKET_NACK);
    assert_int_equal(feed("\3", 1), PACKET_INTERRUPT);
    assert_int_equal(feed("$+-\3", 4), PACKET_NOTHING);
    assert_int_equal(feed("#5b", 3), PACKET_WHOLE);
    assert_int_equal(reader.size, 3);
}

static void what_is_written_is_read_again(void **context)
{
    char frame[PACKET_SIZE + PACKET_FRAME];
    uint8_t bytes[256];
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)i;
    }
    packet_binary(&writer, bytes, sizeof bytes);
    assert_false(writer.full);
    assert_int_equal(feed(frame, packet_frame(&writer, '$', frame)), PACKET_WHOLE);
    assert_int_equal(reader.size, sizeof bytes);
    assert_memory_equal(reader.data, bytes, sizeof bytes);
}

static void packets_that_are_too_long_are_refused(void **context)
{
    assert_int_equal(feed("$", 1), PACKET_NOTHING);
    for (unsigned i = 0; i < PACKET_SIZE + 100; i++) {
        assert_int_equal(feed("x", 1), PACKET_NOTHING);
    }
    assert_int_equal(feed("#00", 3), PACKET_WRONG);
    assert_int_equal(feed("$g#67", 5), PACKET_WHOLE);
    for (unsigned i = 0; i < PACKET_SIZE; i++) {
        packet_text(&writer, "xy");
    }
    assert_true(writer.full);
    assert_int_equal(writer.size, PACKET_SIZE);
}

static void numbers_have_limits(void **context)
{
    const char *text = "12ab,";
    uint64_t number;
    assert_true(packet_number(&text, &number));
    assert_int_equal(number, 0x12ab);
    assert_string_equal(text, ",");
    assert_false(packet_number(&text, &number));
    text = "00000000000000001";
    assert_false(packet_number(&text, &number));
    uint8_t bytes[2];
    text = "0a1";
    assert_false(packet_bytes(&text, bytes, 2));
}

static void random_bytes_do_no_harm(void **context)
{
    static const char often[] = "$#}+-\3vCont;ZzmMXgGpPqH0123456789abcdef,:;";
    unsigned seed = 1;
    for (unsigned i = 0; i < 2000000; i++) {
        seed = seed * 1103515245 + 12345;
        unsigned draw = seed >> 16;
        char byte = draw & 64 ? (char)draw : often[draw % (sizeof often - 1)];
        (void)feed(&byte, 1);
        assert_true(reader.size <= PACKET_SIZE);
    }
    (void)feed("#00", 3);
    assert_int_equal(feed("$g#67", 5), PACKET_WHOLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_packet_has_a_checksum, set_up),
        cmocka_unit_test_setup(acknowledgements_and_interrupts_are_outside_of_packets, set_up),
        cmocka_unit_test_setup(what_is_written_is_read_again, set_up),
        cmocka_unit_test_setup(packets_that_are_too_long_are_refused, set_up),
        cmocka_unit_test_setup(numbers_have_limits, set_up),
        cmocka_unit_test_setup(random_bytes_do_no_harm, set_up),
    };
    return cmocka_run_group_tests_name("gdb packets", tests, NULL, NULL);
}
