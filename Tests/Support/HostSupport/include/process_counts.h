/* SPDX-License-Identifier: Apache-2.0 */

/* What the calling process holds that has to return to its count. */

#ifndef PROCESS_COUNTS_H
#define PROCESS_COUNTS_H

/* Threads, without those of Mesa's for its disk cache, of which it starts up to four as soon as shaders
 * come faster than they are written: "disk$0" to "disk$3". `see` is called with the name of each, a line;
 * it may be NULL. */
int count_threads(void (*see)(const char *name));

/* Open descriptors, and a few more, as many each time. */
int count_descriptors(void);

#endif
