/* bhemu schema: JSON Schema of the files that users write, by which editors complete and check them. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "host/job_file.h"
#include "host/schema_json.h"
#include "host/topology_schema.h"

static int start(int argc, char **argv)
{
    static const struct {
        const char *name, *title;
        const struct schema_value *value;
    } files[] = {
        {"job", JOB_SCHEMA_TITLE, &job_file_schema},
        {"system", "a system of chips of bhemu", &topology_file_schema},
    };
    const struct command_line line = {.command = &command_schema, .most = 1};
    int code;
    if (!command_read(&line, argc, argv, &code)) {
        return code;
    }
    const char *name = optind < argc ? argv[optind] : "job";
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        if (strcmp(name, files[i].name) == 0) {
            schema_write_json(stdout, files[i].value, files[i].title);
            return EXIT_DONE;
        }
    }
    fprintf(stderr, "bhemu schema: there is none of '%s'; there are job and system\n", name);
    return EXIT_WRONG;
}

static const struct command_option *const lists[] = {NULL};

const struct command command_schema = {
    .name = "schema",
    .summary = "print the JSON Schema of job files, for editors",
    .usage = "[job|system]",
    .description =
        "Prints the JSON Schema (draft 7) of job files, or of files that describe a system of chips. Editors with a "
        "language server for YAML use it if the file begins with\n\n# yaml-language-server: $schema=job.schema.json",
    .lists = lists,
    .operand = OPERAND_WORDS,
    .words = "job system",
    .run = start,
};
