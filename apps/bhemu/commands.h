/* The commands of bhemu. Each takes its own name as argv[0] and returns the exit code:
   0 done, 1 the input is bad or the work failed (one line on stderr says why), 2 used wrongly. */
#ifndef BHEMU_COMMANDS_H
#define BHEMU_COMMANDS_H

enum { EXIT_USAGE = 2, EXIT_FINDINGS = 3 };

int command_asm(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_disasm(int argc, char **argv);
int command_host(int argc, char **argv);
int command_isa(int argc, char **argv);
int command_new(int argc, char **argv);
int command_run(int argc, char **argv);

#endif
