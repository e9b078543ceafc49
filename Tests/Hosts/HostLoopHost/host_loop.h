/* SPDX-License-Identifier: Apache-2.0 */

/* Declarations shared by the parts of HostLoopHost. */

#ifndef HOST_LOOP_H
#define HOST_LOOP_H

#include <stdint.h>

#include "playhead.h"
#include "process_counts.h"

#define WIDTH 1280
#define HEIGHT 720
/* The iterations of a host's loop in a second. */
#define RATE 144
#define SECOND 1000000000

/* The number of failures so far. */
extern int failures;

/* Counts a failure, and prints the reason. */
void must(playhead_status status, const char *call);

/* --- Resources of the process ---------------------------------------------------------------- */

/* CLOCK_MONOTONIC. */
int64_t now(void);
/* The processor time of all threads, in nanoseconds. */
int64_t processor_time(void);
/* The private memory of the process, in kilobytes. */
long resident(void);
/* The allocated memory, without freed memory that malloc keeps, in kilobytes. */
long allocated(void);
/* The memory that malloc has from the system, allocated or not, in kilobytes. */
long reserved(void);
/* Waits until threads and descriptors of closed players have gone, at most 10 s. */
void settle(int threads, int descriptors);
/* The number of live OpenGL objects of all kinds in the current context. */
int object_count(void);

/* --- A player ------------------------------------------------------------------------------ */

playhead_player *make_player(int clock_mode, int state_mode);
void draw(
    playhead_player *player, unsigned framebuffer, int width, int height,
    playhead_render_result *result);
void *get_proc(void *context, const char *name);

/* --- Libmpv instead, loaded at run time ---------------------------------------------- */

/* Plays a video in a loop; returns 0 without libmpv. */
int start_mpv(const char *film);
/* Draws if there is a new frame; returns whether there was. */
int draw_mpv(unsigned framebuffer);

/* --- Measurements ---------------------------------------------------------------------- */

/* Each returns the exit status of the process. */

int run_cycles(long count, const char *film, int returns);
int run_frames(long count, const char *film);
int run_loop(double seconds, const char *film, const char *mode);
int run_pair(double seconds, const char *film);

#endif
