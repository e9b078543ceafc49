/* SPDX-License-Identifier: Apache-2.0 */

/* A host of libmpv's render API, for comparison. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <locale.h>
#include <string.h>

#include "host_loop.h"

/* The parts of libmpv's client.h and render_gl.h that a host needs, loaded at run time. */
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

static void find(const char *name, void *function) {
    void *address = dlsym(mpv_library, name);
    memcpy(function, &address, sizeof address);
}

int start_mpv(const char *film) {
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

int draw_mpv(unsigned framebuffer) {
    struct mpv_framebuffer target = {(int)framebuffer, WIDTH, HEIGHT, 0};
    int block = 0;
    struct mpv_parameter parameters[] = {
        {MPV_OPENGL_FBO, &target}, {MPV_BLOCK, &block}, {0, NULL}};
    /* Draws nothing without a new frame, like a host that keeps its framebuffer. */
    if (!(mpv_update(mpv_context) & 1)) return 0;
    return mpv_render(mpv_context, parameters) >= 0;
}
