/* What an epoch costs when the chips of a system are in several processes: forked ones, and ranks of MPI. */
#ifndef BHEMU_BENCH_PROCESSES_H
#define BHEMU_BENCH_PROCESSES_H

/* Prints a table. folder: where the commands and kernels were built. Rows of commands that are not there are left out.
 */
void print_processes(const char *folder);

#endif
