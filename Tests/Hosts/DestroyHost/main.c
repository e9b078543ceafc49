/* SPDX-License-Identifier: Apache-2.0 */

/* A host that destroys players at every moment: while they open, seek, draw or call back, in each way
 * that the header allows. Every destruction must return, leave a stale handle, and release all
 * resources of the player: no thread, descriptor or open stream remains.
 *
 *     DestroyHost ROUNDS FILE
 *
 * Prints the number of destroyed players, and the longest duration; exits with status 1 after a
 * failure, 77 without OpenGL. Scripts/prove/embedding-sanitized runs it under sanitizers. */

#define _GNU_SOURCE
#include <EGL/egl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "headless.h"
#include "playhead.h"
#include "process_counts.h"

#define WIDTH 160
#define HEIGHT 90
#define MILLISECOND 1000000

static const char *film;
static unsigned char *film_bytes;
static size_t film_size;
static unsigned framebuffer;
static long failures, destructions, opened_streams, closed_streams;
static int64_t longest;

/* --- Help --------------------------------------------------------------------------------- */

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void rest(int64_t nanoseconds) {
    struct timespec time;
    time.tv_sec = (time_t)(nanoseconds / 1000000000);
    time.tv_nsec = (long)(nanoseconds % 1000000000);
    nanosleep(&time, NULL);
}

static void must(playhead_status status, const char *call) {
    if (status >= 0) return;
    fprintf(stderr, "%s: %s\n", call, playhead_last_error());
    failures++;
}

static void print_name(const char *name) { fprintf(stderr, "    %s", name); }

static int read_film(void) {
    FILE *file = fopen(film, "rb");
    if (!file) return 0;
    fseek(file, 0, SEEK_END);
    film_size = (size_t)ftell(file);
    rewind(file);
    film_bytes = malloc(film_size);
    if (fread(film_bytes, 1, film_size, file) != film_size) return 0;
    return fclose(file) == 0;
}

static void draw(playhead_player *player) {
    playhead_target target = {0};
    target.struct_size = sizeof target;
    target.framebuffer = framebuffer;
    target.framebuffer_width = WIDTH;
    target.framebuffer_height = HEIGHT;
    playhead_render(player, &target, NULL);
}

/* --- Moments ------------------------------------------------------------------------------ */

/* Each leaves a player in the middle of an operation. A moment later it is destroyed. */

static void empty(playhead_player *player) { (void)player; }

static void opening(playhead_player *player) { must(playhead_open(player, film), "open"); }

static void opening_nothing(playhead_player *player) {
    must(playhead_open(player, "/nowhere/film.mp4"), "open");
}

static void opening_memory(playhead_player *player) {
    must(playhead_open_memory(player, film_bytes, film_size, "film.mp4"), "open_memory");
}

static int64_t read_slowly(void *user, void *buffer, size_t capacity, int64_t offset) {
    size_t count = capacity;
    (void)user;
    rest(MILLISECOND);
    if (offset < 0 || (size_t)offset >= film_size) return 0;
    if (count > film_size - (size_t)offset) count = film_size - (size_t)offset;
    memcpy(buffer, film_bytes + offset, count);
    return (int64_t)count;
}

static void note_closing(void *user) {
    (void)user;
    __atomic_fetch_add(&closed_streams, 1, __ATOMIC_SEQ_CST);
}

static void opening_a_stream(playhead_player *player) {
    playhead_stream stream = {0};
    stream.struct_size = sizeof stream;
    stream.size = (int64_t)film_size;
    stream.read = read_slowly;
    stream.close = note_closing;
    opened_streams++;
    must(playhead_open_stream(player, &stream, "film.mp4"), "open_stream");
}

static void open_and_wait(playhead_player *player) {
    must(playhead_open(player, film), "open");
    must(playhead_wait_for_frame(player, 60000000000, NULL), "wait_for_frame");
}

static void opening_another(playhead_player *player) {
    open_and_wait(player);
    must(playhead_open(player, film), "open");
}

static void closing(playhead_player *player) {
    open_and_wait(player);
    must(playhead_close(player), "close");
}

static void playing(playhead_player *player) {
    must(playhead_open(player, film), "open");
    must(playhead_play(player), "play");
}

static void playing_backwards(playhead_player *player) {
    open_and_wait(player);
    must(playhead_seek(player, 1500 * MILLISECOND, PLAYHEAD_SEEK_EXACT), "seek");
    must(playhead_set_rate(player, -2), "set_rate");
    must(playhead_play(player), "play");
}

static void looping(playhead_player *player) {
    must(playhead_set_loop(player, -1, 0, 80 * MILLISECOND), "set_loop");
    playing(player);
}

static void seeking(playhead_player *player) {
    open_and_wait(player);
    must(playhead_seek(player, 1700 * MILLISECOND, PLAYHEAD_SEEK_EXACT), "seek");
}

static void scrubbing(playhead_player *player) {
    int step;
    open_and_wait(player);
    for (step = 0; step < 12; step++)
        must(playhead_seek(player, step * 150 * MILLISECOND, step % 2), "seek");
}

static void stepping(playhead_player *player) {
    int step;
    open_and_wait(player);
    must(playhead_seek(player, 900 * MILLISECOND, PLAYHEAD_SEEK_EXACT), "seek");
    for (step = 0; step < 6; step++) must(playhead_step(player, step < 3 ? 1 : -1), "step");
}

static void call_back_slowly(void *user) {
    (void)user;
    rest(MILLISECOND / 2);
    if (playhead_gl_collect(NULL) != PLAYHEAD_WRONG_THREAD) {
        fprintf(stderr, "a callback may call\n");
        __atomic_fetch_add(&failures, 1, __ATOMIC_SEQ_CST);
    }
}

static void calling_back(playhead_player *player) {
    must(playhead_set_wakeup(player, call_back_slowly, NULL), "set_wakeup");
    playing(player);
}

static void drawing(playhead_player *player) {
    playhead_effect *effect;
    playhead_texture texture = {0};
    playhead_frame frame = {0};
    texture.struct_size = sizeof texture;
    frame.struct_size = sizeof frame;
    must(playhead_gl_init(player, NULL), "gl_init");
    must(playhead_effect_add(player, "chroma_key", &effect), "effect_add");
    open_and_wait(player);
    must(playhead_play(player), "play");
    draw(player);
    /* Neither is ever released. */
    must(playhead_acquire_texture(player, NULL, &texture), "acquire_texture");
    must(playhead_map_frame(player, 0, &frame), "map_frame");
}

static const struct {
    const char *name;
    void (*begin)(playhead_player *player);
} moments[] = {
    {"with nothing open", empty},
    {"opening a file", opening},
    {"opening a missing file", opening_nothing},
    {"opening memory", opening_memory},
    {"opening a stream", opening_a_stream},
    {"opening another video", opening_another},
    {"closing", closing},
    {"playing", playing},
    {"playing backwards", playing_backwards},
    {"looping", looping},
    {"seeking", seeking},
    {"scrubbing", scrubbing},
    {"stepping", stepping},
    {"in callbacks", calling_back},
    {"drawing, with a texture and a frame out", drawing},
};

/* --- Ways --------------------------------------------------------------------------------- */

static playhead_status destroy(playhead_player *player) {
    int64_t start = now();
    playhead_status status = playhead_destroy(player);
    int64_t duration = now() - start;
    if (duration > __atomic_load_n(&longest, __ATOMIC_SEQ_CST))
        __atomic_store_n(&longest, duration, __ATOMIC_SEQ_CST);
    return status;
}

static void destroy_here(playhead_player *player, int64_t delay) {
    rest(delay);
    must(destroy(player), "destroy");
}

static void destroy_without_context(playhead_player *player, int64_t delay) {
    EGLDisplay display = eglGetCurrentDisplay();
    EGLContext context = eglGetCurrentContext();
    rest(delay);
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    must(destroy(player), "destroy");
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
}

struct destruction {
    playhead_player *player;
    int64_t delay;
};

static void *destroy_later(void *argument) {
    struct destruction *destruction = argument;
    playhead_status status;
    rest(destruction->delay);
    status = destroy(destruction->player);
    /* Of two threads that destroy one player, one is too late. */
    if (status < 0 && status != PLAYHEAD_INVALID_HANDLE) must(status, "destroy");
    return NULL;
}

/* Two other threads destroy it at once, while this one keeps calling. */
static void destroy_elsewhere(playhead_player *player, int64_t delay) {
    struct destruction destruction;
    pthread_t threads[2];
    playhead_state state = {0};
    playhead_event event = {0};
    state.struct_size = sizeof state;
    event.struct_size = sizeof event;
    destruction.player = player;
    destruction.delay = delay;
    pthread_create(&threads[0], NULL, destroy_later, &destruction);
    pthread_create(&threads[1], NULL, destroy_later, &destruction);
    while (playhead_get_state(player, &state) != PLAYHEAD_INVALID_HANDLE) {
        playhead_next_event(player, &event);
        playhead_seek(player, 400 * MILLISECOND, PLAYHEAD_SEEK_KEYFRAME);
        playhead_wait_for_frame(player, MILLISECOND, NULL);
        draw(player);
        playhead_read_audio(player, NULL, 0, 0);
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

static void (*const ways[])(playhead_player *player, int64_t delay) = {
    destroy_here, destroy_without_context, destroy_elsewhere};

#define COUNT(ARRAY) (sizeof ARRAY / sizeof ARRAY[0])

static void round_of(long number) {
    /* From at once to some frames later, at a different moment of the operation each time. */
    static const int64_t delays[] = {0, 50, 200, 700, 2000, 5000, 12000, 30000};
    int64_t delay = delays[(size_t)number % COUNT(delays)] * 1000;
    size_t moment, way;
    for (moment = 0; moment < COUNT(moments); moment++) {
        for (way = 0; way < COUNT(ways); way++) {
            playhead_options options = {0};
            playhead_player *player = NULL;
            options.struct_size = sizeof options;
            options.clock_mode = PLAYHEAD_CLOCK_OWN;
            options.audio_mode = way == 1 ? PLAYHEAD_AUDIO_NONE : PLAYHEAD_AUDIO_PULL;
            must(playhead_create(&options, &player), "create");
            moments[moment].begin(player);
            ways[way](player, delay);
            if (playhead_pause(player) != PLAYHEAD_INVALID_HANDLE) {
                fprintf(stderr, "%s: the handle is not stale\n", moments[moment].name);
                failures++;
            }
            must(playhead_gl_collect(NULL), "gl_collect");
            destructions++;
        }
    }
}

/* Resources of a destroyed player are released a moment later. */
static int is_settled(int thread_count, int files) {
    return count_threads(NULL) <= thread_count && count_descriptors() <= files
        && __atomic_load_n(&closed_streams, __ATOMIC_SEQ_CST) == opened_streams;
}

int main(int count, char **arguments) {
    long rounds, number;
    int thread_count, files, wait;
    if (count != 3) return 2;
    rounds = atol(arguments[1]);
    film = arguments[2];
    if (!read_film()) return 2;
    if (!headless_make_context()) return 77;
    framebuffer = headless_make_framebuffer(WIDTH, HEIGHT);
    /* One-time resources, such as the driver's threads, are created before counting. */
    round_of(0);
    for (wait = 0; wait < 300; wait++) rest(10 * MILLISECOND);
    thread_count = count_threads(NULL);
    files = count_descriptors();
    for (number = 0; number < rounds && failures < 10; number++) round_of(number);
    for (wait = 0; wait < 6000 && !is_settled(thread_count, files); wait++) rest(10 * MILLISECOND);
    if (!is_settled(thread_count, files)) {
        fprintf(
            stderr, "threads %d, then %d; descriptors %d, then %d; streams %ld, closed %ld\n",
            thread_count, count_threads(NULL), files, count_descriptors(), opened_streams,
            closed_streams);
        count_threads(print_name);
        failures++;
    }
    printf(
        "%ld players destroyed at %d moments in %d ways, the longest took %.1f ms; %ld failures\n",
        destructions, (int)COUNT(moments), (int)COUNT(ways), (double)longest / 1e6, failures);
    free(film_bytes);
    return failures != 0;
}
