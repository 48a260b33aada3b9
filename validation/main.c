/* validate_timing MEASURED.csv DOCUMENTED.csv PAGE.md [PREFIX]: measures every row in timed mode, or those whose `what`
   or id begins so,
   prints a table of the groups, and writes the page with every row unless a prefix was given. Exits with 0 whatever the
   errors are: they are results. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validation/pairs.h"

enum { ROWS = 4096, LINE = 1024, FIELDS = 7 };

struct result {
    struct measured row;
    bool rebuilt;
    double value, error; /* error: relative to silicon */
};

struct table {
    struct result *results;
    unsigned count;
};

/* What is to be reached, in the order of the page. */
static const struct goal {
    const char *group, *title;
    double median, ninety; /* of the relative error */
    double noise;          /* between two runs on silicon, relative; 0: nothing was measured */
} goals[] = {
    {"documented", "documented figures", 0, 0, 0},      {"riscv", "RISC-V cores", 0.03, 0.10, 0.01},
    {"tensix", "Tensix coprocessor", 0.03, 0.10, 0.01}, {"noc", "NoC between L1s", 0.05, 0.12, 0.05},
    {"multicast", "NoC, multicast", 0.10, 0.20, 0.05},  {"dram", "DRAM", 0.10, 0.20, 0.18},
    {"kernels", "whole kernels", 0.12, 0.25, 0.05},
};
enum { GROUPS = sizeof goals / sizeof *goals, ORDER_GOAL = 95 };

long measured_number(const struct measured *row, const char *name, long otherwise)
{
    size_t length = strlen(name);
    for (const char *at = strstr(row->params, name); at; at = strstr(at + 1, name)) {
        if ((at == row->params || at[-1] == ';') && at[length] == '=') {
            return strtol(at + length + 1, NULL, 10);
        }
    }
    return otherwise;
}

bool measured_has(const struct measured *row, const char *name, const char *value)
{
    char wanted[64];
    (void)snprintf(wanted, sizeof wanted, "%s%s%s", name, value ? "=" : "", value ? value : "");
    size_t length = strlen(wanted);
    for (const char *at = strstr(row->params, wanted); at; at = strstr(at + 1, wanted)) {
        if ((at == row->params || at[-1] == ';') && (at[length] == ';' || at[length] == 0)) {
            return true;
        }
    }
    return false;
}

/* The next field of a line of comma-separated values, which may stand in quotes; the quotes go. */
static char *next_field(char **at)
{
    char *field = *at, *to = field;
    bool quoted = *field == '"';
    for (char *from = field + quoted; *from; from++) {
        if (quoted && from[0] == '"' && from[1] != '"') {
            quoted = false;
        } else if (!quoted && *from == ',') {
            *at = from + 1;
            *to = 0;
            return field;
        } else {
            from += quoted && from[0] == '"';
            *to++ = *from;
        }
    }
    *at = to + strlen(to);
    *to = 0;
    return field;
}

static void copy(char *to, size_t size, const char *from)
{
    (void)snprintf(to, size, "%s", from);
}

/* One in the last place that a figure is given to, as documents round to either side; whole numbers are meant as they
 * stand. */
static double precision(const char *text)
{
    const char *point = strchr(text, '.');
    return point && point[1] != '.' ? pow(10, -(double)strspn(point + 1, "0123456789")) + 1e-9 : 1e-9;
}

/* "8", ">=8", "<=2", "1..2". */
static void parse_value(struct measured *row)
{
    const char *to = strstr(row->given, ".."), *number = row->given + strspn(row->given, "<>=");
    double room = !strcmp(row->group, "documented") ? precision(number) : 0;
    row->value = strtod(number, NULL);
    row->lowest = row->given[0] == '<' ? 0 : row->value - room;
    row->highest = row->given[0] == '>' ? HUGE_VAL : (to ? strtod(to + 2, NULL) : row->value) + room;
}

/* Relative to silicon, or to the nearest value that a document allows. */
static double error_of(const struct measured *row, double value)
{
    if (value >= row->lowest && value <= row->highest) {
        return 0;
    }
    return value / (value > row->highest ? row->highest : row->value) - 1;
}

static struct measured parse(char *line)
{
    struct measured row = {0};
    char *field[FIELDS];
    line[strcspn(line, "\r\n")] = 0;
    for (unsigned i = 0; i < FIELDS; i++) {
        field[i] = next_field(&line);
    }
    copy(row.id, sizeof row.id, field[0]);
    copy(row.group, sizeof row.group, field[1]);
    copy(row.what, sizeof row.what, field[2]);
    copy(row.params, sizeof row.params, field[3]);
    copy(row.given, sizeof row.given, field[4]);
    parse_value(&row);
    copy(row.unit, sizeof row.unit, field[5]);
    copy(row.source, sizeof row.source, field[6]);
    return row;
}

static bool read_rows(const char *path, struct table *table)
{
    char line[LINE];
    FILE *file = fopen(path, "r");
    if (!file) {
        (void)fprintf(stderr, "validation: %s: %s\n", path, strerror(errno));
        return false;
    }
    while (fgets(line, sizeof line, file) && table->count < ROWS) {
        if (line[0] != '#' && strncmp(line, "id,", 3) != 0) {
            table->results[table->count++].row = parse(line);
        }
    }
    return fclose(file) == 0;
}

static bool measure(const struct measured *row, double *value)
{
    if (!strcmp(row->group, "documented")) {
        return measure_documented(row, value);
    }
    static const struct validation_program *const all[] = {
        validation_riscv,          validation_tensix,       validation_frontend, validation_backends,
        validation_reductions,     validation_copies,       validation_units,    validation_slots,
        validation_pack,           validation_patterns,     validation_noc,      validation_dram,
        validation_dram_zones,     validation_dram_streams, validation_kernels,  validation_library_math,
        validation_library_unpack, validation_drisc,        validation_atomics};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        for (const struct validation_program *program = all[i]; program->what; program++) {
            if (!strncmp(row->what, program->what, strlen(program->what))) {
                return program->measure(row, value);
            }
        }
    }
    return false;
}

static int compare(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* The place of a value among all, from 1; the mean of their places if several are equal. */
static double rank(const double *values, unsigned count, double value)
{
    unsigned less = 0, equal = 0;
    for (unsigned i = 0; i < count; i++) {
        less += values[i] < value;
        equal += values[i] == value;
    }
    return less + (equal + 1) / 2.0;
}

/* Spearman's: how alike two orders are, 1 if they are the same. */
static double rank_correlation(const double *a, const double *b, unsigned count)
{
    double mean = (count + 1) / 2.0, both = 0, square_a = 0, square_b = 0;
    for (unsigned i = 0; i < count; i++) {
        double one = rank(a, count, a[i]) - mean, other = rank(b, count, b[i]) - mean;
        both += one * other;
        square_a += one * one;
        square_b += other * other;
    }
    return square_a > 0 && square_b > 0 ? both / sqrt(square_a * square_b) : 1;
}

struct summary {
    unsigned rows, rebuilt;
    double median, ninety, most, correlation;
};

static struct summary summarize(const struct table *table, const char *group)
{
    static double errors[ROWS], ours[ROWS], silicon[ROWS];
    struct summary summary = {0};
    for (unsigned i = 0; i < table->count; i++) {
        const struct result *result = &table->results[i];
        if (!strcmp(result->row.group, group)) {
            summary.rows++;
            if (result->rebuilt) {
                errors[summary.rebuilt] = fabs(result->error);
                ours[summary.rebuilt] = result->value;
                silicon[summary.rebuilt++] = result->row.value;
            }
        }
    }
    if (summary.rebuilt) {
        summary.correlation = rank_correlation(ours, silicon, summary.rebuilt);
        qsort(errors, summary.rebuilt, sizeof *errors, compare);
        summary.median = errors[summary.rebuilt / 2];
        summary.ninety = errors[(summary.rebuilt * 9 - 1) / 10];
        summary.most = errors[summary.rebuilt - 1];
    }
    return summary;
}

/* Whether timed mode has two rows in silicon's order. */
static bool in_order(const struct result *one, const struct result *other)
{
    return (one->row.value < other->row.value) ? one->value < other->value : one->value > other->value;
}

static bool further_apart_than(double noise, const struct result *one, const struct result *other)
{
    double less = fmin(one->row.value, other->row.value), more = fmax(one->row.value, other->row.value);
    return more > less * (1 + noise);
}

static bool counts_as_pair(const struct goal *goal, const struct result *one, const struct result *other)
{
    return goal->noise > 0 && one->rebuilt && other->rebuilt && !strcmp(one->row.group, goal->group) &&
           further_apart_than(goal->noise, one, other) && rows_are_a_pair(&one->row, &other->row);
}

struct pairs {
    unsigned count, in_order;
};

/* Counts pairs, and writes those of another order than silicon's to `file`, if there is one. */
static struct pairs go_through_pairs(const struct table *table, const struct goal *goal, FILE *file)
{
    struct pairs pairs = {0};
    for (unsigned i = 0; i < table->count; i++) {
        for (unsigned k = i + 1; k < table->count; k++) {
            const struct result *one = &table->results[i], *other = &table->results[k];
            if (!counts_as_pair(goal, one, other)) {
                continue;
            }
            pairs.count++;
            pairs.in_order += in_order(one, other);
            if (file && !in_order(one, other)) {
                (void)fprintf(file, "| %s | %s | %s | %s | %.6g | %.6g |\n", one->row.id, other->row.id, one->row.given,
                              other->row.given, one->value, other->value);
            }
        }
    }
    return pairs;
}

static void write_pairs(FILE *file, const struct table *table)
{
    (void)fprintf(file,
                  "\n| programs | noise of silicon | pairs | in silicon's order | goal |\n|---|---|---|---|---|\n");
    for (unsigned i = 0; i < GROUPS; i++) {
        struct pairs pairs = go_through_pairs(table, &goals[i], NULL);
        if (pairs.count) {
            (void)fprintf(file, "| %s | %.0f %% | %u | %.1f %% | %d %% |\n", goals[i].title, goals[i].noise * 100,
                          pairs.count, 100.0 * pairs.in_order / pairs.count, ORDER_GOAL);
        }
    }
}

static void write_summary(FILE *file, const struct table *table)
{
    (void)fprintf(file, "| programs | rows | rebuilt | median error | goal | 90th percentile | goal | most | rank "
                        "correlation |\n|---|---|---|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < GROUPS; i++) {
        const struct goal *goal = &goals[i];
        struct summary summary = summarize(table, goal->group);
        if (summary.rebuilt) {
            (void)fprintf(file, "| %s | %u | %u | %.1f %% | %.0f %% | %.1f %% | %.0f %% | %.1f %% | %.3f |\n",
                          goal->title, summary.rows, summary.rebuilt, summary.median * 100, goal->median * 100,
                          summary.ninety * 100, goal->ninety * 100, summary.most * 100, summary.correlation);
        } else {
            (void)fprintf(file, "| %s | %u | 0 | - | %.0f %% | - | %.0f %% | - | - |\n", goal->title, summary.rows,
                          goal->median * 100, goal->ninety * 100);
        }
    }
}

static void write_pairs_out_of_order(FILE *file, const struct table *table)
{
    (void)fprintf(file, "\n## Pairs in another order\n\n| row | and row | silicon | | timed mode | |\n"
                        "|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < GROUPS; i++) {
        (void)go_through_pairs(table, &goals[i], file);
    }
}

static void write_rows(FILE *file, const struct table *table, const struct goal *goal)
{
    (void)fprintf(file,
                  "\n## %s\n\n| row | program | parameters | %s | timed mode | error | source |\n"
                  "|---|---|---|---|---|---|---|\n",
                  goal->title, strcmp(goal->group, "documented") ? "silicon" : "document");
    for (unsigned i = 0; i < table->count; i++) {
        const struct result *result = &table->results[i];
        const struct measured *row = &result->row;
        if (strcmp(row->group, goal->group) != 0) {
            continue;
        }
        (void)fprintf(file, "| %s | %s | %s | %s %s |", row->id, row->what, row->params, row->given, row->unit);
        if (result->rebuilt) {
            (void)fprintf(file, " %.6g | %+.1f %% |", result->value, result->error * 100);
        } else {
            (void)fprintf(file, " - | not rebuilt |");
        }
        (void)fprintf(file, " %s |\n", row->source);
    }
}

static bool write_page(const char *path, const struct table *table)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        (void)fprintf(stderr, "validation: %s: %s\n", path, strerror(errno));
        return false;
    }
    (void)fprintf(file, "# Timed mode and silicon\n\nWritten by `make validate-timing`: each row of "
                        "`validation/measured.csv`, which others measured on Blackhole\nsilicon at 1.35 GHz, next to "
                        "what the same program, rebuilt in `validation/`, measures of itself in timed mode;\nand the "
                        "figures of `validation/documented.csv`, each next to what a micro-program sees of it.\n"
                        "[timing.md](timing.md) says what is modelled. Rows that name 130 cores have the values that "
                        "tt-metal published for such\na chip: those of an even number of senders of its other chip "
                        "are of other sizes than they say (`measured.csv`).\n\n");
    write_summary(file, table);
    (void)fprintf(
        file,
        "\nBefore and after, this or that: a pair is two rows of a group that are the same but for one word of the "
        "program's name,\nor for one parameter, and further apart on silicon than two runs there are. Its order is "
        "silicon's if timed mode, too, has\nmore where silicon has more.\n");
    write_pairs(file, table);
    for (unsigned i = 0; i < GROUPS; i++) {
        write_rows(file, table, &goals[i]);
    }
    write_pairs_out_of_order(file, table);
    return fclose(file) == 0;
}

static bool asked(const struct measured *row, const char *prefix)
{
    return !strncmp(row->what, prefix, strlen(prefix)) || !strncmp(row->id, prefix, strlen(prefix));
}

int main(int argc, char **argv)
{
    static struct result results[ROWS];
    struct table table = {.results = results};
    const char *prefix = argc > 4 ? argv[4] : "";
    if (argc < 4 || !read_rows(argv[1], &table) || !read_rows(argv[2], &table)) {
        (void)fprintf(stderr, "usage: %s MEASURED.csv DOCUMENTED.csv PAGE.md [PREFIX]\n", argv[0]);
        return 2;
    }
    for (unsigned i = 0; i < table.count; i++) {
        struct result *result = &results[i];
        if (asked(&result->row, prefix) && measure(&result->row, &result->value)) {
            result->rebuilt = true;
            result->error = error_of(&result->row, result->value);
            if (*prefix) {
                printf("%s %-44s %-40s %10s %10.6g %+7.1f %%\n", result->row.id, result->row.what, result->row.params,
                       result->row.given, result->value, result->error * 100);
            }
        }
    }
    write_summary(stdout, &table);
    write_pairs(stdout, &table);
    return *prefix || write_page(argv[3], &table) ? 0 : 1;
}
