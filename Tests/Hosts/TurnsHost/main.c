/* SPDX-License-Identifier: Apache-2.0 */

/* A host that draws alternately into a framebuffer with several samples per pixel and into one with a
 * single sample: each must show every frame.
 *
 *     TurnsHost FILE [core|es [EFFECT]]
 *
 * The video is 320 x 180 with 25 frames a second, drawn with a built-in effect if one is named. Prints
 * the largest difference between the two, of 255; exits with 1 if one of them shows an unexpected
 * frame, with 77 if OpenGL has no such framebuffers. */

#include <EGL/egl.h>
#include <GL/glcorearb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "headless.h"
#include "playhead.h"

enum { WIDTH = 320, HEIGHT = 180, SAMPLES = 4, FRAMES = 12 };

#define FRAME_DURATION INT64_C(40000000)
#define LOAD(TYPE, NAME) TYPE NAME = (TYPE)eglGetProcAddress(#NAME)

static playhead_player *player;
static int failures;

static void must(playhead_status status, const char *call) {
    if (status >= 0) return;
    fprintf(stderr, "%s: %s\n", call, playhead_last_error());
    exit(1);
}

/* Returns 0 on failure. */
static GLuint make_sampled_framebuffer(void) {
    LOAD(PFNGLGENRENDERBUFFERSPROC, glGenRenderbuffers);
    LOAD(PFNGLBINDRENDERBUFFERPROC, glBindRenderbuffer);
    LOAD(PFNGLRENDERBUFFERSTORAGEMULTISAMPLEPROC, glRenderbufferStorageMultisample);
    LOAD(PFNGLGENFRAMEBUFFERSPROC, glGenFramebuffers);
    LOAD(PFNGLBINDFRAMEBUFFERPROC, glBindFramebuffer);
    LOAD(PFNGLFRAMEBUFFERRENDERBUFFERPROC, glFramebufferRenderbuffer);
    LOAD(PFNGLCHECKFRAMEBUFFERSTATUSPROC, glCheckFramebufferStatus);
    LOAD(PFNGLGETINTEGERVPROC, glGetIntegerv);
    GLuint pixels, framebuffer;
    GLint most = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    if (most < SAMPLES) return 0;
    glGenRenderbuffers(1, &pixels);
    glBindRenderbuffer(GL_RENDERBUFFER, pixels);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, SAMPLES, GL_RGBA8, WIDTH, HEIGHT);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, pixels);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE ? framebuffer : 0;
}

/* Draws, and checks that the result is the expected frame. */
static void draw(GLuint framebuffer, int frame, const char *name) {
    LOAD(PFNGLGETERRORPROC, glGetError);
    playhead_target target = {0};
    playhead_render_result result = {0};
    target.struct_size = sizeof target;
    target.framebuffer = framebuffer;
    target.framebuffer_width = WIDTH;
    target.framebuffer_height = HEIGHT;
    result.struct_size = sizeof result;
    must(playhead_render(player, &target, &result), "render");
    if (glGetError()) {
        fprintf(stderr, "%s: frame %d leaves an error of OpenGL's\n", name, frame);
        failures++;
    }
    if (result.frame_time == frame * FRAME_DURATION) return;
    fprintf(
        stderr, "%s: %lld ns in place of frame %d\n", name, (long long)result.frame_time, frame);
    failures++;
}

static void expect_new(int is_expected, int frame) {
    int32_t is_new = 0;
    must(playhead_has_new_frame(player, &is_new), "has_new_frame");
    if (is_new == is_expected) return;
    fprintf(stderr, "frame %d counts as %s\n", frame, is_new ? "new" : "known");
    failures++;
}

static void read_pixels(GLuint framebuffer, unsigned char *pixels) {
    LOAD(PFNGLBINDFRAMEBUFFERPROC, glBindFramebuffer);
    LOAD(PFNGLREADPIXELSPROC, glReadPixels);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

/* Returns the largest difference of the two, read through a third one: samples cannot be read. */
static int compare(GLuint sampled, GLuint plain, GLuint resolved) {
    LOAD(PFNGLBINDFRAMEBUFFERPROC, glBindFramebuffer);
    LOAD(PFNGLBLITFRAMEBUFFERPROC, glBlitFramebuffer);
    static unsigned char pixels[2][WIDTH * HEIGHT * 4];
    int largest = 0;
    size_t index;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, sampled);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved);
    glBlitFramebuffer(
        0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    read_pixels(resolved, pixels[0]);
    read_pixels(plain, pixels[1]);
    for (index = 0; index < sizeof pixels[0]; index++) {
        int difference = abs(pixels[0][index] - pixels[1][index]);
        if (difference > largest) largest = difference;
    }
    return largest;
}

int main(int count, char **arguments) {
    playhead_options options = {0};
    playhead_effect *effect = NULL;
    GLuint sampled, plain, resolved;
    int frame, is_es, largest = 0;
    if (count < 2 || count > 4) return 2;
    is_es = count > 2 && !strcmp(arguments[2], "es");
    if (!(is_es ? headless_make_es_context() : headless_make_context())) return 77;
    sampled = make_sampled_framebuffer();
    if (!sampled) return 77;
    plain = headless_make_framebuffer(WIDTH, HEIGHT);
    resolved = headless_make_framebuffer(WIDTH, HEIGHT);
    options.struct_size = sizeof options;
    options.clock_mode = PLAYHEAD_CLOCK_TICK;
    options.audio_mode = PLAYHEAD_AUDIO_NONE;
    must(playhead_create(&options, &player), "create");
    must(playhead_gl_init(player, NULL), "gl_init");
    if (count > 3) must(playhead_effect_add(player, arguments[3], &effect), "effect_add");
    must(playhead_open(player, arguments[1]), "open");
    must(playhead_play(player), "play");
    for (frame = 0; frame < FRAMES; frame++) {
        int difference;
        must(playhead_wait_for_frame(player, INT64_C(60000000000), NULL), "wait_for_frame");
        expect_new(1, frame);
        /* The order alternates. */
        if (frame % 2) draw(plain, frame, "one sample");
        draw(sampled, frame, "several samples");
        expect_new(0, frame);
        if (frame % 2 == 0) draw(plain, frame, "one sample");
        expect_new(0, frame);
        difference = compare(sampled, plain, resolved);
        if (difference > largest) largest = difference;
        must(playhead_tick(player, FRAME_DURATION), "tick");
    }
    must(playhead_gl_deinit(player), "gl_deinit");
    must(playhead_destroy(player), "destroy");
    printf("%d\n", largest);
    /* The two conversions differ by at most one code value. */
    return failures || largest > 1;
}
