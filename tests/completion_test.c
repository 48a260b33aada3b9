/* `bhemu man`, `bhemu completion` and `bhemu schema`: each tells of the commands and options that help tells of. */
#include "host/shell.h"

/* Commands, and the options of one as its help has them, one a line; in scripts as `commands` and `options NAME`. */
#define OF_HELP                                                                                                        \
    "PATH=" BHEMU_BUILD_DIR ":$PATH; commands() { bhemu --help | sed -n 's/^  \\([a-z]*\\)  .*/\\1/p'; }; "            \
    "options() { bhemu $1 --help | sed -n 's/^  \\(-.,\\|   \\) \\(--[a-z-]*\\).*/\\2/p'; }; "

/* Skips the test where a program is not installed. */
#define NEEDS(program)                                                                                                 \
    if (shell("command -v " program) != 0) {                                                                           \
        skip();                                                                                                        \
    }

static void help_lists_commands_and_options(void **context)
{
    (void)context;
    succeeds(shell(OF_HELP "commands; options run; options isa"));
    assert_contains(output, "run\n");
    assert_contains(output, "completion\n");
    assert_contains(output, "--policy\n");
    assert_contains(output, "--timed\n");
    assert_contains(output, "--help\n");
}

/* bash itself completes "bhemu ", "bhemu COMMAND --" and more. */
static void bash_completes_what_help_lists(void **context)
{
    (void)context;
    NEEDS("bash");
    succeeds(shell("cat >%s/bash.sh <<'END'\n" OF_HELP "\n"
                   "source <(bhemu completion bash)\n"
                   "complete_line() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _bhemu; printf '%%s\\n' "
                   "\"${COMPREPLY[@]}\"; }\n"
                   "differ() { diff <(sort <<<\"$1\") <(sort <<<\"$2\"); }\n"
                   "differ \"$(complete_line bhemu '' | grep -v -e --)\" \"$(commands)\" || exit 1\n"
                   "for command in $(commands); do\n"
                   "    differ \"$(complete_line bhemu $command --)\" \"$(options $command)\" || exit 1\n"
                   "done\n"
                   "differ \"$(complete_line bhemu run --po)\" --policy &&\n"
                   "differ \"$(complete_line bhemu run --policy st)\" strict &&\n"
                   "differ \"$(complete_line bhemu isa ELWAD)\" ELWADD &&\n"
                   "differ \"$(complete_line bhemu completion z)\" zsh &&\n"
                   "cd kernels/jobs && differ \"$(complete_line bhemu run add1)\" add1.yaml\n"
                   "END\nbash --norc --noprofile %s/bash.sh",
                   ((const struct folder *)*context)->path, ((const struct folder *)*context)->path));
}

static void fish_completes_what_help_lists(void **context)
{
    const struct folder *folder = *context;
    NEEDS("fish");
    succeeds(shell(OF_HELP
                   "export HOME=%s; bhemu completion fish >$HOME/c.fish; "
                   "complete_line() { fish --no-config -c \"source $HOME/c.fish; complete -C '$1'\" | cut -f 1; }; "
                   "differ() { echo \"$1\" | sort >$HOME/1; echo \"$2\" | sort | diff $HOME/1 -; }; "
                   "differ \"$(complete_line 'bhemu ' | grep -v -e --)\" \"$(commands)\" && "
                   "for command in $(commands); do "
                   "differ \"$(complete_line \"bhemu $command --\")\" \"$(options $command)\" || exit 1; done && "
                   "differ \"$(complete_line 'bhemu run --policy st')\" strict && "
                   "differ \"$(complete_line 'bhemu isa ELWAD')\" ELWADD",
                   folder->path));
}

/* zsh takes the script, by itself and from a folder of completions, and has all options in it. */
static void zsh_completes_bhemu(void **context)
{
    const struct folder *folder = *context;
    NEEDS("zsh");
    succeeds(shell(OF_HELP "export HOME=%s; mkdir $HOME/functions; bhemu completion zsh >$HOME/functions/_bhemu; "
                           "zsh -fc 'autoload -U compinit; compinit -D; source $HOME/functions/_bhemu; "
                           "[[ $_comps[bhemu] == _bhemu ]]' && "
                           "zsh -fc 'fpath=($HOME/functions $fpath); autoload -U compinit; compinit -D; "
                           "[[ $_comps[bhemu] == _bhemu ]] && autoload +X _bhemu' && "
                           "for command in $(commands); do for option in $(options $command); do "
                           "sed -n \"/^ *$command)/,/;;/p\" $HOME/functions/_bhemu | "
                           "grep -q -e \"[*,]$option[[}]\" || { echo $command $option; exit 1; }; done; done",
                   folder->path));
}

static void pages_tell_of_all_options(void **context)
{
    (void)context;
    succeeds(shell(OF_HELP "for command in $(commands); do bhemu man | grep -q \"^.BR bhemu.-$command (1)\" || exit 1; "
                           "page=$(bhemu man $command | sed 's/\\\\-/-/g'); for option in $(options $command); do "
                           "printf '%%s\n' \"$page\" | grep -q -e \"fB$option.fR\" || "
                           "{ echo $command $option; exit 1; }; done; done"));
    succeeds(shell(OF_HELP "bhemu man run | grep -A 1 -x -e 5 -e .SH.EXIT.STATUS"));
    assert_contains(output, "a program did not end");
}

static void pages_are_well_formed(void **context)
{
    (void)context;
    NEEDS("mandoc");
    succeeds(shell(OF_HELP "for command in '' $(commands); do "
                           "bhemu man $command | mandoc -T lint -W warning || { echo $command; exit 1; }; done"));
    assert_string_equal(output, "");
}

static void what_there_is_not_is_named(void **context)
{
    (void)context;
    assert_int_equal(shell(OF_HELP "bhemu completion tcsh"), 2);
    assert_string_equal(output, "bhemu completion: there is none for 'tcsh'; there are bash, zsh and fish\n");
    assert_int_equal(shell(OF_HELP "bhemu man runs"), 2);
    assert_string_equal(output, "bhemu man: no command is named 'runs'\n");
    assert_int_equal(shell(OF_HELP "bhemu schema jobs"), 2);
    assert_string_equal(output, "bhemu schema: there is none of 'jobs'; there are job and system\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_lists_commands_and_options),
        cmocka_unit_test_setup_teardown(bash_completes_what_help_lists, make_folder_of_test, remove_folder_of_test),
        cmocka_unit_test_setup_teardown(fish_completes_what_help_lists, make_folder_of_test, remove_folder_of_test),
        cmocka_unit_test_setup_teardown(zsh_completes_bhemu, make_folder_of_test, remove_folder_of_test),
        cmocka_unit_test(pages_tell_of_all_options),
        cmocka_unit_test(pages_are_well_formed),
        cmocka_unit_test(what_there_is_not_is_named),
    };
    return cmocka_run_group_tests_name("completion", tests, NULL, NULL);
}
