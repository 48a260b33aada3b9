#include "chip/snapshot/parts.h"

void archive_traffic(struct archive *archive, struct network *network)
{
    archive_wrong(archive, "snapshots of timed mode are not there yet");
}
