/* SPDX-License-Identifier: Apache-2.0 */

/* A host that calls all functions in random order, on two threads, with stale and invalid handles,
 * with NULL, and with absurd numbers. Each call must return a status that has a name, and an error
 * message if it failed.
 *
 *     CallFuzzHost CALLS SEED FILE
 */

#define _GNU_SOURCE
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "playhead.h"
#include "process_counts.h"

#define PLAYERS 4
#define EFFECTS 8
#define SIDE 64

static const char *film;
static unsigned char *film_bytes;
static size_t film_size;
static playhead_player *players[PLAYERS], *old_player;
static playhead_effect *effects[EFFECTS];
static pthread_mutex_t pool = PTHREAD_MUTEX_INITIALIZER;
static EGLDisplay display;
static EGLContext context;
static GLuint framebuffer;
static long opened_streams, closed_streams, failures, counts[64];

/* --- Random ------------------------------------------------------------------------------- */

static __thread uint64_t state;

static unsigned below(unsigned limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 20) % limit);
}

static int chance(unsigned one_in) { return below(one_in) == 0; }

static int64_t any_time(void) {
    switch (below(8)) {
    case 0: return INT64_MIN;
    case 1: return INT64_MAX;
    case 2: return -1;
    case 3: return (int64_t)state;
    case 4: return 0;
    default: return (int64_t)below(2500) * 1000000;
    }
}

static int32_t any_number(void) {
    static const int32_t edges[] = {0, 1, -1, 2, 3, INT32_MAX, INT32_MIN, 64, 16384, 16385};
    return chance(3) ? (int32_t)state : edges[below(10)];
}

static double any_real(void) {
    static const double edges[] = {0, 1, -1, 0.5, 2, 16, -16, 1e300, -1e300};
    unsigned index = below(11);
    if (index == 9) return 0.0 / (state ? 0.0 : 1.0);
    if (index == 10) return 1e300 * 1e300;
    return edges[index];
}

static float any_float(void) { return (float)any_real(); }

static const char *any_text(void) {
    static const char *texts[] = {
        "", "chroma_key", "tolerance", "/nowhere", "http://127.0.0.1:1/", "\xFF\xFE\x80 not UTF-8",
        "a/b.fs", "/", "\n", "/*{}*/ void main() { gl_FragColor = vec4(1.0); }", "/*{", "spill",
    };
    return chance(12) ? NULL : texts[below(12)];
}

static playhead_player *any_player(void) {
    playhead_player *player;
    if (chance(40)) return NULL;
    if (chance(60)) return (playhead_player *)(uintptr_t)state;
    pthread_mutex_lock(&pool);
    player = chance(40) ? old_player : players[below(PLAYERS)];
    if (chance(100)) player = (playhead_player *)effects[below(EFFECTS)];
    pthread_mutex_unlock(&pool);
    return player;
}

static playhead_effect *any_effect(void) {
    playhead_effect *effect;
    if (chance(40)) return NULL;
    if (chance(60)) return (playhead_effect *)(uintptr_t)state;
    pthread_mutex_lock(&pool);
    effect = effects[below(EFFECTS)];
    pthread_mutex_unlock(&pool);
    return effect;
}

/* Fills a structure with random bytes or with zeros, and a valid or invalid size. */
static void fill(void *structure, size_t size) {
    unsigned char *bytes = structure;
    uint32_t stated = (uint32_t)size;
    size_t index;
    memset(structure, 0, size);
    if (chance(4))
        for (index = 0; index < size; index++) bytes[index] = (unsigned char)below(256);
    if (chance(20)) stated = (uint32_t)state;
    if (chance(20)) stated = 0;
    memcpy(structure, &stated, sizeof stated);
}

/* --- Callbacks ---------------------------------------------------------------------------- */

static void on_wakeup(void *user) {
    (void)user;
    /* Refused, as are all calls in a callback. */
    if (playhead_gl_collect(NULL) != PLAYHEAD_WRONG_THREAD) failures++;
}

static void on_log(void *user, playhead_log_level level, const char *line) {
    (void)user, (void)level;
    if (!line) failures++;
}

static int64_t on_clock(void *user, int64_t host_time) {
    (void)user;
    return host_time + 5000000;
}

static int64_t on_read(void *user, void *buffer, size_t capacity, int64_t offset) {
    size_t count = capacity;
    if (user) return (int64_t)capacity + 1;
    if (offset < 0 || (size_t)offset >= film_size) return 0;
    if (count > film_size - (size_t)offset) count = film_size - (size_t)offset;
    memcpy(buffer, film_bytes + offset, count);
    return (int64_t)count;
}

static void on_close(void *user) {
    (void)user;
    __sync_fetch_and_add(&closed_streams, 1);
}

static void *on_get_proc(void *user, const char *name) {
    return user ? NULL : (void *)(uintptr_t)eglGetProcAddress(name);
}

/* --- Calls -------------------------------------------------------------------------------- */

static void keep(playhead_effect *effect) {
    if (!effect) return;
    pthread_mutex_lock(&pool);
    effects[below(EFFECTS)] = effect;
    pthread_mutex_unlock(&pool);
}

static playhead_status call_create(void) {
    playhead_options options;
    playhead_player *player = NULL, *replaced;
    playhead_status status;
    unsigned place = below(PLAYERS);
    fill(&options, sizeof options);
    if (!chance(8)) {
        options.clock_mode = (int32_t)below(3);
        options.audio_mode = chance(200) ? PLAYHEAD_AUDIO_DEVICE : 1 + (int32_t)below(2);
        options.audio_rate = 0;
        options.audio_channels = (int32_t)below(3);
    } else if (options.audio_mode == 0) {
        options.audio_mode = 77;
    }
    options.clock = chance(9) ? NULL : on_clock;
    status = playhead_create(&options, chance(30) ? NULL : &player);
    if (!player) return status;
    pthread_mutex_lock(&pool);
    replaced = old_player = players[place];
    players[place] = player;
    pthread_mutex_unlock(&pool);
    playhead_destroy(replaced);
    return status;
}

static playhead_status call_open(playhead_player *player) {
    playhead_stream stream;
    playhead_status status;
    uint64_t held;
    int file;
    switch (below(8)) {
    case 0:
        if (chance(3)) return playhead_get_held_bytes(player, chance(9) ? NULL : &held);
        return chance(2) ? playhead_open(player, any_text())
                         : playhead_set_memory_limit(player, chance(3) ? state : 1u << below(31));
    case 1:
        if (chance(3)) {
            /* Open descriptors belong to other parts of this process, which read from them. */
            file = (int)any_number();
            return playhead_open_fd(player, fcntl(file, F_GETFD) == -1 ? file : -1, any_text());
        }
        file = open(film, O_RDONLY | O_CLOEXEC);
        status = playhead_open_fd(player, file, any_text());
        if (file >= 0) close(file);
        return status;
    case 2:
        if (chance(3)) return playhead_open_memory(player, film_bytes, chance(2) ? 0 : SIZE_MAX, NULL);
        return playhead_open_memory(
            player, chance(9) ? NULL : film_bytes, film_size / (1 + below(3)), any_text());
    case 3:
        fill(&stream, sizeof stream);
        if (stream.size != 0) stream.size = -1;
        else stream.size = (int64_t)film_size;
        stream.read = chance(9) ? NULL : on_read;
        stream.close = on_close;
        stream.user = chance(4) ? &stream : NULL;
        status = playhead_open_stream(player, &stream, any_text());
        if (status == PLAYHEAD_OK) __sync_fetch_and_add(&opened_streams, 1);
        return status;
    case 4:
        /* Cameras of this machine are left alone. */
        return playhead_open_device(player, chance(2) ? "camera:no such camera" : any_text());
    default: return playhead_open(player, film);
    }
}

static playhead_status call_gl(playhead_player *player, unsigned kind) {
    static __thread uint64_t lease;
    playhead_gl_options options;
    playhead_target target;
    playhead_render_result result;
    playhead_texture_request request;
    playhead_texture texture;
    playhead_status status;
    int32_t number;
    switch (kind) {
    case 0:
        fill(&options, sizeof options);
        options.get_proc = chance(2) ? NULL : on_get_proc;
        options.get_proc_user = chance(9) ? &options : NULL;
        return playhead_gl_init(player, chance(4) ? NULL : &options);
    case 1: return chance(6) ? playhead_gl_deinit(player) : PLAYHEAD_OK;
    case 2: return chance(9) ? playhead_gl_forget(player) : PLAYHEAD_OK;
    case 3: return playhead_gl_collect(chance(3) ? NULL : &number);
    case 4:
        fill(&request, sizeof request);
        if (!chance(6)) request.width = request.height = (int32_t)below(100);
        /* Other tests cover sizes that take long to draw. */
        if (request.width > 512 && request.width < 20000) request.width = -1;
        fill(&texture, sizeof texture);
        status = playhead_acquire_texture(
            player, chance(3) ? NULL : &request, chance(20) ? NULL : &texture);
        if (status == PLAYHEAD_OK) lease = texture.lease;
        return status;
    case 5:
        return playhead_release_texture(
            player, chance(5) ? state : lease, chance(20) ? (void *)&lease : NULL);
    default:
        fill(&target, sizeof target);
        if (!chance(8)) {
            target.framebuffer = framebuffer;
            target.framebuffer_width = target.framebuffer_height = SIDE;
            target.background[3] = (float)below(2);
            target.fit = (int32_t)below(3);
            target.flags = below(4);
        }
        if (chance(8)) {
            target.x = any_number();
            target.width = any_number();
            target.height = any_number();
        }
        fill(&result, sizeof result);
        return playhead_render(player, chance(40) ? NULL : &target, chance(3) ? NULL : &result);
    }
}

static playhead_status call_effect(playhead_effect *effect, playhead_player *player) {
    float values[8] = {any_float(), any_float(), any_float(), any_float()};
    static unsigned char pixels[SIDE * SIDE * 4];
    playhead_effect *added = NULL;
    playhead_input_info info;
    playhead_status status;
    switch (below(9)) {
    case 0:
        status = playhead_effect_add(player, any_text(), chance(30) ? NULL : &added);
        keep(added);
        return status;
    case 1:
        status = playhead_effect_add_source(player, any_text(), any_text(), &added);
        keep(added);
        return status;
    case 2: return playhead_effect_remove(effect);
    case 3: return playhead_effect_set_enabled(effect, any_number());
    case 4:
        fill(&info, sizeof info);
        return playhead_effect_get_input(effect, below(12), &info);
    case 5: return playhead_effect_set(effect, any_text(), chance(9) ? NULL : values, below(6));
    case 6: return playhead_effect_get(effect, any_text(), chance(9) ? NULL : values, below(5));
    case 7:
        if (chance(2))
            return playhead_effect_set_image(effect, any_text(), pixels, SIDE, SIDE, SIDE * 4);
        return playhead_effect_set_image(effect, any_text(), pixels, any_number(), -1, any_time());
    default:
        if (playhead_effect_library_name(below(40)) == NULL && below(2)) return PLAYHEAD_OK;
        return (playhead_status)(playhead_effect_library_count() == 0);
    }
}

static playhead_status call_memory(playhead_player *player) {
    static unsigned char pixels[2][SIDE * SIDE * 4];
    static __thread uint64_t lease;
    static __thread float samples[4096 * 2];
    int64_t time;
    playhead_frame frame;
    playhead_status status;
    playhead_sampling sampling;
    switch (below(5)) {
    case 4:
        fill(&sampling, sizeof sampling);
        return playhead_get_sampling(
            player, chance(5) ? state : lease, chance(20) ? NULL : &sampling);
    case 0:
        fill(&frame, sizeof frame);
        status = playhead_map_frame(player, any_time(), &frame);
        if (status == PLAYHEAD_OK) lease = frame.lease;
        return status;
    case 1: return playhead_unmap_frame(player, chance(5) ? state : lease);
    case 2:
        /* Valid sizes, or invalid ones: the library cannot know how much memory the caller has. */
        if (chance(2))
            return playhead_copy_rgba(
                player, any_time(), chance(9) ? NULL : pixels[below(2)], (int32_t)below(SIDE + 1),
                (int32_t)below(SIDE + 1), SIDE * 4, chance(2) ? NULL : &time);
        return playhead_copy_rgba(
            player, any_time(), pixels[0], INT32_MAX, any_number(), any_time(), NULL);
    default:
        return playhead_read_audio(
            player, chance(9) ? NULL : samples, chance(9) ? UINT32_MAX : below(4096), any_time());
    }
}

static playhead_status call_subtitles(playhead_player *player) {
    static const char words[] = "1\n00:00:00,100 --> 00:00:09,000\n{\\t(\\fs9)}W\xC3\xB6rter\n";
    playhead_subtitle_style style;
    char text[32];
    uint32_t index;
    size_t size;
    switch (below(6)) {
    case 0: return playhead_add_subtitles(player, any_text(), chance(3) ? NULL : &index);
    case 1:
        return playhead_add_subtitles_memory(
            player, chance(20) ? NULL : words, chance(9) ? below(2) : sizeof words - 1, any_text(),
            chance(3) ? NULL : &index);
    case 2:
        fill(&style, sizeof style);
        if (chance(2)) style.scale = any_real();
        if (chance(2)) style.elevation = any_real();
        if (chance(2)) style.delay = any_time();
        return playhead_set_subtitle_style(player, chance(20) ? NULL : &style);
    case 3: return playhead_enable_track(player, below(6), (int32_t)below(2));
    default:
        return playhead_get_subtitle_text(
            player, any_time(), chance(9) ? NULL : text, chance(9) ? 0 : below(sizeof text + 1),
            chance(3) ? NULL : &size);
    }
}

static playhead_status call_query(playhead_player *player) {
    union {
        playhead_media_info media;
        playhead_track_info track;
        playhead_chapter_info chapter;
        playhead_state state;
        playhead_event event;
        playhead_statistics statistics;
    } out;
    int32_t number;
#define OUT(MEMBER) (fill(&out.MEMBER, sizeof out.MEMBER), chance(30) ? NULL : &out.MEMBER)
    switch (below(8)) {
    case 0: return playhead_get_media_info(player, OUT(media));
    case 1: return playhead_get_track_info(player, below(4), OUT(track));
    case 2: return playhead_get_chapter_info(player, below(4), OUT(chapter));
    case 3: return playhead_get_state(player, OUT(state));
    case 4: return playhead_get_statistics(player, OUT(statistics));
    case 5: return playhead_has_new_frame(player, chance(9) ? NULL : &number);
    default: return playhead_next_event(player, OUT(event));
    }
}

static playhead_status call_transport(playhead_player *player) {
    int64_t time;
    switch (below(20)) {
    case 0: return playhead_play(player);
    case 1: return playhead_pause(player);
    case 2: return playhead_set_rate(player, any_real());
    case 3: return playhead_seek(player, any_time(), (int32_t)below(3));
    case 4: return playhead_step(player, any_number());
    case 5: return playhead_set_loop(player, any_number(), any_time(), any_time());
    case 6: return playhead_set_clock(player, (int32_t)below(4), chance(3) ? NULL : on_clock, NULL);
    case 7: return playhead_tick(player, any_time());
    case 8: return playhead_start_at(player, any_real(), any_time(), any_time());
    case 9: return playhead_wait_for_frame(player, below(3) * 100000, chance(2) ? NULL : &time);
    case 10: return playhead_report_swap(player, any_time(), any_time());
    case 11: return playhead_set_wakeup(player, chance(2) ? NULL : on_wakeup, NULL);
    case 12: return playhead_set_visible(player, (int32_t)below(2));
    case 13: return playhead_set_audio(player, 1 + (int32_t)below(3), any_number(), any_number());
    case 14: return playhead_set_volume(player, any_float());
    case 15: return playhead_set_muted(player, any_number());
    case 16: return playhead_enable_track(player, below(4), (int32_t)below(2));
    case 17: return chance(4) ? playhead_close(player) : PLAYHEAD_OK;
    case 18: return playhead_set_log(chance(2) ? NULL : on_log, NULL, any_number());
    default: return playhead_tick(player, 40000000);
    }
}

static playhead_status call_any(void) {
    playhead_player *player = any_player();
    switch (below(100)) {
    case 0: return call_create();
    case 1: return chance(3) ? playhead_destroy(player) : PLAYHEAD_OK;
    case 2: return call_open(player);
    default: break;
    }
    switch (below(7)) {
    case 0: return call_gl(player, below(12));
    case 1: return call_effect(any_effect(), player);
    case 2: return call_memory(player);
    case 3: return call_query(player);
    case 4: return call_subtitles(player);
    default: return call_transport(player);
    }
}

/* Returns the number of threads of players; "ph-timer" belongs to the library. */
static int player_threads;

static void see_thread(const char *name) {
    if (!strncmp(name, "ph-", 3) && strncmp(name, "ph-timer", 8)) player_threads++;
}

static int count_player_threads(void) {
    player_threads = 0;
    count_threads(see_thread);
    return player_threads;
}

static void look_at(playhead_status status) {
    const char *name = playhead_status_name(status), *text = playhead_last_error();
    if (status >= -30 && status <= 1) __sync_fetch_and_add(&counts[status + 40], 1);
    if (!strcmp(name, "unknown")) {
        fprintf(stderr, "a status without a name: %d\n", status);
        __sync_fetch_and_add(&failures, 1);
    }
    if (status < 0 && (!text || !*text)) {
        fprintf(stderr, "%s without an error message\n", name);
        __sync_fetch_and_add(&failures, 1);
    }
}

static void *run(void *argument) {
    long *work = argument;
    long call;
    state = (uint64_t)work[1] * 2 + 1;
    for (call = 0; call < work[0]; call++) look_at(call_any());
    return NULL;
}

/* --- The context -------------------------------------------------------------------------- */

static int make_context(void) {
    static const EGLint wanted[] = {
        EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    static const EGLint attributes[] = {
        EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
        EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    PFNEGLGETPLATFORMDISPLAYEXTPROC get =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    PFNGLGENFRAMEBUFFERSPROC generate;
    PFNGLBINDFRAMEBUFFERPROC bind;
    PFNGLGENTEXTURESPROC make_texture;
    PFNGLBINDTEXTUREPROC bind_texture;
    PFNGLTEXIMAGE2DPROC image;
    PFNGLFRAMEBUFFERTEXTURE2DPROC attach;
    EGLConfig config;
    EGLint count = 0;
    GLuint texture;
    if (!get) return 0;
    display = get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API)) return 0;
    if (!eglChooseConfig(display, wanted, &config, 1, &count) || count < 1) return 0;
    context = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes);
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) return 0;
    generate = (PFNGLGENFRAMEBUFFERSPROC)eglGetProcAddress("glGenFramebuffers");
    bind = (PFNGLBINDFRAMEBUFFERPROC)eglGetProcAddress("glBindFramebuffer");
    make_texture = (PFNGLGENTEXTURESPROC)eglGetProcAddress("glGenTextures");
    bind_texture = (PFNGLBINDTEXTUREPROC)eglGetProcAddress("glBindTexture");
    image = (PFNGLTEXIMAGE2DPROC)eglGetProcAddress("glTexImage2D");
    attach = (PFNGLFRAMEBUFFERTEXTURE2DPROC)eglGetProcAddress("glFramebufferTexture2D");
    make_texture(1, &texture);
    bind_texture(GL_TEXTURE_2D, texture);
    image(GL_TEXTURE_2D, 0, GL_RGBA8, SIDE, SIDE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    generate(1, &framebuffer);
    bind(GL_FRAMEBUFFER, framebuffer);
    attach(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    return 1;
}

int main(int count, char **arguments) {
    long work[2], other[2], calls, index;
    pthread_t thread;
    FILE *file;
    if (count != 4) return 2;
    calls = atol(arguments[1]);
    film = arguments[3];
    file = fopen(film, "rb");
    if (!file) return 2;
    fseek(file, 0, SEEK_END);
    film_size = (size_t)ftell(file);
    rewind(file);
    film_bytes = malloc(film_size);
    if (fread(film_bytes, 1, film_size, file) != film_size) return 2;
    fclose(file);
    if (!make_context()) return 77;

    work[0] = calls - calls / 4;
    other[0] = calls / 4;
    work[1] = atol(arguments[2]);
    other[1] = work[1] + 1;
    pthread_create(&thread, NULL, run, other);
    /* Sometimes no context is current. */
    while (work[0] > 0) {
        long part[2];
        part[0] = work[0] < 5000 ? work[0] : 5000;
        part[1] = work[1] += 2;
        run(part);
        work[0] -= part[0];
        if (chance(4)) eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        else eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
    }
    pthread_join(thread, NULL);
    for (index = 0; index < PLAYERS; index++) playhead_destroy(players[index]);
    /* The reader of a stream ends soon after its player, and so do its threads. */
    for (index = 0; index < 30000; index++) {
        if (closed_streams >= opened_streams && !count_player_threads()) break;
        usleep(1000);
    }
    if (count_player_threads()) {
        fprintf(stderr, "%d threads of players were left\n", player_threads);
        failures++;
    }
    if (closed_streams < opened_streams) {
        fprintf(
            stderr, "%ld streams were opened, and %ld closed\n", opened_streams, closed_streams);
        failures++;
    }
    printf("%ld calls on two threads, %ld failures;", calls, failures);
    for (index = 0; index < 42; index++)
        if (counts[index])
            printf(" %s %ld", playhead_status_name((playhead_status)(index - 40)), counts[index]);
    printf("\n");
    return failures != 0;
}
