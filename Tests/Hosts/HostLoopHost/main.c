/* SPDX-License-Identifier: Apache-2.0 */

/* A host with a loop: what a film costs its frames, and what is left of films that are closed.
 *
 *     HostLoopHost cycles COUNT FILM MALLOC  opens, plays and closes a film again and again; MALLOC:
 *                                            keeps, as it does by itself, or returns, as Documentation/
 *                                            Embedding.md has it for programs that open many films, what
 *                                            it still keeps being handed back before each look
 *     HostLoopHost frames COUNT FILM         plays so many frames of a film that begins again and again
 *     HostLoopHost pair SECONDS FILM         a loop of 144 Hz, by turns with and without a film
 *     HostLoopHost loop SECONDS FILM MODE    the same with a film; MODE: restore, default, resets, texture,
 *                                            or mpv for libmpv in place of Playhead
 *
 * Prints figures, one a line; status 1 where something fell short, 77 without OpenGL or libmpv. */

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
