/* bhemu new: a folder with a kernel, a job, and what builds them. Its files are those of apps/bhemu/new/, in which
   @NAME@ stands for the kernel's name and @PACKAGE@ for the folder of bhemu-config.cmake. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bhemu/tensor.h"
#include "commands.h"
#include "host/job_file.h"
#include "host/npy.h"
#include "host/schema_json.h"

enum { SIDE = 64, NAME_MOST = 64 };

static const char cmake_text[] = {
#include "new/CMakeLists.txt.inc"
    0};
static const char job_text[] = {
#include "new/job.yaml.inc"
    0};
static const char unpack_text[] = {
#include "new/unpack.c.inc"
    0};
static const char math_text[] = {
#include "new/math.c.inc"
    0};
static const char pack_text[] = {
#include "new/pack.c.inc"
    0};
static const char readme_text[] = {
#include "new/README.md.inc"
    0};

static const struct template
{
    const char *name, *text; /* text null: the schema of job files */
}
templates[] = {
    {"CMakeLists.txt", cmake_text}, {"job.yaml", job_text}, {"job.schema.json", NULL},  {"unpack.c", unpack_text},
    {"math.c", math_text},          {"pack.c", pack_text},  {"README.md", readme_text},
};
static const char *const arrays[] = {"a.npy", "b.npy", "expected.npy"};

struct project {
    const char *folder, *name;
    char package[PATH_MAX]; /* "": not found */
};

/* The path of a file of the project. False: it is too long. */
static bool path_of(const struct project *project, const char *file, char path[PATH_MAX])
{
    return (size_t)snprintf(path, PATH_MAX, "%s/%s", project->folder, file) < PATH_MAX;
}

/* Writes a text, with what its placeholders stand for. */
static void write_text(FILE *file, const char *text, const struct project *project)
{
    const struct {
        const char *placeholder, *value;
    } replaced[] = {{"@NAME@", project->name}, {"@PACKAGE@", project->package}};
    while (*text) {
        bool found = false;
        for (unsigned i = 0; i < 2 && !found; i++) {
            size_t length = strlen(replaced[i].placeholder);
            if (strncmp(text, replaced[i].placeholder, length) == 0) {
                fputs(replaced[i].value, file);
                text += length;
                found = true;
            }
        }
        if (!found) {
            fputc(*text++, file);
        }
    }
}

static bool write_file(const struct project *project, const struct template *template)
{
    char path[PATH_MAX];
    errno = ENAMETOOLONG;
    FILE *file = path_of(project, template->name, path) ? fopen(path, "wxe") : NULL;
    if (file) {
        if (template->text) {
            write_text(file, template->text, project);
        } else {
            schema_write_json(file, &job_file_schema, JOB_SCHEMA_TITLE);
        }
        bool failed = ferror(file);
        if (fclose(file) == 0 && !failed) {
            return true;
        }
    }
    fprintf(stderr, "bhemu new: %s/%s: %s\n", project->folder, template->name, strerror(errno));
    return false;
}

/* Numbers that BF16 holds exactly, and so does their sum. */
static float number(unsigned which, unsigned row, unsigned column)
{
    int a = (int)((row * 3 + column) % 17) - 8, b = (int)((row + column * 5) % 13) - 6;
    return (float)(which == 0 ? a : which == 1 ? b : a + b);
}

static bool write_array(const struct project *project, unsigned which)
{
    static float numbers[SIDE][SIDE];
    char path[PATH_MAX];
    struct bh_error error = {"its path is too long"};
    for (unsigned i = 0; i < SIDE * SIDE; i++) {
        numbers[i / SIDE][i % SIDE] = number(which, i / SIDE, i % SIDE);
    }
    const struct bh_array array = {.type = BH_HOST_FLOAT32, .rows = SIDE, .columns = SIDE, .data = numbers};
    if (path_of(project, arrays[which], path) && npy_write(path, &array, &error) == BH_OK) {
        return true;
    }
    fprintf(stderr, "bhemu new: %s\n", error.text);
    return false;
}

static bool write_all(const struct project *project)
{
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++) {
        if (!write_file(project, &templates[i])) {
            return false;
        }
    }
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (!write_array(project, i)) {
            return false;
        }
    }
    return true;
}

/* Removes what was written before something failed. */
static void remove_all(const struct project *project)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++) {
        if (path_of(project, templates[i].name, path)) {
            unlink(path);
        }
    }
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (path_of(project, arrays[i], path)) {
            unlink(path);
        }
    }
    rmdir(project->folder);
}

/* Where find_package() finds this bhemu: beside the command in a build folder, or as it was installed. */
static void find_package(struct project *project)
{
    static const char *const from_command[] = {
        "cmake/bhemu",
#include "new/package.inc"
    };
    char command[PATH_MAX], path[2 * PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", command, sizeof command - 1);
    *project->package = 0;
    if (length < 0) {
        return;
    }
    command[length] = 0;
    *strrchr(command, '/') = 0;
    for (unsigned i = 0; i < sizeof from_command / sizeof *from_command; i++) {
        (void)snprintf(path, sizeof path, "%s/%s/bhemu-config.cmake", command, from_command[i]);
        if (access(path, R_OK) == 0) {
            *strrchr(path, '/') = 0;
            if (!realpath(path, project->package)) {
                *project->package = 0;
            }
            return;
        }
    }
}

static bool is_name(const char *name)
{
    size_t length = strlen(name);
    bool good = length > 0 && length <= NAME_MOST && isalpha((unsigned char)*name);
    for (; good && *name; name++) {
        good = isalnum((unsigned char)*name) || *name == '_';
    }
    return good;
}

static int start(int argc, char **argv)
{
    const struct command_line line = {.command = &command_new, .least = 1, .most = 1};
    int code;
    if (!command_read(&line, argc, argv, &code)) {
        return code;
    }
    char *folder = argv[optind];
    const char *slash = strrchr(folder, '/');
    struct project project = {.folder = folder, .name = slash ? slash + 1 : folder};
    if (!is_name(project.name)) {
        fprintf(
            stderr,
            "bhemu new: '%s' is no name of a kernel; it has letters, digits and _, begins with a letter, and has at "
            "most %d of them\n",
            project.name, NAME_MOST);
        return EXIT_WRONG;
    }
    find_package(&project);
    if (mkdir(project.folder, 0777) != 0) {
        fprintf(stderr, "bhemu new: %s: %s\n", project.folder, strerror(errno));
        return EXIT_WRONG;
    }
    if (!write_all(&project)) {
        remove_all(&project);
        return EXIT_HOST_FAILED;
    }
    printf("%s: a kernel and a job. To build and run it:\n\n    cd %s\n    cmake -B build && cmake --build build\n"
           "    bhemu run job.yaml\n",
           project.folder, project.folder);
    return EXIT_DONE;
}

static const struct command_option *const lists[] = {NULL};

const struct command command_new = {
    .name = "new",
    .summary = "make a folder with a first kernel and a job",
    .usage = "[FOLDER/]NAME",
    .description =
        "Makes a folder with a kernel that adds two arrays, a job that runs it, its inputs and expected outputs, and a "
        "CMakeLists.txt that builds it with the runtime of this bhemu. NAME has letters, digits and _.",
    .lists = lists,
    .run = start,
};
