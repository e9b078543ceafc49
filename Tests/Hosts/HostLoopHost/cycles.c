/* SPDX-License-Identifier: Apache-2.0 */

/* Resources that remain after videos were closed, and after frames were shown. */

#include <malloc.h>
#include <stdio.h>

#include "headless.h"
#include "host_loop.h"

#define MEGABYTE 1024

/* The resources of the process at one time. */
struct holdings {
    long resident, allocated;
    int threads, descriptors;
};

/* Returns freed memory from malloc to the system before each measurement: it varies by megabytes and
 * is not significant. */
static struct holdings take_stock(int trims) {
    struct holdings here;
    if (trims) malloc_trim(0);
    here.resident = resident();
    here.allocated = allocated();
    here.threads = count_threads(NULL);
    here.descriptors = count_descriptors();
    return here;
}

/* Prints the growth of all resources, and counts those that must not grow. */
static void compare_holdings(struct holdings before, int trims) {
    struct holdings after;
    settle(before.threads, before.descriptors);
    after = take_stock(trims);
    printf(
        "memory %+ld kB after warm-up, allocated %+ld kB\n", after.resident - before.resident,
        after.allocated - before.allocated);
    printf("threads %d, then %d\n", before.threads, after.threads);
    printf("descriptors %d, then %d\n", before.descriptors, after.descriptors);
    if (after.allocated - before.allocated > MEGABYTE) failures++;
    if (trims && after.resident - before.resident > MEGABYTE) failures++;
    if (after.threads > before.threads || after.descriptors > before.descriptors) failures++;
}

/* Measures after closed resources have been released. */
static void print_growth(long index, struct holdings before, int trims) {
    long kept = reserved() - allocated();
    struct holdings here;
    settle(before.threads, before.descriptors);
    here = take_stock(trims);
    printf(
        "after %ld: resident %+ld kB, allocated %+ld kB; malloc kept %ld kB\n", index,
        here.resident - before.resident, here.allocated - before.allocated, kept);
    fflush(stdout);
}

static void compare_objects(int before, int most) {
    int after = object_count();
    printf("OpenGL objects %d, then %d; at most %d while playing\n", before, after, most);
    if (after != before) failures++;
}

static void note_objects(playhead_player *player, int *most) {
    playhead_statistics statistics = {0};
    statistics.struct_size = sizeof statistics;
    must(playhead_get_statistics(player, &statistics), "playhead_get_statistics");
    if ((int)statistics.gl_objects > *most) *most = (int)statistics.gl_objects;
}

static void show(playhead_player *player, unsigned framebuffer, int width, int height) {
    must(playhead_wait_for_frame(player, 60 * (int64_t)SECOND, NULL), "playhead_wait_for_frame");
    draw(player, framebuffer, width, height, NULL);
    must(playhead_tick(player, SECOND / 25), "playhead_tick");
}

static void cycle(playhead_player *player, unsigned framebuffer, const char *film) {
    int frame;
    must(playhead_open(player, film), "playhead_open");
    must(playhead_play(player), "playhead_play");
    for (frame = 0; frame < 3; frame++) show(player, framebuffer, WIDTH, HEIGHT);
    must(playhead_close(player), "playhead_close");
}

static void end(playhead_player *player) {
    must(playhead_gl_deinit(player), "playhead_gl_deinit");
    must(playhead_destroy(player), "playhead_destroy");
}

int run_cycles(long count, const char *film, int returns) {
    unsigned framebuffer = headless_make_framebuffer(WIDTH, HEIGHT);
    /* Until the driver and the runtime have initialized; just after the player was recreated. */
    long warm_up = (count / 20 + 9) / 10 * 10, index;
    /* Each waits until idle threads have ended, five seconds. */
    long looks = count < 1000 ? 2 : 10;
    struct holdings before = {0, 0, 0, 0};
    int objects = object_count(), most_objects = 0;
    int64_t start = now();
    playhead_player *player = make_player(PLAYHEAD_CLOCK_TICK, PLAYHEAD_GL_RESTORE_ALL);
    for (index = 0; index < count && failures < 10; index++) {
        if (index == warm_up) {
            settle(0, 0);
            before = take_stock(returns);
        }
        cycle(player, framebuffer, film);
        if (index % 10 == 9) {
            note_objects(player, &most_objects);
            end(player);
            player = make_player(PLAYHEAD_CLOCK_TICK, PLAYHEAD_GL_RESTORE_ALL);
        }
        if (index > warm_up && (index + 1) % (count / looks) == 0) print_growth(index + 1, before, returns);
    }
    printf("cycles %ld in %.1f s\n", index, (double)(now() - start) / 1e9);
    compare_holdings(before, returns);
    end(player);
    compare_objects(objects, most_objects);
    return failures != 0;
}

int run_frames(long count, const char *film) {
    enum { width = 320, height = 180 };
    unsigned framebuffer = headless_make_framebuffer(width, height);
    long warm_up = count / 50, index;
    struct holdings before = {0, 0, 0, 0};
    int objects = object_count(), most_objects = 0;
    int64_t start = now();
    playhead_state state = {0};
    playhead_player *player = make_player(PLAYHEAD_CLOCK_TICK, PLAYHEAD_GL_RESTORE_ALL);
    playhead_statistics statistics = {0};
    state.struct_size = sizeof state;
    statistics.struct_size = sizeof statistics;
    must(playhead_set_loop(player, -1, 0, PLAYHEAD_NO_TIME), "playhead_set_loop");
    must(playhead_open(player, film), "playhead_open");
    must(playhead_play(player), "playhead_play");
    for (index = 0; index < count && failures < 10; index++) {
        if (index == warm_up) before = take_stock(1);
        show(player, framebuffer, width, height);
        if (index > warm_up && (index + 1) % (count / 10) == 0) print_growth(index + 1, before, 1);
    }
    note_objects(player, &most_objects);
    must(playhead_get_statistics(player, &statistics), "playhead_get_statistics");
    printf(
        "frames %ld in %.1f s, %lu of them new\n", index, (double)(now() - start) / 1e9,
        (unsigned long)statistics.new_frames);
    /* At the end of a round, the last frame stays until the first one is available again. */
    if (statistics.new_frames < (uint64_t)(count - count / 10)) failures++;
    compare_holdings(before, 1);
    end(player);
    compare_objects(objects, most_objects);
    return failures != 0;
}
