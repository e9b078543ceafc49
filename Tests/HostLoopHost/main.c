/* SPDX-License-Identifier: Apache-2.0 */

/* A host with a loop: what a film costs its frames, and what is left of films that are closed.
 *
 *     HostLoopHost cycles COUNT FILM MALLOC  opens, plays and closes a film again and again; MALLOC:
 *                                            keeps, as it does by itself, or returns, as Documentation/
 *                                            Embedding.md has it for programs that open many films
 *     HostLoopHost loop SECONDS FILM MODE    a loop of 144 Hz; MODE: none, restore, default, resets,
 *                                            texture, or mpv for libmpv in place of Playhead
 *
 * Prints figures, one a line; status 1 where something fell short, 77 without OpenGL or libmpv. */

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <locale.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "headless.h"
#include "playhead.h"

#define WIDTH 1280
#define HEIGHT 720
#define RATE 144

static int failures;

static void must(playhead_status status, const char *call) {
    if (status >= 0) return;
    fprintf(stderr, "%s: %s\n", call, playhead_last_error());
    failures++;
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t processor_time(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000
        + ((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

/* Kilobytes of memory that are the process's own. */
static long resident(void) {
    long pages = 0, own = 0, shared = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%ld %ld %ld", &pages, &own, &shared) != 3) own = shared = 0;
    fclose(file);
    return (own - shared) * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Kilobytes that are allocated, however much of freed memory malloc keeps. */
static long allocated(void) {
    struct mallinfo2 info = mallinfo2();
    return (long)((info.uordblks + info.hblkhd) / 1024);
}

/* Kilobytes that malloc has of the system, allocated or not. */
static long reserved(void) {
    struct mallinfo2 info = mallinfo2();
    return (long)((info.arena + info.hblkhd) / 1024);
}

static int entries(const char *folder) {
    int count = 0;
    DIR *directory = opendir(folder);
    while (directory && readdir(directory)) count++;
    if (directory) closedir(directory);
    return count;
}

static playhead_player *make_player(int clock_mode, int state_mode) {
    playhead_options options = {0};
    playhead_gl_options gl_options = {0};
    playhead_player *player = NULL;
    options.struct_size = sizeof options;
    options.clock_mode = clock_mode;
    options.sound_mode = PLAYHEAD_SOUND_NONE;
    must(playhead_create(&options, &player), "playhead_create");
    gl_options.struct_size = sizeof gl_options;
    gl_options.state_mode = state_mode;
    must(playhead_gl_init(player, &gl_options), "playhead_gl_init");
    return player;
}

static void draw(playhead_player *player, unsigned framebuffer, playhead_render_result *result) {
    playhead_target target = {0};
    target.struct_size = sizeof target;
    target.framebuffer = framebuffer;
    target.framebuffer_width = WIDTH;
    target.framebuffer_height = HEIGHT;
    target.background[3] = 1;
    must(playhead_render(player, &target, result), "playhead_render");
}

/* --- Cycles ------------------------------------------------------------------------------- */

static void cycle(playhead_player *player, unsigned framebuffer, const char *film) {
    int frame;
    must(playhead_open(player, film), "playhead_open");
    must(playhead_play(player), "playhead_play");
    for (frame = 0; frame < 3; frame++) {
        must(playhead_wait_for_frame(player, 60000000000, NULL), "playhead_wait_for_frame");
        draw(player, framebuffer, NULL);
        must(playhead_tick(player, 40000000), "playhead_tick");
    }
    must(playhead_close(player), "playhead_close");
}

/* Threads and descriptors of what was closed go a moment later. */
static void settle(int threads, int files) {
    int wait;
    for (wait = 0; wait < 1000; wait++) {
        if (entries("/proc/self/task") <= threads && entries("/proc/self/fd") <= files) return;
        usleep(10000);
    }
}

static int run_cycles(long count, const char *film, int returns) {
    unsigned framebuffer = headless_make_framebuffer(WIDTH, HEIGHT);
    /* Until malloc's heaps, one for each thread at first, have the size that they keep. */
    long warm_up = count / 5, index;
    long memory = 0, peak = 0, heap = 0;
    int threads = 0, files = 0, objects = 0;
    int64_t start = now();
    playhead_player *player = make_player(PLAYHEAD_CLOCK_TICK, PLAYHEAD_GL_RESTORE_ALL);
    for (index = 0; index < count && failures < 10; index++) {
        if (index == warm_up) {
            settle(0, 0);
            memory = resident();
            heap = allocated();
            threads = entries("/proc/self/task");
            files = entries("/proc/self/fd");
        }
        cycle(player, framebuffer, film);
        if (index % 10 == 9) {
            playhead_statistics statistics = {0};
            statistics.struct_size = sizeof statistics;
            must(playhead_get_statistics(player, &statistics), "playhead_get_statistics");
            if ((int)statistics.gl_objects > objects) objects = (int)statistics.gl_objects;
            must(playhead_gl_deinit(player), "playhead_gl_deinit");
            must(playhead_destroy(player), "playhead_destroy");
            player = make_player(PLAYHEAD_CLOCK_TICK, PLAYHEAD_GL_RESTORE_ALL);
        }
        if (index > warm_up && resident() > peak) peak = resident();
        if (index > warm_up && (index + 1) % (count / 5) == 0)
            printf(
                "after %ld: resident %+ld kB, allocated %+ld kB; malloc has %ld kB\n", index + 1,
                resident() - memory, allocated() - heap, reserved());
    }
    settle(threads, files);
    printf("cycles %ld in %.1f s\n", index, (double)(now() - start) / 1e9);
    printf(
        "memory %+ld kB after warm-up, at most %+ld kB; allocated %+ld kB\n",
        resident() - memory, peak - memory, allocated() - heap);
    printf("threads %d, then %d\n", threads, entries("/proc/self/task"));
    printf("descriptors %d, then %d\n", files, entries("/proc/self/fd"));
    printf("OpenGL objects at most %d\n", objects);
    if (allocated() - heap > 1024) failures++;
    /* What malloc keeps is no business of the library's. */
    if (returns && resident() - memory > 1024) failures++;
    if (entries("/proc/self/task") > threads || entries("/proc/self/fd") > files) failures++;
    must(playhead_destroy(player), "playhead_destroy");
    return failures != 0;
}

/* --- A loop of 144 Hz --------------------------------------------------------------------- */

/* As much of libmpv's client.h and render_gl.h as a host needs; found at run time. */
struct mpv_parameter {
    int type;
    void *data;
};
struct mpv_opengl_init {
    void *(*get_proc)(void *context, const char *name);
    void *context;
};
struct mpv_framebuffer {
    int name, width, height, format;
};
enum { MPV_API_TYPE = 1, MPV_OPENGL_INIT = 2, MPV_OPENGL_FBO = 3, MPV_BLOCK = 12 };

static void *mpv_library, *mpv_context;
static int (*mpv_render)(void *, struct mpv_parameter *);
static uint64_t (*mpv_update)(void *);

static void *get_proc(void *context, const char *name) {
    static void *(*function)(const char *);
    (void)context;
    if (!function) *(void **)&function = dlsym(dlopen("libEGL.so.1", RTLD_LAZY), "eglGetProcAddress");
    return function(name);
}

static void find(const char *name, void *function) {
    void *address = dlsym(mpv_library, name);
    memcpy(function, &address, sizeof address);
}

static int start_mpv(const char *film) {
    void *(*create)(void);
    int (*set)(void *, const char *, const char *), (*initialize)(void *);
    int (*command)(void *, const char **), (*make)(void **, void *, struct mpv_parameter *);
    static const char *options[] = {
        "config", "no", "terminal", "no", "vo", "libmpv", "audio", "no", "hwdec", "no",
        "loop-file", "inf", "load-scripts", "no", "ytdl", "no"};
    const char *load[] = {"loadfile", film, NULL};
    struct mpv_opengl_init init = {get_proc, NULL};
    struct mpv_parameter parameters[] = {
        {MPV_API_TYPE, "opengl"}, {MPV_OPENGL_INIT, &init}, {0, NULL}};
    size_t index;
    void *handle;
    mpv_library = dlopen("libmpv.so.2", RTLD_NOW);
    if (!mpv_library) mpv_library = dlopen("libmpv.so.1", RTLD_NOW);
    if (!mpv_library) return 0;
    setlocale(LC_NUMERIC, "C");
    find("mpv_create", &create);
    find("mpv_set_option_string", &set);
    find("mpv_initialize", &initialize);
    find("mpv_command", &command);
    find("mpv_render_context_create", &make);
    find("mpv_render_context_render", &mpv_render);
    find("mpv_render_context_update", &mpv_update);
    handle = create();
    for (index = 0; index < sizeof options / sizeof options[0]; index += 2)
        set(handle, options[index], options[index + 1]);
    if (initialize(handle) < 0 || make(&mpv_context, handle, parameters) < 0) return 0;
    return command(handle, load) >= 0;
}

static int draw_mpv(unsigned framebuffer) {
    struct mpv_framebuffer target = {(int)framebuffer, WIDTH, HEIGHT, 0};
    int block = 0;
    struct mpv_parameter parameters[] = {
        {MPV_OPENGL_FBO, &target}, {MPV_BLOCK, &block}, {0, NULL}};
    /* Without a new frame nothing is drawn: what a host that keeps its framebuffer does. */
    if (!(mpv_update(mpv_context) & 1)) return 0;
    return mpv_render(mpv_context, parameters) >= 0;
}

static int compare(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

static int run_loop(double seconds, const char *film, const char *mode) {
    unsigned framebuffer = headless_make_framebuffer(WIDTH, HEIGHT);
    void (*finish)(void);
    long count = (long)(seconds * RATE), index, warm_up = RATE;
    int64_t *times = malloc(sizeof *times * (size_t)(count + warm_up));
    int64_t start, used = 0, sum = 0, state = 0;
    long new_frames = 0, memory;
    playhead_player *player = NULL;
    int is_mpv = !strcmp(mode, "mpv"), is_none = !strcmp(mode, "none");
    int is_texture = !strcmp(mode, "texture");
    void *address = get_proc(NULL, "glFinish");
    memcpy(&finish, &address, sizeof address);
    if (is_mpv) {
        if (!start_mpv(film)) return 77;
    } else if (!is_none) {
        player = make_player(
            PLAYHEAD_CLOCK_OWN, !strcmp(mode, "default")  ? PLAYHEAD_GL_ASSUME_DEFAULT
                                : !strcmp(mode, "resets") ? PLAYHEAD_GL_HOST_RESETS
                                                          : PLAYHEAD_GL_RESTORE_ALL);
        must(playhead_set_loop(player, -1, 0, PLAYHEAD_NO_TIME), "playhead_set_loop");
        must(playhead_open(player, film), "playhead_open");
        must(playhead_play(player), "playhead_play");
    }
    start = now();
    for (index = 0; index < count + warm_up; index++) {
        int64_t due = start + index * 1000000000 / RATE, wait = due - now(), before;
        struct timespec pause = {0, 0};
        if (wait > 0) {
            pause.tv_nsec = (long)wait;
            nanosleep(&pause, NULL);
        }
        if (index == warm_up) used = processor_time();
        before = now();
        if (is_mpv) new_frames += draw_mpv(framebuffer) && index >= warm_up;
        else if (is_texture) {
            playhead_texture texture = {0};
            texture.struct_size = sizeof texture;
            if (playhead_acquire_texture(player, NULL, &texture) == PLAYHEAD_OK)
                must(playhead_release_texture(player, texture.lease, NULL), "release");
        } else if (player) {
            playhead_render_result result = {0};
            result.struct_size = sizeof result;
            draw(player, framebuffer, &result);
            if (index >= warm_up) {
                new_frames += (result.flags & PLAYHEAD_RENDER_NEW_FRAME) != 0;
                state += result.state_duration;
            }
        }
        times[index] = now() - before;
        /* What was drawn is done before the next frame: else the figures were of queues. */
        finish();
    }
    used = processor_time() - used;
    memory = resident();
    qsort(times + warm_up, (size_t)count, sizeof *times, compare);
    for (index = warm_up; index < count + warm_up; index++) sum += times[index];
    printf(
        "%-8s call mean %.3f ms, p99 %.3f ms, longest %.3f ms; state %.1f us; processor %.2f ms a "
        "turn, %.2f ms a frame drawn; %ld new frames in %ld turns; %ld MB\n",
        mode, (double)sum / (double)count / 1e6,
        (double)times[warm_up + count * 99 / 100] / 1e6,
        (double)times[warm_up + count - 1] / 1e6, (double)state / (double)count / 1e3,
        (double)used / (double)count / 1e6,
        (double)used / (double)(new_frames > 0 ? new_frames : 1) / 1e6, new_frames, count,
        memory / 1024);
    if (player) must(playhead_gl_deinit(player), "playhead_gl_deinit");
    if (player) must(playhead_destroy(player), "playhead_destroy");
    free(times);
    /* Libmpv is let go with the process. */
    fflush(stdout);
    if (is_mpv) _exit(failures != 0);
    return failures != 0;
}

int main(int count, char **arguments) {
    int returns = count == 5 && !strcmp(arguments[4], "returns");
    if (returns) {
        mallopt(M_MMAP_THRESHOLD, 128 * 1024);
        mallopt(M_TRIM_THRESHOLD, 128 * 1024);
    }
    if (!headless_make_context()) return 77;
    if (count == 5 && !strcmp(arguments[1], "cycles"))
        return run_cycles(atol(arguments[2]), arguments[3], returns);
    if (count == 5 && !strcmp(arguments[1], "loop"))
        return run_loop(atof(arguments[2]), arguments[3], arguments[4]);
    return 2;
}
