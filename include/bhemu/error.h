/* One line that says what was wrong with an input. */
#ifndef BHEMU_ERROR_H
#define BHEMU_ERROR_H

struct bh_error {
    char text[2000];
};

#endif
