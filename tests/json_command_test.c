/* bhemu run --json and --junit: what they say of jobs that end in each way, as parsers read it. */
#include "host/files.h"
#include "host/process.h"

static char output[1 << 16];

#define JOB(elf, more) "tiles:\n  - at: [1, 2]\n    programs: [{core: T0, elf: " elf ".elf}]\n" more

static int set_up(void **context)
{
    const uint32_t good[] = {lui(T0, 0x20000), addi(T1, ZERO, 7), sw(T1, T0, 0), SELF_JUMP};
    const uint32_t wild[] = {lui(T0, 0x40000000), sw(T1, T0, 0), SELF_JUMP};
    const uint32_t waits[] = {lui(T0, 0x20000), lw(T1, T0, 0), branch(BEQ, T1, ZERO, -4), SELF_JUMP};
    make_folder_of_test(context);
    put_elf(*context, "good.elf", 0x1000, good, 4);
    put_elf(*context, "wild.elf", 0x1000, wild, 3);
    put_elf(*context, "waits.elf", 0x1000, waits, 4);
    put_text(*context, "wild.yaml", JOB("wild", ""));
    put_text(*context, "waits.yaml", JOB("waits", ""));
    put_text(*context, "kept.yaml",
             JOB("good", "    outputs: [{file: out.npy, address: 0x20000, shape: [1, 2], format: int32}]\n"));
    put_text(*context, "same.yaml",
             JOB("good", "    outputs: [{expect: out.npy, address: 0x20000, shape: [1, 2], format: int32}]\n"));
    put_text(*context, "other.yaml",
             JOB("good", "    outputs: [{expect: out.npy, address: 0x20004, shape: [1, 2], format: int32}]\n"));
    put_text(*context, "two.yaml",
             "system: x2\nchips:\n  - chips: [0, 1]\n    tiles:\n      - at: [1, 2]\n"
             "        programs: [{core: T0, elf: wild.elf}]\n");
    return 0;
}

/* Runs a script of the shell in the folder, in which `bhemu` is the command. Returns its exit code. */
static int shell(const struct folder *folder, const char *script)
{
    char command[8192];
    snprintf(command, sizeof command, "exec 2>&1; cd %s; PATH=%s:$PATH; %s", folder->path, BHEMU_BUILD_DIR, script);
    return run_in_shell(command, output, sizeof output);
}

/* Runs jobs with --json, which end with `code`, and asserts what Python finds in the list `jobs`, and in `whole`. */
static void finds(const struct folder *folder, const char *arguments, int code, const char *assertions)
{
    char script[8000];
    snprintf(script, sizeof script,
             "bhemu run --json %s >out.json 2>err; test $? = %d || { cat err; exit 9; }\npython3 - <<'END'\n"
             "import json\nwhole = json.load(open('out.json'))\njobs = whole['jobs']\nerr = open('err').read()\n"
             "assert whole['format'] == 1 and whole['exit_code'] == %d, whole\n"
             "def same(a, b):\n    assert a == b, (a, b)\n%s\nEND",
             arguments, code, code, assertions);
    if (shell(folder, script) != 0) {
        fail_msg("bhemu run --json %s: %s", arguments, output);
    }
}

static void a_good_run_is_told(void **context)
{
    finds(*context, "kept.yaml", 0,
          "[job] = jobs\n"
          "same([job[k] for k in ('job', 'exit_code', 'result', 'mode', 'reason', 'error')],\n"
          "     ['kept.yaml', 0, 'ok', 'functional', 'idle', None])\n"
          "same((job['riscv_instructions'], job['tensix_instructions'], job['outputs']), (3, 0, 1))\n"
          "assert job['cycles'] >= 3 and 0 < job['seconds'] < 60\n"
          "same((job['comparisons'], job['diagnostics'], job['prints']), ([], [], []))\n"
          "assert 'check' not in job and 'kept.yaml: ok' in err");
    finds(*context, "--timed kept.yaml", 0, "same(jobs[0]['mode'], 'timed')");
}

static void comparisons_have_errors_and_places(void **context)
{
    assert_int_equal(shell(*context, "bhemu run -q kept.yaml"), 0);
    finds(*context, "same.yaml other.yaml", 1,
          "same([j['result'] for j in jobs], ['ok', 'different'])\n"
          "same(jobs[0]['comparisons'],\n"
          "     [{'expect': 'out.npy', 'chip': 0, 'tile': '1-2', 'rows': 1, 'columns': 2, 'differ': 0}])\n"
          "place = {'row': 0, 'column': 0, 'got': 0, 'expected': 7}\n"
          "same(jobs[1]['comparisons'],\n"
          "     [{'expect': 'out.npy', 'chip': 0, 'tile': '1-2', 'rows': 1, 'columns': 2, 'differ': 1,\n"
          "       'first': place, 'largest_absolute_error': 7, 'largest_absolute': place,\n"
          "       'largest_relative_error': 1, 'largest_relative': place}])");
}

static void diagnostics_have_their_place(void **context)
{
    finds(*context, "wild.yaml waits.yaml none.yaml", 2,
          "same([j['exit_code'] for j in jobs], [4, 5, 2])\n"
          "same([j['reason'] for j in jobs], ['stopped', 'deadlock', None])\n"
          "[d] = jobs[0]['diagnostics']\n"
          "same([d[k] for k in ('category', 'severity', 'tile', 'agent', 'pc', 'instruction', 'places')],\n"
          "     ['UndefinedBehavior', 'error', '1-2', 'core T0', 0x1004, 'sw t1,0(t0)', []])\n"
          "assert d['cause'].startswith('store by T0 at 0x40000000: nothing is mapped there')\n"
          "assert d['cause'].splitlines()[0] in jobs[0]['error']\n"
          "[d] = jobs[1]['diagnostics']\n"
          "same((d['category'], d['places'][0]['agent'] if d['places'] else d['agent']), ('Deadlock', 'core T0'))\n"
          "same(jobs[2]['error'], 'none.yaml: No such file or directory')\n"
          "same((jobs[2]['cycles'], jobs[2]['diagnostics']), (0, []))");
}

/* Callbacks are called in the processes that have the chips. */
static void diagnostics_of_all_processes_are_told(void **context)
{
    static const char tells[] = "assert jobs[0]['exit_code'] == 4, jobs\n"
                                "found = [d for d in jobs[0]['diagnostics'] if d['severity'] == 'error']\n"
                                "same({(d['chip'], d['pc']) for d in found}, {(0, 0x1004), (1, 0x1004)})";
    finds(*context, "two.yaml", 4, tells);
    finds(*context, "--processes 2 two.yaml", 4, tells);
}

static void kernels_lines_findings_and_sources_are_told(void **context)
{
    if (access(BHEMU_BUILD_DIR "/kernels/built", R_OK) != 0 ||
        strcmp(BHEMU_BUILD_DIR, BHEMU_SOURCE_DIR "/build") != 0) {
        skip(); /* the jobs name the kernels of build/ */
    }
    finds(*context, "--check " BHEMU_SOURCE_DIR "/kernels/jobs/hello.yaml", 0,
          "assert {'chip': 0, 'tile': '1-2', 'core': 'T1', 'text': 'hello from T1, round 0'}.items() <= "
          "next(p for p in jobs[0]['prints'] if p['core'] == 'T1').items()\n"
          "same(jobs[0]['check'], {'findings': [], 'untold': 0, 'suppressed': 0})");
    finds(*context, "--no-print " BHEMU_SOURCE_DIR "/kernels/jobs/hello.yaml", 0, "same(jobs[0]['prints'], [])");
    finds(*context, BHEMU_SOURCE_DIR "/kernels/broken/wild_store.yaml", 4,
          "assert 'kernels/broken/wild_store.c:7)' in jobs[0]['diagnostics'][0]['source']");
}

static void findings_are_told(void **context)
{
    const uint32_t unset[] = {lui(T0, 0x30000), lw(T1, T0, 0), addi(T1, T1, 1), SELF_JUMP};
    put_elf(*context, "unset.elf", 0x1000, unset, 4);
    put_text(*context, "unset.yaml", JOB("unset", ""));
    finds(*context, "--check=initcheck unset.yaml", 3,
          "same(jobs[0]['result'], 'findings')\n[f] = jobs[0]['check']['findings']\n"
          "same((f['tool'], f['places'][0]['pc']), ('initcheck', 0x1004))");
}

/* A name that needs escapes, and is no UTF-8. */
static void junit_has_a_case_for_each_job(void **context)
{
    assert_int_equal(shell(*context,
                           "bhemu run -q kept.yaml; cp wild.yaml 'a<&\">\377.yaml'\n"
                           "bhemu run -q --junit out.xml same.yaml other.yaml \"$(printf 'a<&\">\\377.yaml')\" "
                           "waits.yaml none.yaml"),
                     2);
    assert_int_equal(shell(*context,
                           "python3 - <<'END'\n"
                           "import xml.etree.ElementTree as ET\n"
                           "suite = ET.parse('out.xml').getroot().find('testsuite')\n"
                           "cases = suite.findall('testcase')\n"
                           "assert [suite.get(k) for k in ('tests', 'failures', 'errors')] == ['5', '3', '1']\n"
                           "kinds = [(c.get('name'), [(e.tag, e.get('type')) for e in c]) for c in cases]\n"
                           "assert kinds == [('same.yaml', []), ('other.yaml', [('failure', 'different')]),\n"
                           "                 ('a<&\">?.yaml', [('failure', 'stopped')]),\n"
                           "                 ('waits.yaml', [('failure', 'endless')]),\n"
                           "                 ('none.yaml', [('error', 'wrong')])], kinds\n"
                           "assert '0 instead of 7' in cases[1][0].text and float(cases[0].get('time')) >= 0\n"
                           "END"),
                     0);
    assert_string_equal(output, "");
    assert_int_equal(shell(*context, "bhemu run -q --junit none/out.xml same.yaml"), 2);
    assert_contains(output, "--junit none/out.xml: No such file or directory\n");
    assert_int_equal(shell(*context, "bhemu run -q --json same.yaml >/dev/full"), 6);
    assert_contains(output, "--json: the document could not be written\n");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, remove_folder_of_test)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_good_run_is_told),
        TEST(comparisons_have_errors_and_places),
        TEST(diagnostics_have_their_place),
        TEST(diagnostics_of_all_processes_are_told),
        TEST(kernels_lines_findings_and_sources_are_told),
        TEST(findings_are_told),
        TEST(junit_has_a_case_for_each_job),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
