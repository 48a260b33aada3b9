/* One line that says what was wrong with an input. A function that takes one fills it whenever it returns anything but
   BH_OK; it may be null. */
#ifndef BHEMU_ERROR_H
#define BHEMU_ERROR_H

struct bh_error {
    char text[2000];
};

#endif
