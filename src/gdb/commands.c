/* Packets from gdb, and the answers. */
#include <stdio.h>
#include <string.h>

#include "gdb/state.h"
#include "util/bits.h"

static void answer(struct bh_gdb *gdb, const char *text)
{
    packet_text(&gdb->reply, "%s", text);
}

void gdb_say(struct bh_gdb *gdb, const char *text)
{
    static const size_t most = 2000;
    if (gdb->non_stop && !gdb->answers) { /* there gdb takes it for the answer to what it asks next */
        return;
    }
    for (size_t left = strlen(text); left && link_connected(&gdb->link);) {
        size_t size = left < most ? left : most;
        packet_begin(&gdb->notice);
        packet_text(&gdb->notice, "O");
        packet_hex(&gdb->notice, text, size);
        link_send(&gdb->link, &gdb->notice, '$');
        text += size;
        left -= size;
    }
}

/* Stops. */

static void write_stop(struct bh_gdb *gdb, struct packet_writer *writer, unsigned number, struct gdb_stop stop)
{
    static const char *const causes[] = {[GDB_NOTHING] = "",
                                         [GDB_STOPPED] = "",
                                         [GDB_SOFTWARE_BREAKPOINT] = "swbreak:;",
                                         [GDB_HARDWARE_BREAKPOINT] = "hwbreak:;",
                                         [GDB_WATCHED_WRITE] = "watch",
                                         [GDB_WATCHED_READ] = "rwatch",
                                         [GDB_WATCHED_ACCESS] = "awatch",
                                         [GDB_HISTORY_BEGINS] = "replaylog:begin;",
                                         [GDB_HISTORY_ENDS] = "replaylog:end;"};
    const struct gdb_thread *thread = gdb_thread(gdb, number);
    uint32_t pc = gdb_pc(gdb, thread);
    packet_text(writer, "T%02xthread:%x;", stop.signal, number);
    packet_text(writer, "%s", causes[stop.cause]);
    if (stop.cause >= GDB_WATCHED_WRITE && stop.cause <= GDB_WATCHED_ACCESS) {
        packet_text(writer, ":%x;", stop.address);
    }
    packet_text(writer, "%x:", GDB_PC);
    packet_hex(writer, &pc, sizeof pc);
    packet_text(writer, ";");
}

void gdb_send_stop(struct bh_gdb *gdb, unsigned thread, struct gdb_stop stop)
{
    packet_begin(&gdb->notice);
    write_stop(gdb, &gdb->notice, thread, stop);
    link_send(&gdb->link, &gdb->notice, '$');
}

void gdb_answer_stop(struct bh_gdb *gdb, unsigned thread, struct gdb_stop stop)
{
    write_stop(gdb, &gdb->reply, thread, stop);
}

/* The first thread whose stop gdb has not been told; 0: none. */
static unsigned first_untold(const struct bh_gdb *gdb)
{
    for (unsigned i = 0; i < gdb->thread_count; i++) {
        if (gdb->threads[i].held && gdb->threads[i].untold) {
            return i + 1;
        }
    }
    return 0;
}

void gdb_notify(struct bh_gdb *gdb)
{
    unsigned thread = gdb->telling ? 0 : first_untold(gdb);
    if (thread) {
        gdb->telling = true;
        packet_begin(&gdb->notice);
        packet_text(&gdb->notice, "Stop:");
        write_stop(gdb, &gdb->notice, thread, gdb_thread(gdb, thread)->stop);
        link_send(&gdb->link, &gdb->notice, '%');
    }
}

/* vStopped: gdb has heard of one, and wants the next. */
static void tell_next(struct bh_gdb *gdb)
{
    unsigned told = first_untold(gdb);
    if (told && gdb->telling) {
        gdb_thread(gdb, told)->untold = false;
    }
    unsigned next = first_untold(gdb);
    gdb->telling = next != 0;
    if (next) {
        write_stop(gdb, &gdb->reply, next, gdb_thread(gdb, next)->stop);
    } else {
        answer(gdb, "OK");
    }
}

static void tell_why(struct bh_gdb *gdb)
{
    if (!gdb->non_stop) {
        write_stop(gdb, &gdb->reply, gdb->why_thread, gdb->why);
        return;
    }
    unsigned first = 0;
    for (unsigned i = 1; i <= gdb->thread_count; i++) { /* gdb 13 fails when it is told of more than one here */
        struct gdb_thread *thread = gdb_thread(gdb, i);
        first = first || !thread->held ? first : i;
        thread->untold = i == first;
        thread->late = thread->held && i != first;
    }
    gdb->telling = first != 0;
    if (first) {
        write_stop(gdb, &gdb->reply, first, gdb_thread(gdb, first)->stop);
    } else {
        answer(gdb, "OK");
    }
}

/* Queries. */

static void list_threads(struct bh_gdb *gdb)
{
    for (unsigned i = 1; i <= gdb->thread_count; i++) {
        packet_text(&gdb->reply, "%c%x", i == 1 ? 'm' : ',', i);
    }
}

static bool take_thread(struct bh_gdb *gdb, const char **text, unsigned *thread)
{
    uint64_t number;
    *thread = 0;
    if (packet_take(text, "-1")) {
        return true;
    }
    if (!packet_number(text, &number) || number > gdb->thread_count) {
        return false;
    }
    *thread = (unsigned)number;
    return true;
}

static void set_non_stop(struct bh_gdb *gdb, const char *rest)
{
    static const struct gdb_stop stopped = {.cause = GDB_STOPPED, .signal = GDB_SIGNAL_NONE};
    bool non_stop = *rest == '1';
    if (non_stop && gdb_records(gdb)) {
        answer(gdb, "E.there is no recording in non-stop mode");
    } else if ((*rest != '0' && *rest != '1') || rest[1]) {
        answer(gdb, "E01");
    } else if (gdb->stopped && non_stop && !gdb->event) { /* all threads are, and each goes on by itself */
        gdb->non_stop = true;
        for (unsigned i = 0; i < gdb->thread_count; i++) {
            gdb_hold(gdb, &gdb->threads[i], stopped);
            gdb->threads[i].untold = false;
        }
        gdb->stopped = false;
        answer(gdb, "OK");
    } else {
        answer(gdb, non_stop == gdb->non_stop ? "OK" : "E.non-stop mode can only be chosen before the program has run");
    }
}

static void query(struct bh_gdb *gdb, const char *packet)
{
    const char *rest = packet;
    unsigned thread;
    if (packet_take(&rest, "qSupported")) {
        packet_text(&gdb->reply,
                    "PacketSize=%x;QStartNoAckMode+;QNonStop+;vContSupported+;swbreak+;hwbreak+;"
                    "ReverseStep+;ReverseContinue+;"
                    "qXfer:features:read+;qXfer:threads:read+;qXfer:memory-map:read+",
                    PACKET_SIZE);
    } else if (packet_take(&rest, "qXfer:")) {
        if (!gdb_transfer(gdb, rest)) {
            answer(gdb, "E00");
        }
    } else if (packet_take(&rest, "qRcmd,")) {
        char command[300];
        size_t length = strlen(rest) / 2;
        if (length >= sizeof command || !packet_bytes(&rest, command, length) || *rest) {
            answer(gdb, "E01");
        } else {
            command[length] = 0;
            gdb->answers = true;
            gdb_monitor(gdb, command);
            gdb->answers = false;
        }
    } else if (packet_take(&rest, "qThreadExtraInfo,")) {
        if (take_thread(gdb, &rest, &thread) && thread) {
            packet_hex(&gdb->reply, gdb_thread(gdb, thread)->name, strlen(gdb_thread(gdb, thread)->name));
        } else {
            answer(gdb, "E01");
        }
    } else if (packet_take(&rest, "QNonStop:")) {
        set_non_stop(gdb, rest);
    } else if (strcmp(packet, "QStartNoAckMode") == 0) {
        gdb->link.acknowledges = false;
        answer(gdb, "OK");
    } else if (strcmp(packet, "qC") == 0) {
        packet_text(&gdb->reply, "QC%x", gdb->general);
    } else if (strcmp(packet, "qfThreadInfo") == 0) {
        list_threads(gdb);
    } else if (strcmp(packet, "qsThreadInfo") == 0) {
        answer(gdb, "l");
    } else if (strcmp(packet, "qAttached") == 0) {
        answer(gdb, "1"); /* gdb lets it go on when gdb ends */
    } else if (strcmp(packet, "qSymbol::") == 0) {
        answer(gdb, "OK");
    }
}

/* Registers and memory, of the thread that Hg has named. */

static void registers(struct bh_gdb *gdb, const char *packet)
{
    struct gdb_thread *thread = gdb_thread(gdb, gdb->general);
    const char *rest = packet + 1;
    uint64_t number;
    if (*packet == 'g') {
        for (unsigned i = 0; i < gdb_register_count(); i++) {
            (void)gdb_read_register(gdb, thread, i);
        }
    } else if (*packet == 'G') {
        for (unsigned i = 0; *rest && i < gdb_register_count(); i++) {
            size_t digits = 2 * (size_t)gdb_register_size(i);
            if (strlen(rest) < digits) {
                answer(gdb, "E01");
                return;
            }
            (void)gdb_write_register(gdb, thread, i, rest); /* what is read-only stays as it is */
            rest += digits;
        }
        gdb_record_changed(gdb);
        answer(gdb, "OK");
    } else if (*packet == 'p') {
        if (!packet_number(&rest, &number) || *rest || !gdb_read_register(gdb, thread, (unsigned)number)) {
            packet_begin(&gdb->reply);
            answer(gdb, "E01");
        }
    } else {
        bool right = packet_number(&rest, &number) && packet_take(&rest, "=") && number < gdb_register_count() &&
                     gdb_write_register(gdb, thread, (unsigned)number, rest);
        if (right) {
            gdb_record_changed(gdb);
        }
        answer(gdb, right ? "OK" : "E01");
    }
}

static bool take_range(const char **rest, uint32_t *address, uint32_t *size)
{
    uint64_t first, length;
    if (!packet_number(rest, &first) || !packet_take(rest, ",") || !packet_number(rest, &length) ||
        first > UINT32_MAX || length > PACKET_SIZE) {
        return false;
    }
    *address = (uint32_t)first;
    *size = (uint32_t)length;
    return true;
}

static void memory(struct bh_gdb *gdb, const char *packet, size_t packet_size)
{
    const struct gdb_thread *thread = gdb_thread(gdb, gdb->general);
    const char *rest = packet + 1;
    uint8_t data[PACKET_SIZE];
    uint32_t address, size;
    bool right = take_range(&rest, &address, &size);
    if (right && *packet == 'm') {
        size = size < PACKET_SIZE / 2 ? size : PACKET_SIZE / 2;
        right = !*rest && size && gdb_read_memory(gdb, thread, address, data, size);
        if (right) {
            packet_hex(&gdb->reply, data, size);
            return;
        }
    } else if (right) {
        right = packet_take(&rest, ":");
        if (right && *packet == 'M') {
            right = packet_bytes(&rest, data, size) && !*rest;
        } else if (right) { /* X: bytes as they are */
            right = (size_t)(packet + packet_size - rest) == size;
            memcpy(data, rest, right ? size : 0);
        }
        right = right && (!size || gdb_write_memory(gdb, thread, address, data, size));
        if (right && size) {
            gdb_record_changed(gdb);
        }
    }
    answer(gdb, right ? "OK" : "E01");
}

/* Z and z. */
static void change_points(struct bh_gdb *gdb, const char *packet)
{
    const char *rest = packet + 1;
    uint64_t type;
    struct gdb_point point;
    unsigned i = 0;
    if (!packet_number(&rest, &type) || !packet_take(&rest, ",") || !take_range(&rest, &point.address, &point.size)) {
        answer(gdb, "E01");
        return;
    }
    if (type > 4) {
        return; /* not known */
    }
    point.type = (uint8_t)type;
    while (i < gdb->point_count && (gdb->points[i].type != point.type || gdb->points[i].address != point.address ||
                                    gdb->points[i].size != point.size)) {
        i++;
    }
    if (*packet == 'z') {
        if (i < gdb->point_count) {
            gdb->points[i] = gdb->points[--gdb->point_count];
        }
    } else if (i == GDB_POINTS) {
        answer(gdb, "E02");
        return;
    } else if (i == gdb->point_count) {
        gdb->points[gdb->point_count++] = point;
    }
    answer(gdb, "OK");
}

static void set_thread(struct bh_gdb *gdb, const char *packet)
{
    const char *rest = packet + 2;
    unsigned thread;
    if (!packet[1] || !take_thread(gdb, &rest, &thread) || *rest) {
        answer(gdb, "E01");
        return;
    }
    if (packet[1] == 'g' && thread) {
        gdb->general = thread;
    } else if (packet[1] == 'c') {
        gdb->control = thread;
    }
    answer(gdb, "OK");
}

static void end_session(struct bh_gdb *gdb, bool kills)
{
    gdb->killed = kills;
    gdb_let_go(gdb);
    gdb->link.attention = kills;
}

static void multi_letter(struct bh_gdb *gdb, const char *packet)
{
    const char *rest = packet;
    if (strcmp(packet, "vCont?") == 0) {
        answer(gdb, "vCont;c;C;s;S;t;r");
    } else if (packet_take(&rest, "vCont")) {
        gdb_resume(gdb, rest);
    } else if (strcmp(packet, "vStopped") == 0) {
        tell_next(gdb);
    } else if (strcmp(packet, "vCtrlC") == 0) {
        gdb->stop_asked = true;
        answer(gdb, "OK");
    } else if (packet_take(&rest, "vKill")) {
        end_session(gdb, true);
        answer(gdb, "OK");
    } else if (packet_take(&rest, "vRun") || packet_take(&rest, "vAttach")) {
        answer(gdb, "E.the emulator has loaded its programs already: gdb cannot start others");
    }
}

/* bs, bc. In non-stop mode gdb takes the thread for one that runs now, and waits for its stop rather than an answer. */
static void go_back(struct bh_gdb *gdb, const char *packet)
{
    bool step = strcmp(packet, "bs") == 0;
    const char *why = step || strcmp(packet, "bc") == 0 ? gdb_go_back(gdb, step) : NULL;
    if (why && gdb->non_stop) {
        struct gdb_thread *thread = gdb_thread(gdb, gdb->control ? gdb->control : gdb->general);
        thread->untold = thread->held;
        thread->stop = (struct gdb_stop){.cause = GDB_STOPPED, .signal = GDB_SIGNAL_TRAP};
        packet_text(&gdb->reply, "O");
        packet_hex(&gdb->reply, why, strlen(why));
        packet_hex(&gdb->reply, "\n", 1);
    } else if (why) {
        packet_text(&gdb->reply, "E.%s", why);
    }
}

static void execute(struct bh_gdb *gdb, const char *packet, size_t size)
{
    uint64_t number;
    const char *rest = packet + 1;
    switch (*packet) {
    case '?': tell_why(gdb); break;
    case 'q':
    case 'Q': query(gdb, packet); break;
    case 'g':
    case 'G':
    case 'p':
    case 'P': registers(gdb, packet); break;
    case 'm':
    case 'M':
    case 'X': memory(gdb, packet, size); break;
    case 'Z':
    case 'z': change_points(gdb, packet); break;
    case 'H': set_thread(gdb, packet); break;
    case 'T': answer(gdb, packet_number(&rest, &number) && number && number <= gdb->thread_count ? "OK" : "E01"); break;
    case 'v': multi_letter(gdb, packet); break;
    case 'c': gdb_resume(gdb, packet[1] ? "" : ";c"); break;
    case 's': gdb_resume(gdb, packet[1] ? "" : ";s"); break;
    case 'b': go_back(gdb, packet); break;
    case 'D':
        end_session(gdb, false);
        answer(gdb, "OK");
        break;
    case 'k': end_session(gdb, true); break;
    default: break; /* not known: an empty answer */
    }
}

/* Stops that gdb was not told of at its first question. */
static void tell_late(struct bh_gdb *gdb)
{
    for (unsigned i = 0; i < gdb->thread_count; i++) {
        struct gdb_thread *thread = &gdb->threads[i];
        thread->untold |= thread->late && thread->held;
        thread->late = false;
    }
    gdb_notify(gdb);
}

void gdb_command(struct bh_gdb *gdb, const char *packet, size_t size)
{
    bool was_stopped = gdb->stopped, told = !gdb->telling;
    packet_begin(&gdb->reply);
    execute(gdb, packet, size);
    bool runs = was_stopped && !gdb->stopped && !gdb->reply.size; /* the stop will be the answer */
    if (!runs && *packet != 'k') {
        link_send(&gdb->link, &gdb->reply, '$');
    }
    if (*packet == 'D' || gdb->killed) {
        link_drop(&gdb->link);
    }
    if (gdb->non_stop && *packet == 'b') {
        gdb_notify(gdb);
    }
    if (gdb->non_stop && told && (strncmp(packet, "vCont;", 6) == 0 || strncmp(packet, "qSymbol", 7) == 0)) {
        tell_late(gdb);
    }
}
