#include "check/view.h"

#include <stdlib.h>
#include <string.h>

void view_free(struct view *view)
{
    free(view->tile);
    *view = (struct view){};
}

const struct view_tile *view_find(const struct view *view, uint32_t tile)
{
    for (uint32_t i = 0; i < view->count; i++) {
        if (view->tile[i].tile == tile) {
            return &view->tile[i];
        }
    }
    return NULL;
}

struct view_tile *view_of(struct view *view, uint32_t tile)
{
    struct view_tile *known = (struct view_tile *)view_find(view, tile);
    if (known) {
        return known;
    }
    if (view->count == view->room) {
        uint32_t room = view->room ? 2 * view->room : 1;
        struct view_tile *more = realloc(view->tile, room * sizeof *more);
        if (!more) {
            return NULL;
        }
        view->tile = more;
        view->room = room;
    }
    known = &view->tile[view->count++];
    memset(known, 0, sizeof *known);
    known->tile = tile;
    return known;
}

bool view_join(struct view *to, const struct view *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        struct view_tile *known = view_of(to, from->tile[i].tile);
        if (!known) {
            return false;
        }
        for (unsigned part = 0; part < CHECK_PARTS; part++) {
            uint32_t theirs = from->tile[i].known[part];
            known->known[part] = known->known[part] < theirs ? theirs : known->known[part];
        }
    }
    return true;
}

bool view_includes(const struct view *view, const struct view *other, uint32_t tile, unsigned part)
{
    for (uint32_t i = 0; i < other->count; i++) {
        const struct view_tile *theirs = &other->tile[i], *known = view_find(view, theirs->tile);
        for (unsigned j = 0; j < CHECK_PARTS; j++) {
            bool left_out = theirs->tile == tile && j == part;
            if (!left_out && theirs->known[j] > (known ? known->known[j] : 0)) {
                return false;
            }
        }
    }
    return true;
}
