/* Which bhemu this is. */
#ifndef BHEMU_APPS_VERSION_H
#define BHEMU_APPS_VERSION_H

/* Of the sources: "2026-01-31". */
extern const char version_day[];

/* Prints version, commit, how it was built, and which vector instructions it uses on this host. */
void version_print(void);

#endif
