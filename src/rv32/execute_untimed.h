/* The interpreter's loop (execute.inc) in functional mode, in which a cycle passes with each instruction that retires:
   what execute_timed.h defines does nothing here. */
#ifndef BHEMU_RV32_EXECUTE_UNTIMED_H
#define BHEMU_RV32_EXECUTE_UNTIMED_H

#define TIMES() ((void)0)
#define FETCH() ((void)0)
#define SHOW_TIME() ((void)0)
#define ENTER_NOW() ((void)0)
#define ENTER(name) ((void)0)
#define ENTER_OP(op) ((void)0)
#define ENTER_THIRD(index) ((void)0)
#define DONE(name) ((void)0)
#define DONE_OP(op) ((void)0)
#define DIVIDED(name, a, b) ((void)0)
#define BEYOND() ((void)0)
#define BEYOND_RAM(address, offset) ((void)0)
#define ENTER_LOAD(offset) ((void)0)
#define BEYOND_WORDS(address, offset) ((void)0)
#define LOAD_COUNTER(type, upper, address) ((void)0)
#define STORE_COMMAND(type, address) ((void)0)
#define RELEASES_STORES() ((void)0)
#define FETCH_AGAIN() ((void)0)
#define LOADED(rd, address, size) ((void)0)
#define KEEP_REPLACED(replaced, place) ((void)&(replaced))
#define STORED(address, size, replaced_bytes) ((void)0)
#define EXCHANGED(rd, address) ((void)0)
#define FENCED() ((void)0)
#define SYNCHRONIZED(rd) ((void)0)
#define ENTER_PUSH() ((void)0)
/* Whether an instruction could be pushed into its FIFO directly, with nothing else to be done. */
#define PUSHES(word) (rv32->pushes && fifo_push(rv32->pushes, word, PC))
#define PUSHED() ((void)0)
#define ENTER_VECTOR(word) ((void)0)
#define VECTOR_DONE(word) ((void)0)
#define TAKEN(distance) ((void)0)
#define NOT_TAKEN() ((void)0)
#define TELL_TIME() ((void)0)
#define ACTED_AT(address) ((void)0)
#define GOES_ON_ROUND() false
#define STOPS_AT_POLLING() false
#define RUN_OBSERVED() rv32_run_observed(rv32, budget, NULL)
#define RETIRE() rv32_retire(rv32, instret + (budget - left))

#endif
