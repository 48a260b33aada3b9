/* Each job of tests/host/bad_jobs.h is refused when it is read, with its file, line, key, value, and the allowed
   values. */
#include "bad_jobs.h"
#include "job_fixture.h"

static void each_is_refused_when_it_is_read(void **context)
{
    struct fixture *fixture = *context;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof bad_jobs / sizeof *bad_jobs; i++) {
        struct bh_job *job;
        struct bh_error error = {};
        const char *path = put_text(&fixture->folder, "job.yaml", bad_jobs[i].text);
        enum bh_status status = bh_job_load(path, &job, &error);
        const char *message = error.text + strlen(path);
        if (status == BH_OK || strchr(error.text, '\n') || strncmp(error.text, path, strlen(path)) != 0 ||
            strncmp(message, bad_jobs[i].message, strlen(bad_jobs[i].message)) != 0) {
            print_error("%s--- says\n%s\n--- not\n%s\n\n", bad_jobs[i].text, status == BH_OK ? "nothing" : message,
                        bad_jobs[i].message);
            wrong++;
        }
        bh_job_free(job);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_is_refused_when_it_is_read, make_fixture, remove_fixture),
    };
    return cmocka_run_group_tests_name("host.bad_jobs", tests, NULL, NULL);
}
