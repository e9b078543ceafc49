/* SPDX-License-Identifier: Apache-2.0 */

/* Writes the frames of a video, and of each built-in effect on it, as pixels to a file, to compare
 * OpenGL implementations. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_state.h"

enum { WIDTH = 120, HEIGHT = 68, FRAMES = 3 };

static GLuint targets[2], textures[2];
static int failures;

static void must(playhead_status status, const char *call) {
    if (status >= 0) return;
    fprintf(stderr, "%s: %s\n", call, playhead_last_error());
    failures++;
}

/* A framebuffer with a texture of ours, or with one to examine. */
static void attach(int index, GLuint texture) {
    gl.BindFramebuffer(GL_FRAMEBUFFER, targets[index]);
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
}

static void write_pixels(int index, FILE *out) {
    static unsigned char pixels[WIDTH * HEIGHT * 4];
    memset(pixels, 0, sizeof pixels);
    gl.BindFramebuffer(GL_READ_FRAMEBUFFER, targets[index]);
    gl.ReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    gl.BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    fwrite(pixels, 1, sizeof pixels, out);
}

/* The number of failures, such as an effect that does not compile. */
static void look_at_events(playhead_player *player) {
    playhead_event event = {0};
    event.struct_size = sizeof event;
    while (playhead_next_event(player, &event) == PLAYHEAD_OK) {
        if (event.type != PLAYHEAD_EVENT_WARNING && event.type != PLAYHEAD_EVENT_ERROR) continue;
        fprintf(stderr, "%s\n", event.text);
        failures++;
    }
}

static void draw(playhead_player *player, FILE *out, uint32_t flags) {
    playhead_target target = {0};
    target.struct_size = sizeof target;
    target.framebuffer = targets[0];
    target.framebuffer_width = WIDTH;
    target.framebuffer_height = HEIGHT;
    target.flags = flags;
    must(playhead_render(player, &target, NULL), "playhead_render");
    write_pixels(0, out);
    look_at_events(player);
}

static void take_texture(playhead_player *player, FILE *out) {
    playhead_texture texture = {0};
    playhead_texture_request request = {0};
    texture.struct_size = sizeof texture;
    request.struct_size = sizeof request;
    request.width = WIDTH;
    request.height = HEIGHT;
    must(playhead_acquire_texture(player, &request, &texture), "playhead_acquire_texture");
    attach(1, texture.name);
    write_pixels(1, out);
    attach(1, textures[1]);
    must(playhead_release_texture(player, texture.lease, NULL), "playhead_release_texture");
}

static void next_frame(playhead_player *player) {
    must(playhead_tick(player, 40000000), "playhead_tick");
    must(playhead_wait_for_frame(player, 60000000000, NULL), "playhead_wait_for_frame");
}

int write_pictures(const char *film, const char *path, int with_effects) {
    playhead_options options = {0};
    playhead_player *player = NULL;
    FILE *out = fopen(path, "wb");
    uint32_t index;
    int frame;
    if (!out) return 2;
    gl.GenTextures(2, textures);
    gl.GenFramebuffers(2, targets);
    for (index = 0; index < 2; index++) {
        gl.BindTexture(GL_TEXTURE_2D, textures[index]);
        gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, WIDTH, HEIGHT, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
        attach((int)index, textures[index]);
    }
    gl.BindTexture(GL_TEXTURE_2D, 0);
    options.struct_size = sizeof options;
    options.clock_mode = PLAYHEAD_CLOCK_TICK;
    options.audio_mode = PLAYHEAD_AUDIO_NONE;
    must(playhead_create(&options, &player), "playhead_create");
    must(playhead_gl_init(player, NULL), "playhead_gl_init");
    must(playhead_open(player, film), "playhead_open");
    must(playhead_play(player), "playhead_play");
    must(playhead_wait_for_frame(player, 60000000000, NULL), "playhead_wait_for_frame");
    for (frame = 0; frame < FRAMES; frame++) {
        draw(player, out, frame == 1 ? PLAYHEAD_TARGET_FLIPPED : 0);
        take_texture(player, out);
        next_frame(player);
    }
    for (index = 0; with_effects && index < playhead_effect_library_count(); index++) {
        playhead_effect *effect = NULL;
        must(
            playhead_effect_add(player, playhead_effect_library_name(index), &effect),
            playhead_effect_library_name(index));
        draw(player, out, 0);
        must(playhead_effect_remove(effect), "playhead_effect_remove");
    }
    must(playhead_gl_deinit(player), "playhead_gl_deinit");
    must(playhead_destroy(player), "playhead_destroy");
    if (gl.GetError() != GL_NO_ERROR) {
        fprintf(stderr, "an error was made\n");
        failures++;
    }
    printf("%s: %ld bytes\n", (const char *)gl.GetString(GL_VERSION), ftell(out));
    fclose(out);
    return failures != 0;
}
