/* SPDX-License-Identifier: Apache-2.0 */

/* Resources of the calling process whose number must return to its old value. */

#ifndef PROCESS_COUNTS_H
#define PROCESS_COUNTS_H

/* Returns the number of threads, without those of Mesa's disk cache, which starts up to four once shaders
 * are compiled faster than they are written: "disk$0" to "disk$3". Calls `see`, which may be NULL, with
 * the name of each, a line. */
int count_threads(void (*see)(const char *name));

/* Returns the number of open descriptors, plus a constant. */
int count_descriptors(void);

#endif
