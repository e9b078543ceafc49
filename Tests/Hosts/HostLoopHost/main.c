/* SPDX-License-Identifier: Apache-2.0 */

/* A host with a loop: the cost of a video to its frames, and resources that remain after closing.
 *
 *     HostLoopHost cycles COUNT FILE MALLOC  opens, plays and closes a video repeatedly; MALLOC:
 *                                            keeps, the default, or returns, as Documentation/
 *                                            Embedding.md recommends to programs that open many videos;
 *                                            memory that it still keeps is freed before each measurement
 *     HostLoopHost frames COUNT FILE         plays that many frames of a looping video
 *     HostLoopHost pair SECONDS FILE         a loop of 144 Hz, alternately with and without a video
 *     HostLoopHost loop SECONDS FILE MODE    a loop with a video; MODE: restore, default, resets, texture,
 *                                            or mpv for libmpv instead of Playhead
 *
 * Prints figures, one a line; exits with 1 after a failure, 77 without OpenGL or libmpv. */

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "headless.h"
#include "host_loop.h"

int main(int count, char **arguments) {
    const char *what = count > 3 ? arguments[1] : "", *film = count > 3 ? arguments[3] : "";
    int returns = count == 5 && !strcmp(arguments[4], "returns");
    if (returns || !strcmp(what, "frames")) {
        mallopt(M_MMAP_THRESHOLD, 128 * 1024);
        mallopt(M_TRIM_THRESHOLD, 128 * 1024);
        mallopt(M_ARENA_MAX, 1);
    }
    if (!headless_make_context()) return 77;
    if (count == 5 && !strcmp(what, "cycles")) return run_cycles(atol(arguments[2]), film, returns);
    if (count == 4 && !strcmp(what, "frames")) return run_frames(atol(arguments[2]), film);
    if (count == 4 && !strcmp(what, "pair")) return run_pair(atof(arguments[2]), film);
    if (count == 5 && !strcmp(what, "loop")) return run_loop(atof(arguments[2]), film, arguments[4]);
    return 2;
}
