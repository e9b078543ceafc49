/* SPDX-License-Identifier: Apache-2.0 */

/* The resources of the process, and a player to measure. */

#define _GNU_SOURCE
#include <GL/glcorearb.h>
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "host_loop.h"

int failures;

void must(playhead_status status, const char *call) {
    if (status >= 0) return;
    fprintf(stderr, "%s: %s\n", call, playhead_last_error());
    failures++;
}

int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * SECOND + time.tv_nsec;
}

int64_t processor_time(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * SECOND
        + ((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

long resident(void) {
    long pages = 0, own = 0, shared = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%ld %ld %ld", &pages, &own, &shared) != 3) own = shared = 0;
    fclose(file);
    return (own - shared) * (sysconf(_SC_PAGESIZE) / 1024);
}

long allocated(void) {
    struct mallinfo2 info = mallinfo2();
    return (long)((info.uordblks + info.hblkhd) / 1024);
}

long reserved(void) {
    struct mallinfo2 info = mallinfo2();
    return (long)((info.arena + info.hblkhd) / 1024);
}

void settle(int threads, int descriptors) {
    int wait;
    for (wait = 0; wait < 1000; wait++) {
        if (count_threads(NULL) <= threads && count_descriptors() <= descriptors) return;
        usleep(10000);
    }
}

void *get_proc(void *context, const char *name) {
    static void *(*function)(const char *);
    (void)context;
    if (!function) *(void **)&function = dlsym(dlopen("libEGL.so.1", RTLD_LAZY), "eglGetProcAddress");
    return function(name);
}

/* The number of names to look up beyond that of a new object: drivers assign names in order, or assign
 * the lowest free one, while others above it are in use. */
#define NAMES_BEYOND 4096

int object_count(void) {
    typedef void (*make)(GLsizei, GLuint *);
    typedef void (*delete)(GLsizei, const GLuint *);
    typedef GLboolean (*ask)(GLuint);
    static const char *const kinds[][3] = {
        {"glGenTextures", "glDeleteTextures", "glIsTexture"},
        {"glGenBuffers", "glDeleteBuffers", "glIsBuffer"},
        {"glGenFramebuffers", "glDeleteFramebuffers", "glIsFramebuffer"},
        {"glGenRenderbuffers", "glDeleteRenderbuffers", "glIsRenderbuffer"},
        {"glGenVertexArrays", "glDeleteVertexArrays", "glIsVertexArray"},
        {"glGenSamplers", "glDeleteSamplers", "glIsSampler"},
        {"glGenQueries", "glDeleteQueries", "glIsQuery"},
    };
    int count = 0;
    size_t kind;
    GLuint name, last;
    ask is_shader, is_program;
    GLuint (*create)(void);
    void (*delete_program)(GLuint);
    for (kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        make gen;
        delete drop;
        ask is;
        *(void **)&gen = get_proc(NULL, kinds[kind][0]);
        *(void **)&drop = get_proc(NULL, kinds[kind][1]);
        *(void **)&is = get_proc(NULL, kinds[kind][2]);
        gen(1, &last);
        drop(1, &last);
        for (name = 1; name <= last + NAMES_BEYOND; name++) count += is(name) != 0;
    }
    *(void **)&is_shader = get_proc(NULL, "glIsShader");
    *(void **)&is_program = get_proc(NULL, "glIsProgram");
    *(void **)&create = get_proc(NULL, "glCreateProgram");
    *(void **)&delete_program = get_proc(NULL, "glDeleteProgram");
    last = create();
    delete_program(last);
    for (name = 1; name <= last + NAMES_BEYOND; name++)
        count += is_shader(name) != 0 || is_program(name) != 0;
    return count;
}

playhead_player *make_player(int clock_mode, int state_mode) {
    playhead_options options = {0};
    playhead_gl_options gl_options = {0};
    playhead_player *player = NULL;
    options.struct_size = sizeof options;
    options.clock_mode = clock_mode;
    options.audio_mode = PLAYHEAD_AUDIO_NONE;
    must(playhead_create(&options, &player), "playhead_create");
    gl_options.struct_size = sizeof gl_options;
    gl_options.state_mode = state_mode;
    must(playhead_gl_init(player, &gl_options), "playhead_gl_init");
    return player;
}

void draw(
    playhead_player *player, unsigned framebuffer, int width, int height,
    playhead_render_result *result) {
    playhead_target target = {0};
    target.struct_size = sizeof target;
    target.framebuffer = framebuffer;
    target.framebuffer_width = width;
    target.framebuffer_height = height;
    target.background[3] = 1;
    must(playhead_render(player, &target, result), "playhead_render");
}
