/* SPDX-License-Identifier: Apache-2.0 */

/* A host that opens a device, and draws its frames.
 *
 *     DeviceHost ADDRESS
 *
 * Prints a line for each thing that happens: the device's description, its tenth frame, what functions
 * of files return, each warning and error, and the next frames after an interruption. Ends then, or
 * after an error; exits with 77 without OpenGL. */

#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "headless.h"
#include "playhead.h"

enum { WIDTH = 64, HEIGHT = 48 };

static int failures;

static void must(playhead_status status, const char *call) {
    if (status >= 0) return;
    printf("failed %s: %s\n", call, playhead_last_error());
    failures++;
}

static void print_device(playhead_player *player) {
    playhead_media_info info;
    playhead_state state;
    memset(&info, 0, sizeof info);
    memset(&state, 0, sizeof state);
    info.struct_size = sizeof info;
    state.struct_size = sizeof state;
    must(playhead_get_media_info(player, &info), "playhead_get_media_info");
    must(playhead_get_state(player, &state), "playhead_get_state");
    printf("ready %dx%d %.0f %s phase %d\n", info.width, info.height, info.frame_rate, info.container,
           state.phase);
}

static void print_frame(playhead_player *player) {
    playhead_frame frame;
    memset(&frame, 0, sizeof frame);
    frame.struct_size = sizeof frame;
    must(playhead_map_frame(player, 0, &frame), "playhead_map_frame");
    /* fake_frames.c: luma is 16 + (x + y) % 220. */
    printf("frame %dx%d %s luma %d\n", frame.width, frame.height, frame.format,
           frame.planes[0].data
               ? ((const unsigned char *)frame.planes[0].data)[frame.planes[0].bytes_per_row * 100 + 50]
               : -1);
    must(playhead_unmap_frame(player, frame.lease), "playhead_unmap_frame");
    printf("seek %s\n", playhead_status_name(playhead_seek(player, 0, PLAYHEAD_SEEK_EXACT)));
    printf("swap %s\n", playhead_status_name(playhead_report_swap(player, 0, 16666667)));
    printf("play %s\n", playhead_status_name(playhead_play(player)));
}

int main(int argc, char **argv) {
    playhead_player *player = NULL;
    playhead_options options;
    playhead_target target;
    long new_frames = 0, awaited = -1;
    int is_over = 0;
    playhead_status status;
    if (argc != 2) return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!headless_make_context()) return 77;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.audio_mode = PLAYHEAD_AUDIO_NONE;
    must(playhead_create(&options, &player), "playhead_create");
    must(playhead_gl_init(player, NULL), "playhead_gl_init");
    memset(&target, 0, sizeof target);
    target.struct_size = sizeof target;
    target.framebuffer = headless_make_framebuffer(WIDTH, HEIGHT);
    target.framebuffer_width = WIDTH;
    target.framebuffer_height = HEIGHT;
    status = playhead_open_device(player, argv[1]);
    if (status < 0) {
        printf("refused %s: %s\n", playhead_status_name(status), playhead_last_error());
        is_over = 1;
    }
    while (!is_over && !failures) {
        playhead_render_result result;
        playhead_event event;
        struct timespec pause = {0, 4000000};
        memset(&event, 0, sizeof event);
        event.struct_size = sizeof event;
        while (playhead_next_event(player, &event) == PLAYHEAD_OK) {
            if (event.type == PLAYHEAD_EVENT_READY) print_device(player);
            if (event.type == PLAYHEAD_EVENT_SIZE)
                printf("size %dx%d\n", (int)(event.value >> 32), (int)(event.value & 0xffffffff));
            if (event.type == PLAYHEAD_EVENT_WARNING) {
                printf("warning %s: %s\n", playhead_status_name(event.status), event.text);
                /* A frame that was on its way may still arrive. A camera that is late has not gone. */
                if (event.status != PLAYHEAD_TIMED_OUT) awaited = new_frames + 5;
            }
            if (event.type == PLAYHEAD_EVENT_ERROR) {
                printf("error %s: %s\n", playhead_status_name(event.status), event.text);
                is_over = 1;
            }
        }
        memset(&result, 0, sizeof result);
        result.struct_size = sizeof result;
        must(playhead_render(player, &target, &result), "playhead_render");
        if (result.flags & PLAYHEAD_RENDER_NEW_FRAME) {
            new_frames++;
            if (new_frames == 10) print_frame(player);
            if (new_frames == awaited) {
                printf("again\n");
                is_over = 1;
            }
        }
        nanosleep(&pause, NULL);
    }
    must(playhead_close(player), "playhead_close");
    if (player) {
        playhead_state state;
        memset(&state, 0, sizeof state);
        state.struct_size = sizeof state;
        must(playhead_get_state(player, &state), "playhead_get_state");
        printf("closed phase %d\n", state.phase);
    }
    must(playhead_destroy(player), "playhead_destroy");
    return failures ? 1 : 0;
}
