/* The queues of messages between the host and the ARC processor's firmware (chip/arc/firmware.h). */
#include <string.h>

#include "chip/arc/csm.h"
#include "chip/arc/firmware.h"

#define POST_CODE_MESSAGES_DONE 0xc0de003fu /* scratch register 0 after messages were handled */

enum { QUEUES = 4, ENTRIES = 4, WRAP = 2 * ENTRIES, HEADER_WORDS = 8, ENTRY_BYTES = 4 * MESSAGE_WORDS };
enum { QUEUE_BYTES = 4 * HEADER_WORDS + 2 * ENTRIES * ENTRY_BYTES };

/* Words of a queue's header. */
enum { REQUEST_WRITE, RESPONSE_READ, REQUEST_READ = 4, RESPONSE_WRITE, LAST_SERIAL };

enum { SET_LAST_SERIAL = 0xbe };

uint32_t arc_queue_sizes(void)
{
    return ENTRIES | QUEUES << 8;
}

/* Whether a queue has a request and room for its response. */
static bool has_work(const struct arc *arc, uint32_t queue)
{
    uint32_t request_write = arc_load(arc, queue + 4 * REQUEST_WRITE),
             request_read = arc_load(arc, queue + 4 * REQUEST_READ);
    uint32_t response_write = arc_load(arc, queue + 4 * RESPONSE_WRITE);
    uint32_t response_read = arc_load(arc, queue + 4 * RESPONSE_READ);
    bool sane = request_write < WRAP && request_read < WRAP && response_write < WRAP && response_read < WRAP;
    return sane && request_write != request_read && (response_write - response_read) % WRAP != ENTRIES;
}

static enum step serve_one(struct arc *arc, uint32_t queue)
{
    uint32_t read = arc_load(arc, queue + 4 * REQUEST_READ), write = arc_load(arc, queue + 4 * RESPONSE_WRITE);
    uint32_t requests = queue + 4 * HEADER_WORDS, responses = requests + ENTRIES * ENTRY_BYTES;
    uint32_t request[MESSAGE_WORDS], response[MESSAGE_WORDS] = {0};
    memcpy(request, arc->csm + requests + read % ENTRIES * ENTRY_BYTES, sizeof request);
    uint32_t serial = arc_load(arc, queue + 4 * LAST_SERIAL);
    enum step step = arc_answer(arc, &serial, request, response);
    if (step != STEP_DONE) {
        return step;
    }
    memcpy(arc->csm + responses + write % ENTRIES * ENTRY_BYTES, response, sizeof response);
    arc_store(arc, queue + 4 * REQUEST_READ, (read + 1) % WRAP);
    arc_store(arc, queue + 4 * RESPONSE_WRITE, (write + 1) % WRAP);
    arc_store(arc, queue + 4 * LAST_SERIAL, (request[0] & 0xff) == SET_LAST_SERIAL ? serial : serial + 1);
    return STEP_DONE;
}

enum step arc_firmware_serve(struct arc *arc)
{
    for (unsigned i = 0; i < QUEUES; i++) {
        uint32_t queue = QUEUES_AT + i * QUEUE_BYTES;
        while (has_work(arc, queue)) {
            enum step step = serve_one(arc, queue);
            if (step != STEP_DONE) {
                return step;
            }
        }
    }
    arc->scratch[0] = POST_CODE_MESSAGES_DONE;
    return STEP_DONE;
}
