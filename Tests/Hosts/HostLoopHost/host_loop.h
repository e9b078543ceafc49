/* SPDX-License-Identifier: Apache-2.0 */

/* What the parts of HostLoopHost share. */

#ifndef HOST_LOOP_H
#define HOST_LOOP_H

#include <stdint.h>

#include "playhead.h"
#include "process_counts.h"

#define WIDTH 1280
#define HEIGHT 720
/* Turns of a host's loop, a second. */
#define RATE 144
#define SECOND 1000000000

/* What fell short so far. */
extern int failures;

/* Counts a failure, and says why. */
void must(playhead_status status, const char *call);

/* --- What the process takes ---------------------------------------------------------------- */

/* CLOCK_MONOTONIC. */
int64_t now(void);
/* Nanoseconds of the processor, all threads together. */
int64_t processor_time(void);
/* Kilobytes of memory that are the process's own. */
long resident(void);
/* Kilobytes that are allocated, however much of freed memory malloc keeps. */
long allocated(void);
/* Kilobytes that malloc has of the system, allocated or not. */
long reserved(void);
/* Threads and descriptors of what was closed go a moment later: waits for that, at most 10 s. */
void settle(int threads, int descriptors);
/* OpenGL objects of all kinds that are alive in the context that is current. */
int object_count(void);

/* --- A player ------------------------------------------------------------------------------ */

playhead_player *make_player(int clock_mode, int state_mode);
void draw(
    playhead_player *player, unsigned framebuffer, int width, int height,
    playhead_render_result *result);
void *get_proc(void *context, const char *name);

/* --- Libmpv in place of it, found at run time ---------------------------------------------- */

/* Plays a film for ever; 0 where there is no libmpv. */
int start_mpv(const char *film);
/* Draws if there is a new frame, and says whether there was. */
int draw_mpv(unsigned framebuffer);

/* --- What is measured ---------------------------------------------------------------------- */

/* Each gives the process's exit status. */

int run_cycles(long count, const char *film, int returns);
int run_frames(long count, const char *film);
int run_loop(double seconds, const char *film, const char *mode);
int run_pair(double seconds, const char *film);

#endif
