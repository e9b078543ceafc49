/* SPDX-License-Identifier: Apache-2.0 */

/* The cost of a video to a host's loop of 144 Hz. */

#define _GNU_SOURCE
#include <GL/glcorearb.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "headless.h"
#include "host_loop.h"

static void (*finish)(void);

static void load(void) { *(void **)&finish = get_proc(NULL, "glFinish"); }

/* Waits until the next iteration is due. */
static void wait_for(int64_t due) {
    int64_t wait = due - now();
    struct timespec pause = {0, 0};
    if (wait <= 0) return;
    pause.tv_sec = (time_t)(wait / SECOND);
    pause.tv_nsec = (long)(wait % SECOND);
    nanosleep(&pause, NULL);
}

/* --- Times ---------------------------------------------------------------------------------- */

struct series {
    int64_t *times;
    long count;
};

static struct series make_series(long capacity) {
    struct series made = {NULL, 0};
    made.times = malloc(sizeof *made.times * (size_t)(capacity > 0 ? capacity : 1));
    return made;
}

static int compare(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

static void sort(struct series *series) {
    qsort(series->times, (size_t)series->count, sizeof *series->times, compare);
}

/* Returns the mean in milliseconds. */
static double mean(const struct series *series) {
    double sum = 0;
    long index;
    for (index = 0; index < series->count; index++) sum += (double)series->times[index];
    return series->count > 0 ? sum / (double)series->count / 1e6 : 0;
}

/* Returns the value, in milliseconds, that so many thousandths of a sorted series do not exceed. */
static double quantile(const struct series *series, int thousandths) {
    if (series->count == 0) return 0;
    return (double)series->times[(series->count - 1) * thousandths / 1000] / 1e6;
}

/* --- The longest call ------------------------------------------------------------------------- */

/* The parts of the longest call. For the rest, another thread had the processor. */
struct longest {
    int64_t duration, processor;
    playhead_render_result result;
};

/* The processor time of this thread, in nanoseconds. */
static int64_t thread_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * SECOND + time.tv_nsec;
}

static void note(
    struct longest *longest, int64_t duration, int64_t processor,
    const playhead_render_result *result) {
    if (duration <= longest->duration) return;
    longest->duration = duration;
    longest->processor = processor;
    longest->result = *result;
}

static void print_longest(const struct longest *longest) {
    printf(
        "    the longest call: %.3f ms, on the processor for %.3f of them; upload %.3f, drawing %.3f, "
        "state %.3f\n",
        (double)longest->duration / 1e6, (double)longest->processor / 1e6,
        (double)longest->result.upload_duration / 1e6, (double)longest->result.draw_duration / 1e6,
        (double)longest->result.state_duration / 1e6);
}

/* --- Alternately with and without a video ------------------------------------------------------- */

/* Draws the host's own scene: some rectangles. */
static void draw_scene(unsigned framebuffer, long turn) {
    static void (*bind)(GLenum, GLuint);
    static void (*enable)(GLenum), (*disable)(GLenum), (*clear)(GLbitfield);
    static void (*scissor)(GLint, GLint, GLsizei, GLsizei);
    static void (*color)(GLfloat, GLfloat, GLfloat, GLfloat);
    int index;
    if (!bind) {
        *(void **)&bind = get_proc(NULL, "glBindFramebuffer");
        *(void **)&enable = get_proc(NULL, "glEnable");
        *(void **)&disable = get_proc(NULL, "glDisable");
        *(void **)&clear = get_proc(NULL, "glClear");
        *(void **)&scissor = get_proc(NULL, "glScissor");
        *(void **)&color = get_proc(NULL, "glClearColor");
    }
    bind(GL_FRAMEBUFFER, framebuffer);
    enable(GL_SCISSOR_TEST);
    for (index = 0; index < 16; index++) {
        scissor((int)(turn * 7 + index * 80) % WIDTH, index * 40, 240, 120);
        color((float)index / 16, 0.5f, 0.25f, 1);
        clear(GL_COLOR_BUFFER_BIT);
    }
    disable(GL_SCISSOR_TEST);
}

/* The allocations of this thread, if Scripts/count-allocations.c has been preloaded. */
static uint64_t (*own_allocations)(void), (*all_allocations)(void);

int run_pair(double seconds, const char *film) {
    /* The iterations of a block, and those at its start that do not count: the video starts then. */
    enum { block = RATE, settling = RATE / 3 };
    unsigned framebuffer = headless_make_framebuffer(WIDTH, HEIGHT);
    unsigned scene = headless_make_framebuffer(WIDTH, HEIGHT);
    long blocks = (long)seconds / 2 * 2, turn, count, new_frames = 0, allocating = 0;
    struct series with, without, calls;
    int64_t start, upload = 0, drawing = 0, state = 0;
    uint64_t own = 0, others = 0;
    double cost, difference;
    struct longest longest = {0};
    playhead_player *player = make_player(PLAYHEAD_CLOCK_OWN, PLAYHEAD_GL_RESTORE_ALL);
    load();
    *(void **)&own_allocations = dlsym(RTLD_DEFAULT, "playhead_own_allocation_count");
    *(void **)&all_allocations = dlsym(RTLD_DEFAULT, "playhead_allocation_count");
    if (blocks < 4) blocks = 4;
    /* The first two blocks are for warm-up. */
    count = (blocks + 2) * block;
    with = make_series(count);
    without = make_series(count);
    calls = make_series(count);
    must(playhead_set_loop(player, -1, 0, PLAYHEAD_NO_TIME), "playhead_set_loop");
    must(playhead_open(player, film), "playhead_open");
    start = now();
    for (turn = 0; turn < count && failures < 10; turn++) {
        int has_film = (turn / block) % 2 == 0;
        int counts = turn >= 2 * block && turn % block >= settling;
        int64_t begin, called = 0;
        playhead_render_result result = {0};
        result.struct_size = sizeof result;
        if (turn % block == 0)
            must(has_film ? playhead_play(player) : playhead_pause(player), "playhead_play");
        wait_for(start + turn * SECOND / RATE);
        begin = now();
        draw_scene(scene, turn);
        if (has_film) {
            uint64_t own_before = own_allocations ? own_allocations() : 0;
            uint64_t all_before = all_allocations ? all_allocations() : 0;
            int64_t processor = thread_time();
            called = now();
            draw(player, framebuffer, WIDTH, HEIGHT, &result);
            called = now() - called;
            if (counts) note(&longest, called, thread_time() - processor, &result);
            if (counts && own_allocations) {
                uint64_t of_ours = own_allocations() - own_before;
                own += of_ours;
                allocating += of_ours > 0;
                others += all_allocations() - all_before - of_ours;
            }
        }
        /* Drawing finishes before the next iteration, since otherwise queues would be measured. */
        finish();
        begin = now() - begin;
        if (!counts) continue;
        if (!has_film) {
            without.times[without.count++] = begin;
            continue;
        }
        with.times[with.count++] = begin;
        calls.times[calls.count++] = called;
        new_frames += (result.flags & PLAYHEAD_RENDER_NEW_FRAME) != 0;
        upload += result.upload_duration;
        drawing += result.draw_duration;
        state += result.state_duration;
    }
    sort(&with), sort(&without), sort(&calls);
    difference = mean(&with) - mean(&without);
    cost = (double)(upload + drawing + state) / (double)(calls.count > 0 ? calls.count : 1) / 1e6;
    printf(
        "an iteration of the host: %.3f ms with the video, %.3f ms without, difference %.3f ms; medians "
        "%.3f and %.3f ms\n",
        mean(&with), mean(&without), difference, quantile(&with, 500), quantile(&without, 500));
    printf(
        "playhead_render: %.3f ms mean, %.3f ms in one of 100, longest %.3f ms, in %ld calls with "
        "%ld new frames; reported upload %.3f, drawing %.3f, state %.3f, together %.3f "
        "ms\n",
        mean(&calls), quantile(&calls, 990), quantile(&calls, 1000), calls.count, new_frames,
        (double)upload / (double)calls.count / 1e6, (double)drawing / (double)calls.count / 1e6,
        (double)state / (double)calls.count / 1e6, cost);
    print_longest(&longest);
    if (own_allocations)
        printf(
            "allocations in it: %lu of ours, in %ld calls; %lu of the driver's\n",
            (unsigned long)own, allocating, (unsigned long)others);
    if (difference > cost) failures++;
    if (own > 0) failures++;
    if (!own_allocations && getenv("LD_PRELOAD")) {
        printf("allocations are not counted, although that was asked for\n");
        failures++;
    }
    /* At least 24 frames a second, polled RATE times. */
    if (new_frames < calls.count * 23 / RATE) {
        printf("only %ld new frames in %ld calls\n", new_frames, calls.count);
        failures++;
    }
    must(playhead_gl_deinit(player), "playhead_gl_deinit");
    must(playhead_destroy(player), "playhead_destroy");
    free(with.times), free(without.times), free(calls.times);
    return failures != 0;
}

/* --- One video, one mode ---------------------------------------------------------------------- */

static int state_mode(const char *mode) {
    if (!strcmp(mode, "default")) return PLAYHEAD_GL_ASSUME_DEFAULT;
    if (!strcmp(mode, "resets")) return PLAYHEAD_GL_HOST_RESETS;
    return PLAYHEAD_GL_RESTORE_ALL;
}

int run_loop(double seconds, const char *film, const char *mode) {
    unsigned framebuffer = headless_make_framebuffer(WIDTH, HEIGHT);
    long count = (long)(seconds * RATE), index, warm_up = RATE, new_frames = 0;
    struct series calls = make_series(count), turns = make_series(count);
    int64_t start, used = 0, state = 0;
    struct longest longest = {0};
    playhead_player *player = NULL;
    int is_mpv = !strcmp(mode, "mpv"), is_texture = !strcmp(mode, "texture");
    load();
    if (is_mpv) {
        if (!start_mpv(film)) return 77;
    } else {
        player = make_player(PLAYHEAD_CLOCK_OWN, state_mode(mode));
        must(playhead_set_loop(player, -1, 0, PLAYHEAD_NO_TIME), "playhead_set_loop");
        must(playhead_open(player, film), "playhead_open");
        must(playhead_play(player), "playhead_play");
    }
    start = now();
    for (index = 0; index < count + warm_up; index++) {
        int64_t before, processor;
        int is_new = 0;
        playhead_render_result result = {0};
        result.struct_size = sizeof result;
        wait_for(start + index * SECOND / RATE);
        if (index == warm_up) used = processor_time();
        processor = thread_time();
        before = now();
        if (is_mpv) is_new = draw_mpv(framebuffer);
        else if (is_texture) {
            playhead_texture texture = {0};
            texture.struct_size = sizeof texture;
            if (playhead_acquire_texture(player, NULL, &texture) == PLAYHEAD_OK) {
                is_new = (texture.flags & PLAYHEAD_RENDER_NEW_FRAME) != 0;
                must(playhead_release_texture(player, texture.lease, NULL), "release");
            }
        } else {
            draw(player, framebuffer, WIDTH, HEIGHT, &result);
            is_new = (result.flags & PLAYHEAD_RENDER_NEW_FRAME) != 0;
            if (index >= warm_up) state += result.state_duration;
        }
        if (index >= warm_up) {
            calls.times[calls.count++] = now() - before;
            note(&longest, now() - before, thread_time() - processor, &result);
            new_frames += is_new;
        }
        finish();
        if (index >= warm_up) turns.times[turns.count++] = now() - before;
    }
    used = processor_time() - used;
    sort(&calls), sort(&turns);
    printf(
        "%-8s call mean %.3f ms, p99 %.3f ms, longest %.3f ms; drawn after %.3f ms mean; state %.1f "
        "us; processor %.2f ms a turn, %.2f ms a frame drawn; %ld new frames in %ld turns; %ld MB\n",
        mode, mean(&calls), quantile(&calls, 990), quantile(&calls, 1000), mean(&turns),
        (double)state / (double)count / 1e3, (double)used / (double)count / 1e6,
        (double)used / (double)(new_frames > 0 ? new_frames : 1) / 1e6, new_frames, count,
        resident() / 1024);
    print_longest(&longest);
    if (player) must(playhead_gl_deinit(player), "playhead_gl_deinit");
    if (player) must(playhead_destroy(player), "playhead_destroy");
    free(calls.times), free(turns.times);
    /* Libmpv is released when the process ends. */
    fflush(stdout);
    if (is_mpv) _exit(failures != 0);
    return failures != 0;
}
