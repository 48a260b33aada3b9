#include "host/difference_picture.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/file_target.h"
#include "util/fail.h"

enum {
    TILE = 32,
    LONGEST = 1024,
    SMALL = 256,
    MARGIN = 16,
    TEXT_HEIGHT = 14,
    SCALE_HEIGHT = 10,
    GLYPH = 5,
    GLYPH_ROWS = 7,
    NARROWEST = 120,
    DECADES = 8, /* at most, of the scale of errors */
    TICK = 3
};

#define LEAST_ERROR 0.12 /* of the colours of errors: the smallest can be told from none */

struct colour {
    uint8_t red, green, blue;
};

struct picture {
    unsigned width, height;
    struct colour *points;
};

/* Letters of 5x7 points, a row of five bits each, of those that labels need. */
static const struct glyph {
    char letter;
    uint8_t rows[GLYPH_ROWS];
} glyphs[] = {
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},    {'2', {14, 17, 1, 2, 4, 8, 31}},
    {'3', {31, 2, 4, 2, 1, 17, 14}},     {'4', {2, 6, 10, 18, 31, 2, 2}},   {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 8, 8, 8}},     {'8', {14, 17, 17, 14, 17, 17, 14}},
    {'9', {14, 17, 17, 15, 1, 2, 12}},   {'.', {0, 0, 0, 0, 0, 12, 12}},    {'-', {0, 0, 0, 31, 0, 0, 0}},
    {'+', {0, 4, 4, 31, 4, 4, 0}},       {'a', {0, 0, 14, 1, 15, 17, 15}},  {'c', {0, 0, 14, 16, 16, 17, 14}},
    {'d', {1, 1, 13, 19, 17, 17, 15}},   {'e', {0, 0, 14, 17, 31, 16, 14}}, {'f', {6, 9, 8, 28, 8, 8, 8}},
    {'g', {0, 0, 15, 17, 15, 1, 14}},    {'i', {4, 0, 12, 4, 4, 4, 14}},    {'n', {0, 0, 22, 25, 17, 17, 17}},
    {'o', {0, 0, 14, 17, 17, 17, 14}},   {'p', {0, 0, 30, 17, 30, 16, 16}}, {'r', {0, 0, 22, 25, 16, 16, 16}},
    {'t', {8, 8, 28, 8, 8, 9, 6}},       {'l', {12, 4, 4, 4, 4, 4, 14}},    {'x', {0, 0, 17, 10, 4, 10, 17}},
    {'(', {2, 4, 8, 8, 8, 4, 2}},        {')', {8, 4, 2, 2, 2, 4, 8}},
};

static void draw_point(struct picture *picture, unsigned x, unsigned y, struct colour colour)
{
    if (x < picture->width && y < picture->height) {
        picture->points[(size_t)y * picture->width + x] = colour;
    }
}

static void draw_text(struct picture *picture, unsigned x, unsigned y, const char *text)
{
    for (; *text; text++, x += GLYPH + 1) {
        for (size_t i = 0; i < sizeof glyphs / sizeof *glyphs; i++) {
            for (unsigned bit = 0; glyphs[i].letter == *text && bit < GLYPH * GLYPH_ROWS; bit++) {
                if (glyphs[i].rows[bit / GLYPH] >> (GLYPH - 1 - bit % GLYPH) & 1) {
                    draw_point(picture, x + bit % GLYPH, y + bit / GLYPH, (struct colour){0, 0, 0});
                }
            }
        }
    }
}

/* Between colours that are evenly spaced; part: 0 to 1. */
static struct colour between(const struct colour *colours, unsigned count, double part)
{
    double at = part * (count - 1);
    unsigned left = at < count - 1 ? (unsigned)at : count - 2;
    double right = at - left;
    const struct colour *a = &colours[left], *b = a + 1;
    return (struct colour){(uint8_t)lround(a->red + right * (b->red - a->red)),
                           (uint8_t)lround(a->green + right * (b->green - a->green)),
                           (uint8_t)lround(a->blue + right * (b->blue - a->blue))};
}

/* One of the three parts of the picture. Values are on a linear scale from low to high; errors are on a logarithmic one
   from 10^low to 10^high, twice: below 0 to the left, above 0 to the right. */
struct panel {
    const char *title;
    double low, high;
    bool errors;
    double (*value)(const struct panel *panel, size_t row, size_t column);
    const struct job_comparison *comparison;
    const double *difference;
};

/* Where a value is on its scale, from left to right; 0 to 1. No error is in the middle. */
static double place_of(const struct panel *panel, double value)
{
    double part = panel->high > panel->low ? (value - panel->low) / (panel->high - panel->low) : 0.5;
    if (panel->errors && value != 0) {
        part = (log10(fabs(value)) - panel->low) / (panel->high - panel->low);
        part = fmin(fmax(part, 0), 1);
        part = 0.5 + copysign(LEAST_ERROR + part * (0.5 - LEAST_ERROR), value);
    } else if (panel->errors) {
        part = 0.5;
    }
    return fmin(fmax(part, 0), 1);
}

/* Values from dark to light, as in the palette "viridis"; errors below 0 blue, above red, none white. */
static struct colour colour_at(const struct panel *panel, double place)
{
    static const struct colour values[] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
    static const struct colour errors[] = {{5, 48, 97}, {67, 147, 195}, {255, 255, 255}, {214, 96, 77}, {103, 0, 31}};
    return between(panel->errors ? errors : values, 5, place);
}

/* NaN and infinities: magenta. */
static struct colour colour_of(const struct panel *panel, double value)
{
    return isfinite(value) ? colour_at(panel, place_of(panel, value)) : (struct colour){255, 0, 255};
}

static double value_expected(const struct panel *panel, size_t row, size_t column)
{
    return job_element(panel->comparison->expected, row * panel->comparison->expected->columns + column);
}

static double value_got(const struct panel *panel, size_t row, size_t column)
{
    return job_element(panel->comparison->got, row * panel->comparison->got->columns + column);
}

static double value_error(const struct panel *panel, size_t row, size_t column)
{
    return panel->difference[row * panel->comparison->expected->columns + column];
}

static void widen(struct panel *panel, double value)
{
    if (isfinite(value)) {
        panel->low = fmin(panel->low, value);
        panel->high = fmax(panel->high, value);
    }
}

/* How elements become points: `grow` points for each, or a point for `shrink` of them on each axis. */
struct zoom {
    unsigned grow, shrink, width, height;
};

static struct zoom zoom_of(size_t rows, size_t columns)
{
    size_t longer = rows > columns ? rows : columns;
    struct zoom zoom = {1, (unsigned)((longer + LONGEST - 1) / LONGEST), 0, 0};
    if (longer < SMALL) {
        zoom.grow = (unsigned)((SMALL + longer - 1) / longer);
    }
    zoom.width = (unsigned)((columns + zoom.shrink - 1) / zoom.shrink) * zoom.grow;
    zoom.height = (unsigned)((rows + zoom.shrink - 1) / zoom.shrink) * zoom.grow;
    return zoom;
}

/* With room for its labels. */
static unsigned panel_width(const struct zoom *zoom)
{
    return zoom->width > NARROWEST ? zoom->width : NARROWEST;
}

/* Of a block of elements that becomes a point: the largest error, or the first value. */
static double value_of_block(const struct panel *panel, const struct zoom *zoom, size_t row, size_t column)
{
    size_t rows = panel->comparison->expected->rows, columns = panel->comparison->expected->columns;
    double value = panel->value(panel, row, column);
    for (size_t i = row; panel->errors && i < row + zoom->shrink && i < rows; i++) {
        for (size_t j = column; j < column + zoom->shrink && j < columns; j++) {
            double one = panel->value(panel, i, j);
            value = isfinite(value) && (!isfinite(one) || fabs(one) > fabs(value)) ? one : value;
        }
    }
    return value;
}

/* A column of points of the scale. What is nearer to the middle than the smallest error is no error: white. */
static void draw_scale_column(struct picture *picture, const struct panel *panel, double place, unsigned x,
                              unsigned top)
{
    bool none = panel->errors && fabs(place - 0.5) < LEAST_ERROR;
    struct colour colour = colour_at(panel, none ? 0.5 : place);
    for (unsigned y = 0; y < SCALE_HEIGHT; y++) {
        draw_point(picture, x, top + y, colour);
    }
}

static void draw_tick(struct picture *picture, const struct panel *panel, double value, unsigned width, unsigned left,
                      unsigned top)
{
    for (unsigned y = 0; y < TICK; y++) {
        draw_point(picture, left + (unsigned)lround(place_of(panel, value) * (width - 1)), top + SCALE_HEIGHT + y,
                   (struct colour){0, 0, 0});
    }
}

/* Labels of an error's scale: the largest at both ends, the smallest in the middle; ticks are powers of ten. */
static void draw_scale(struct picture *picture, const struct panel *panel, unsigned width, unsigned left, unsigned top)
{
    char low[40], high[40];
    unsigned under = top + SCALE_HEIGHT + MARGIN / 2;
    for (unsigned x = 0; x < width; x++) {
        draw_scale_column(picture, panel, (double)x / (width - 1), left + x, top);
    }
    if (panel->errors) {
        for (int power = (int)panel->low; power <= (int)panel->high; power++) {
            draw_tick(picture, panel, pow(10, power), width, left, top);
            draw_tick(picture, panel, -pow(10, power), width, left, top);
        }
        int length = snprintf(low, sizeof low, "1e%+03.0f", panel->low);
        draw_text(picture, left + (width - (unsigned)length * (GLYPH + 1)) / 2, under, low);
    }
    snprintf(low, sizeof low, panel->errors ? "-1e%+03.0f" : "%.4g", panel->errors ? panel->high : panel->low);
    int length = snprintf(high, sizeof high, panel->errors ? "1e%+03.0f" : "%.4g", panel->high);
    draw_text(picture, left, under, low);
    draw_text(picture, left + width - (unsigned)length * (GLYPH + 1), under, high);
}

static void draw_panel(struct picture *picture, const struct panel *panel, const struct zoom *zoom, unsigned left)
{
    unsigned top = MARGIN + TEXT_HEIGHT;
    draw_text(picture, left, MARGIN, panel->title);
    for (unsigned y = 0; y < zoom->height; y++) {
        for (unsigned x = 0; x < zoom->width; x++) {
            size_t row = (size_t)(y / zoom->grow) * zoom->shrink, column = (size_t)(x / zoom->grow) * zoom->shrink;
            bool first_row = y % zoom->grow == 0 && row / TILE * TILE == row && row;
            bool first_column = x % zoom->grow == 0 && column / TILE * TILE == column && column;
            struct colour colour = colour_of(panel, value_of_block(panel, zoom, row, column));
            bool grid = zoom->shrink == 1 && (first_row || first_column);
            draw_point(picture, left + x, top + y, grid ? (struct colour){128, 128, 128} : colour);
        }
    }
    draw_scale(picture, panel, panel_width(zoom), left, top + zoom->height + MARGIN / 2);
}

static enum bh_status write_png(const struct picture *picture, const char *path, struct bh_error *error)
{
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = picture->width, .height = picture->height, .format = PNG_FORMAT_RGB};
    png_alloc_size_t size = 0;
    if (!png_image_write_to_memory(&image, NULL, &size, 0, picture->points, 0, NULL)) {
        return fail(error, BH_ERROR_IO, "%s: %s", path, image.message);
    }
    uint8_t *bytes = malloc(size);
    if (!bytes || !png_image_write_to_memory(&image, bytes, &size, 0, picture->points, 0, NULL)) {
        free(bytes);
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    struct staged_file staged = {};
    enum bh_status status = stage_file(path, bytes, size, &staged, error);
    if (status == BH_OK) {
        status = commit_file(&staged, error);
    }
    discard_file(&staged);
    free(bytes);
    return status;
}

/* Powers of ten that enclose the errors, DECADES of them at most: smaller errors look like the smallest. */
static void find_decades(struct panel *panel, double smallest, double largest)
{
    panel->high = largest > 0 ? ceil(log10(largest)) : 0;
    panel->low = largest > 0 ? floor(log10(smallest)) : panel->high;
    panel->low = fmax(fmin(panel->low, panel->high - 1), panel->high - DECADES);
}

static void draw(struct picture *picture, const struct job_comparison *comparison, const double *errors,
                 const struct zoom *zoom)
{
    struct panel panels[] = {
        {"expected", INFINITY, -INFINITY, false, value_expected, comparison, errors},
        {"got", INFINITY, -INFINITY, false, value_got, comparison, errors},
        {"error (log)", 0, 0, true, value_error, comparison, errors},
    };
    double smallest = INFINITY, largest = 0;
    for (size_t row = 0; row < comparison->expected->rows; row++) {
        for (size_t column = 0; column < comparison->expected->columns; column++) {
            /* The scale of what is expected is that of both. */
            widen(&panels[0], value_expected(&panels[0], row, column));
            double error = fabs(value_error(&panels[2], row, column));
            if (isfinite(error) && error > 0) {
                smallest = fmin(smallest, error);
                largest = fmax(largest, error);
            }
        }
    }
    if (panels[0].low > panels[0].high) {
        panels[0].low = panels[0].high = 0;
    }
    panels[1].low = panels[0].low;
    panels[1].high = panels[0].high;
    find_decades(&panels[2], smallest, largest);
    for (unsigned i = 0; i < 3; i++) {
        draw_panel(picture, &panels[i], zoom, MARGIN + i * (panel_width(zoom) + MARGIN));
    }
}

enum bh_status difference_picture_write(const struct job_comparison *comparison, const double *errors,
                                        const char *folder, const char *name, struct bh_error *error)
{
    struct zoom zoom = zoom_of(comparison->expected->rows, comparison->expected->columns);
    struct picture picture = {.width = 3 * panel_width(&zoom) + 4 * MARGIN,
                              .height = zoom.height + 3 * MARGIN + 2 * TEXT_HEIGHT + SCALE_HEIGHT};
    size_t size = (size_t)picture.width * picture.height * sizeof *picture.points;
    char *path = NULL;
    picture.points = malloc(size);
    enum bh_status status = BH_ERROR_MEMORY;
    if (picture.points && asprintf(&path, "%s/%s.png", folder, name) >= 0) {
        memset(picture.points, 0xff, size);
        draw(&picture, comparison, errors, &zoom);
        status = write_png(&picture, path, error);
    } else {
        status = fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    free(path);
    free(picture.points);
    return status;
}
