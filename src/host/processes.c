#include "host/processes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/fail.h"

enum bh_status processes_start(struct processes *all, struct bh_error *error)
{
    pid_t parent = getpid();
    all->dead = all->ranks;
    fflush(NULL); /* or children would write it again */
    for (unsigned rank = 0; rank < all->ranks; rank++) {
        pid_t pid = fork();
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != parent) { /* it has died before that */
                _exit(1);
            }
            int code = all->run(all->context, rank);
            fflush(NULL);
            _exit(code);
        }
        if (pid < 0) {
            shared_tell_of_death(all->shared, rank);
            return fail(error, BH_ERROR_MEMORY, "process %u can not be started: %s", rank, strerror(errno));
        }
        all->pids[rank] = pid;
    }
    return BH_OK;
}

unsigned processes_look(struct processes *all)
{
    unsigned left = 0;
    for (unsigned rank = 0; rank < all->ranks; rank++) {
        int status;
        pid_t pid = all->pids[rank] ? waitpid(all->pids[rank], &status, WNOHANG) : -1;
        left += pid == 0;
        if (pid <= 0) {
            continue;
        }
        all->pids[rank] = 0;
        if (!all->ended_well(all->context, rank, status)) {
            shared_tell_of_death(all->shared, rank);
            all->how = all->dead == all->ranks ? status : all->how;
            all->dead = all->dead == all->ranks ? rank : all->dead;
        }
    }
    return left;
}

const char *process_end(int how, char text[60])
{
    (void)snprintf(text, 60, WIFSIGNALED(how) ? "was ended by signal %d" : "exited with status %d",
                   WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how));
    return text;
}
