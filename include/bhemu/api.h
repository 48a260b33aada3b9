/* What makes a function part of the library's interface. */
#ifndef BHEMU_API_H
#define BHEMU_API_H

#ifndef BH_API
#define BH_API __attribute__((visibility("default")))
#endif

#endif
