/* SPDX-License-Identifier: Apache-2.0 */

/* A video in a GLFW window, drawn by the host's own loop in plain C.
 *
 *     host FILE [--effect NAME] [--headless --frames N -o OUT.png]
 *
 * Space pauses and plays, q and Escape quit. Without a window, the host advances the time by a
 * thirtieth of a second for each frame, however long it takes to draw, and writes the last frame to
 * a file. */

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <playhead.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "headless.h"

/* Ends the program with the library's error if a call has failed. */
static void must(playhead_status status) {
    if (status >= 0) return;
    fprintf(stderr, "%s: %s\n", playhead_status_name(status), playhead_last_error());
    exit(1);
}

static void draw(playhead_player *player, unsigned framebuffer, int width, int height) {
    playhead_target target = {0};
    target.struct_size = sizeof target;
    target.framebuffer = framebuffer;
    target.framebuffer_width = width;
    target.framebuffer_height = height;
    target.background[3] = 1;
    must(playhead_render(player, &target, NULL));
}

static void run_headless(playhead_player *player, int frames, const char *output) {
    unsigned framebuffer = headless_make_framebuffer(640, 360);
    int frame;
    for (frame = 0; frame < frames; frame++) {
        if (frame > 0) must(playhead_tick(player, 1000000000 / 30));
        /* A game draws the available frame; a program that writes files waits for every frame. */
        must(playhead_wait_for_frame(player, 30000000000, NULL));
        draw(player, framebuffer, 640, 360);
    }
    if (!headless_write_png(framebuffer, 640, 360, output)) exit(1);
}

static void on_key(GLFWwindow *window, int key, int code, int action, int modifiers) {
    playhead_player *player = glfwGetWindowUserPointer(window);
    playhead_state state = {0};
    (void)code, (void)modifiers;
    state.struct_size = sizeof state;
    if (action != GLFW_PRESS) return;
    if (key == GLFW_KEY_Q || key == GLFW_KEY_ESCAPE) glfwSetWindowShouldClose(window, 1);
    if (key != GLFW_KEY_SPACE) return;
    must(playhead_get_state(player, &state));
    must(state.transport == PLAYHEAD_PAUSED ? playhead_play(player) : playhead_pause(player));
}

/* Returns the exit status: 2 if the video failed. */
static int run_in_window(playhead_player *player, GLFWwindow *window) {
    int status = 0;
    glfwSetWindowUserPointer(window, player);
    glfwSetKeyCallback(window, on_key);
    glfwSwapInterval(1);
    while (!glfwWindowShouldClose(window)) {
        playhead_event event = {0};
        int width, height;
        event.struct_size = sizeof event;
        glfwPollEvents();
        while (playhead_next_event(player, &event) == PLAYHEAD_OK) {
            if (event.type == PLAYHEAD_EVENT_ERROR) {
                fprintf(stderr, "%s\n", event.text);
                status = 2;
            }
            if (event.type == PLAYHEAD_EVENT_ERROR || event.type == PLAYHEAD_EVENT_ENDED)
                glfwSetWindowShouldClose(window, 1);
        }
        glfwGetFramebufferSize(window, &width, &height);
        if (width > 0 && height > 0) draw(player, 0, width, height);
        glfwSwapBuffers(window);
    }
    return status;
}

int main(int count, char **arguments) {
    const char *film = NULL, *output = "out.png", *effect = NULL;
    playhead_options options = {0};
    playhead_player *player = NULL;
    GLFWwindow *window = NULL;
    int frames = 30, headless = 0, status = 0, index;
    for (index = 1; index < count; index++) {
        int more = index + 1 < count;
        if (!strcmp(arguments[index], "--headless")) headless = 1;
        else if (more && !strcmp(arguments[index], "--frames")) frames = atoi(arguments[++index]);
        else if (more && !strcmp(arguments[index], "--effect")) effect = arguments[++index];
        else if (more && !strcmp(arguments[index], "-o")) output = arguments[++index];
        else film = arguments[index];
    }
    if (!film) return fprintf(stderr, "usage: %s FILE [OPTIONS]\n", arguments[0]), 1;

    /* The host creates its own OpenGL context first. */
    if (headless) {
        if (!headless_make_context()) return fprintf(stderr, "no OpenGL without a window\n"), 3;
    } else {
        glfwInit();
        glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
        glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
        glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
        window = glfwCreateWindow(960, 540, film, NULL, NULL);
        if (!window) return fprintf(stderr, "no window with OpenGL 3.3\n"), 3;
        glfwMakeContextCurrent(window);
    }

    options.struct_size = sizeof options;
    options.clock_mode = headless ? PLAYHEAD_CLOCK_TICK : PLAYHEAD_CLOCK_OWN;
    options.audio_mode = headless ? PLAYHEAD_AUDIO_NONE : PLAYHEAD_AUDIO_DEVICE;
    must(playhead_create(&options, &player));
    must(playhead_gl_init(player, NULL));
    if (effect) {
        playhead_effect *added;
        must(playhead_effect_add(player, effect, &added));
    }
    must(playhead_open(player, film));
    must(playhead_play(player));
    if (headless) run_headless(player, frames, output);
    else status = run_in_window(player, window);

    must(playhead_gl_deinit(player));
    must(playhead_destroy(player));
    if (window) glfwTerminate();
    return status;
}
