/* SPDX-License-Identifier: Apache-2.0 */

/* A host that needs neither a window nor OpenGL: it copies the frames of a video to memory, ten a
 * second for two seconds, and prints how many different ones there were, and a sum of their bytes.
 *
 *     cc memory-host.c -o memory-host $(pkg-config --cflags --libs playhead)
 *     memory-host FILE */

#include <playhead.h>
#include <stdio.h>
#include <stdlib.h>

static void must(playhead_status status) {
    if (status >= 0) return;
    fprintf(stderr, "%s: %s\n", playhead_status_name(status), playhead_last_error());
    exit(2);
}

int main(int count, char **arguments) {
    enum { WIDTH = 160, HEIGHT = 90 };
    static unsigned char pixels[WIDTH * HEIGHT * 4];
    playhead_options options = {0};
    playhead_player *player = NULL;
    int64_t last = PLAYHEAD_NO_TIME, time;
    uint32_t sum = 1;
    int frames = 0, look;
    size_t index;
    if (count != 2) return fprintf(stderr, "usage: %s FILE\n", arguments[0]), 1;

    options.struct_size = sizeof options;
    options.clock_mode = PLAYHEAD_CLOCK_TICK;
    options.audio_mode = PLAYHEAD_AUDIO_NONE;
    must(playhead_create(&options, &player));
    must(playhead_open(player, arguments[1]));
    must(playhead_play(player));
    for (look = 0; look < 20; look++) {
        if (look > 0) must(playhead_tick(player, 100000000));
        must(playhead_wait_for_frame(player, 30000000000, NULL));
        must(playhead_copy_rgba(player, 0, pixels, WIDTH, HEIGHT, WIDTH * 4, &time));
        frames += time != last;
        last = time;
        for (index = 0; index < sizeof pixels; index++) sum = sum * 31 + pixels[index];
    }
    must(playhead_destroy(player));
    printf("%d different frames, sum %08x\n", frames, (unsigned)sum);
    return 0;
}
