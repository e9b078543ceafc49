/* SPDX-License-Identifier: Apache-2.0 */

/* A host with random OpenGL state: draws a video repeatedly, and checks that all state is unchanged, no
 * error was caused or cleared, and the frames are right.
 *
 *     HostStateHost core|compat|es MAJOR MINOR ROUNDS SEED FILE
 *     HostStateHost core|compat|es MAJOR MINOR pictures FILE PIXELS [effects]
 *
 * Prints a line of figures; exits with 1 if state has changed, 77 if there is no such context. The
 * second form writes images instead, drawn with OpenGL's defaults. */

#include "host_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 8
#define SIDE 64

static playhead_player *player;
static uint64_t pictures[FRAMES];
static int failures;

static void complain(const char *text) {
    fprintf(stderr, "%s: %s\n", text, playhead_last_error());
    failures++;
}

static void must(playhead_status status, const char *call) {
    if (status < 0) complain(call);
}

/* Returns a hash of the pixels of a framebuffer. */
static uint64_t hash_pixels(GLuint framebuffer) {
    static unsigned char pixels[SIDE * SIDE * 4];
    uint64_t hash = 1469598103934665603u;
    size_t index;
    gl.BindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    gl.ReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (index = 0; index < sizeof pixels; index++) hash = (hash ^ pixels[index]) * 1099511628211u;
    return hash;
}

static void draw(GLuint framebuffer) {
    playhead_target target = {0};
    target.struct_size = sizeof target;
    target.framebuffer = framebuffer;
    target.framebuffer_width = SIDE;
    target.framebuffer_height = SIDE;
    target.background[3] = 1;
    must(playhead_render(player, &target, NULL), "playhead_render");
}

/* Draws into a framebuffer of its own, which is created and read with OpenGL's defaults. */
static GLuint target_texture, target_framebuffer;

static void make_target(void) {
    gl.GenTextures(1, &target_texture);
    gl.BindTexture(GL_TEXTURE_2D, target_texture);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIDE, SIDE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    gl.GenFramebuffers(1, &target_framebuffer);
    gl.BindFramebuffer(GL_FRAMEBUFFER, target_framebuffer);
    gl.FramebufferTexture2D(
        GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target_texture, 0);
    gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl.BindTexture(GL_TEXTURE_2D, 0);
}

/* With text over it, which is visible from the second frame on. */
static void start_film(const char *film) {
    static const char words[] = "1\n00:00:00,000 --> 00:01:00,000\nWords\n";
    uint32_t track;
    must(playhead_open(player, film), "playhead_open");
    must(playhead_play(player), "playhead_play");
    must(playhead_wait_for_frame(player, 60000000000, NULL), "playhead_wait_for_frame");
    must(
        playhead_add_subtitles_memory(player, words, sizeof words - 1, "words.srt", &track),
        "playhead_add_subtitles_memory");
    must(playhead_enable_track(player, track, 1), "playhead_enable_track");
}

static void next_frame(void) {
    must(playhead_tick(player, 40000000), "playhead_tick");
    must(playhead_wait_for_frame(player, 60000000000, NULL), "playhead_wait_for_frame");
}

/* Makes one call that uses OpenGL. */
static void call(int kind, playhead_gl_options *options) {
    playhead_texture texture = {0};
    static uint64_t lease;
    static GLuint name;
    texture.struct_size = sizeof texture;
    switch (kind) {
    case 0: draw(target_framebuffer); break;
    case 1:
        must(playhead_acquire_texture(player, NULL, &texture), "playhead_acquire_texture");
        lease = texture.lease;
        name = texture.name;
        break;
    case 2:
        if (lease) must(playhead_release_texture(player, lease, NULL), "playhead_release_texture");
        lease = 0;
        break;
    case 3:
        must(playhead_gl_deinit(player), "playhead_gl_deinit");
        if (name && gl.IsTexture(name)) complain("a texture was left");
        lease = name = 0;
        break;
    case 4: must(playhead_gl_init(player, options), "playhead_gl_init"); break;
    case 5: must(playhead_gl_collect(NULL), "playhead_gl_collect"); break;
    }
}

int main(int count, char **arguments) {
    playhead_options options = {0};
    playhead_gl_options gl_options = {0};
    int rounds, round, frame, kind;
    long compared = 0;
    GLint program = 0;
    if (count < 7 || count > 8) return 2;
    if (!make_context(arguments[1], atoi(arguments[2]), atoi(arguments[3]))) {
        printf("no context %s %s.%s\n", arguments[1], arguments[2], arguments[3]);
        return 77;
    }
    if (!strcmp(arguments[4], "pictures"))
        return write_pictures(arguments[5], arguments[6], count == 8);
    rounds = atoi(arguments[4]);
    seed_random(strtoull(arguments[5], NULL, 10));
    options.struct_size = sizeof options;
    options.clock_mode = PLAYHEAD_CLOCK_TICK;
    options.audio_mode = PLAYHEAD_AUDIO_NONE;
    must(playhead_create(&options, &player), "playhead_create");
    gl_options.struct_size = sizeof gl_options;
    make_objects();
    make_target();

    /* The expected frames, drawn with OpenGL's defaults. */
    must(playhead_gl_init(player, &gl_options), "playhead_gl_init");
    start_film(arguments[6]);
    for (frame = 0; frame < FRAMES; frame++) {
        draw(target_framebuffer);
        pictures[frame] = hash_pixels(target_framebuffer);
        next_frame();
    }
    must(playhead_gl_deinit(player), "playhead_gl_deinit");
    gl.BindFramebuffer(GL_FRAMEBUFFER, 0);

    for (round = 0; round < rounds && failures < 20; round++) {
        struct snapshot before, after;
        int has_error = round % 4 == 1;
        frame = round % FRAMES;
        /* The texture units of the library are chosen at random. */
        gl_options.texture_unit_base = round % 3 ? (int)random_below(8) : 0;
        if (frame == 0) start_film(arguments[6]);
        else next_frame();
        for (kind = 0; kind < 6; kind++) {
            static const int order[] = {4, 0, 1, 2, 5, 3};
            randomize_state();
            take_snapshot(&before);
            if (has_error) gl.Enable(0xFFFF);
            call(order[kind], &gl_options);
            if (has_error && gl.GetError() != GL_INVALID_ENUM) complain("an error was swallowed");
            if (gl.GetError() != GL_NO_ERROR) complain("an error was made");
            take_snapshot(&after);
            failures += compare_snapshots(&before, &after, "a call", order[kind]);
            compared += before.count;
            if (order[kind] == 0) {
                default_state();
                if (hash_pixels(target_framebuffer) != pictures[frame]) complain("a wrong frame");
                gl.BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
            }
        }
    }

    /* The only state that cannot be restored. */
    default_state();
    must(playhead_gl_init(player, &gl_options), "playhead_gl_init");
    use_deleted_program();
    draw(target_framebuffer);
    if (gl.GetError() != GL_NO_ERROR) complain("an error was made of a deleted program");
    gl.GetIntegerv(GL_CURRENT_PROGRAM, &program);
    if (program) complain("another program is current than one that was deleted");
    must(playhead_gl_deinit(player), "playhead_gl_deinit");

    must(playhead_destroy(player), "playhead_destroy");
    printf(
        "%s %s: %d rounds of 6 calls, %ld values compared, %d failures\n", arguments[1],
        (const char *)gl.GetString(GL_VERSION), round, compared, failures);
    return failures != 0;
}
