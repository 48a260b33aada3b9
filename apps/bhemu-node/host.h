/* bhemu-node host: a host, or one for each rank, whose chips ranks have. */
#ifndef BHEMU_APPS_NODE_HOST_H
#define BHEMU_APPS_NODE_HOST_H

/* Initialises and ends MPI. Returns the exit code. */
int node_host(int argc, char **argv);

#endif
