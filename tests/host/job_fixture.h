/* Job files that a test writes and runs through the public API. */
#ifndef BHEMU_TESTS_HOST_JOB_FIXTURE_H
#define BHEMU_TESTS_HOST_JOB_FIXTURE_H

#include "files.h"

#include "bhemu/job.h"

struct fixture {
    struct folder folder;
    unsigned diagnostics, progress;
    struct bh_diagnostic last;
    struct bh_job_result result;
    struct bh_error error;
};

static inline int make_fixture(void **context)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    make_folder(&fixture->folder);
    *context = fixture;
    return 0;
}

static inline int remove_fixture(void **context)
{
    struct fixture *fixture = *context;
    remove_folder(&fixture->folder);
    free(fixture);
    return 0;
}

static inline void on_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    struct fixture *fixture = context;
    fixture->diagnostics++;
    fixture->last = *diagnostic;
}

static inline void on_progress(void *context, const struct bh_run_result *so_far)
{
    ((struct fixture *)context)->progress++;
}

static inline enum bh_status run_file(struct fixture *fixture, const char *path, const char *output_folder)
{
    struct bh_job *job;
    struct bh_job_options options = {.policy = -1,
                                     .output_folder = output_folder,
                                     .on_diagnostic = on_diagnostic,
                                     .on_progress = on_progress,
                                     .context = fixture};
    fixture->error.text[0] = 0;
    enum bh_status status = bh_job_load(path, &job, &fixture->error);
    if (status == BH_OK) {
        status = bh_job_run(job, &options, &fixture->result, &fixture->error);
    } else {
        assert_null(job);
    }
    bh_job_free(job);
    return status;
}

/* Runs a job of this text. */
static inline enum bh_status run(struct fixture *fixture, const char *text)
{
    return run_file(fixture, put_text(&fixture->folder, "job.yaml", text), NULL);
}

/* Asserts that the job fails like this, with one line that names the reason, and that no file is written. */
static inline void fails(struct fixture *fixture, const char *text, enum bh_status status, const char *cause)
{
    put_text(&fixture->folder, "job.yaml", text);
    unsigned files = count_files(&fixture->folder, 0);
    assert_int_equal(run(fixture, text), status);
    assert_contains(fixture->error.text, cause);
    assert_null(strchr(fixture->error.text, '\n'));
    assert_int_equal(count_files(&fixture->folder, 0), files);
}

#endif
