/* Colours of what terminals show: of errors, warnings, and how jobs have ended. */
#ifndef BHEMU_APPS_COLOR_H
#define BHEMU_APPS_COLOR_H

#include <stdio.h>

#include "host/command_option.h"

enum color { COLOR_RED, COLOR_YELLOW, COLOR_GREEN, COLOR_NONE };

/* --color, and what it sets. false: the value is none of auto, always, never, and stderr has a line. */
extern const struct command_option color_list[];
bool color_choose(const char *value);

/* What turns a colour on, or with COLOR_NONE off, on this file: "" where there are no colours. */
const char *color_code(FILE *file, enum color color);

/* Prints what a line begins with if that is one of "error:", "warning:", "check:", "bhemu:", in its colour. Returns the
   rest of the line. */
const char *color_begin(FILE *file, const char *line);

#endif
