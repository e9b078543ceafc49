/* SPDX-License-Identifier: Apache-2.0 */

/* A host that records what it draws.
 *
 *     RecordHost record SOURCE COUNT FILE RAW  draws COUNT frames, records them to FILE, and writes
 *                                              them as RGB to RAW; SOURCE: framebuffer, multisampled,
 *                                              texture or memory
 *     RecordHost loop SOURCE SECONDS FILE LIST  draws 60 frames a second of 640 x 360 and records
 *                                              them; LIST receives the time in nanoseconds and the
 *                                              CRC-32 of the RGB of each frame that was recorded
 *     RecordHost errors FOLDER                 checks what is refused
 *
 * The loop also prints the calls, the frames that were dropped, and the longest call, and fails if a
 * call used more time of the processor than it reports as its duration. Prints the allocations of this
 * thread in the calls that record, and those of the driver in reading as many frames; exits with 1 after
 * a failure, 77 without OpenGL. */

/* clock_nanosleep. */
#define _GNU_SOURCE
#include <EGL/egl.h>
#include <GL/gl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "headless.h"
#include "playhead.h"

enum { RATE = 48000, SECOND = 1000000000, LOOP_WIDTH = 640, LOOP_HEIGHT = 360 };

/* The size of the frames. */
static int width = 96, height = 54;

/* glext.h is not everywhere. */
#define FRAMEBUFFER 0x8D40
#define READ_FRAMEBUFFER 0x8CA8
#define RENDERBUFFER 0x8D41
#define COLOR_ATTACHMENT0 0x8CE0
#define RGBA8 0x8058

static long failures;

static void fail(const char *what, const char *found) {
    fprintf(stderr, "%s: %s\n", what, found);
    failures++;
}

static void must(playhead_status status, const char *what) {
    if (status) fail(what, playhead_last_error());
}

static void refused(playhead_status status, playhead_status expected, const char *what) {
    if (status != expected) fail(what, playhead_status_name(status));
}

/* --- Allocations of this thread ------------------------------------------------------------ */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static long allocations;
#else
static __thread long allocations;
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
    allocations++;
    return __libc_realloc(memory, size);
}
#endif

/* --- Drawing ------------------------------------------------------------------------------- */

/* The functions are those of the context, which libEGL knows. */
#define FUNCTIONS(each)                                                                              \
    each(void, BindFramebuffer, (GLenum, GLuint)) each(void, GenFramebuffers, (GLsizei, GLuint *))   \
    each(void, GenRenderbuffers, (GLsizei, GLuint *)) each(void, BindRenderbuffer, (GLenum, GLuint)) \
    each(void, RenderbufferStorageMultisample, (GLenum, GLsizei, GLenum, GLsizei, GLsizei))          \
    each(void, FramebufferRenderbuffer, (GLenum, GLenum, GLenum, GLuint))                            \
    each(void, FramebufferTexture2D, (GLenum, GLenum, GLenum, GLuint, GLint))                        \
    each(void, GenTextures, (GLsizei, GLuint *)) each(void, BindTexture, (GLenum, GLuint))           \
    each(void, TexImage2D,                                                                           \
         (GLenum, GLint, GLint, GLsizei, GLsizei, GLint, GLenum, GLenum, const void *))              \
    each(void, TexParameteri, (GLenum, GLenum, GLint)) each(void, Enable, (GLenum))                  \
    each(void, Disable, (GLenum)) each(void, Scissor, (GLint, GLint, GLsizei, GLsizei))              \
    each(void, ClearColor, (GLfloat, GLfloat, GLfloat, GLfloat)) each(void, Clear, (GLbitfield))     \
    each(void, ReadPixels, (GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void *))                 \
    each(GLenum, GetError, (void))

#define POINTER(result, name, arguments) result(*name) arguments;
#define LOAD(result, name, arguments) *(void **)&gl.name = (void *)eglGetProcAddress("gl" #name);

static struct {
    FUNCTIONS(POINTER)
} gl;

static void load(void) { FUNCTIONS(LOAD) }

static unsigned make_multisampled(void) {
    GLuint framebuffer, buffer;
    gl.GenFramebuffers(1, &framebuffer);
    gl.GenRenderbuffers(1, &buffer);
    gl.BindRenderbuffer(RENDERBUFFER, buffer);
    gl.RenderbufferStorageMultisample(RENDERBUFFER, 4, RGBA8, width, height);
    gl.BindFramebuffer(FRAMEBUFFER, framebuffer);
    gl.FramebufferRenderbuffer(FRAMEBUFFER, COLOR_ATTACHMENT0, RENDERBUFFER, buffer);
    return framebuffer;
}

static unsigned make_texture(unsigned *framebuffer) {
    GLuint texture;
    gl.GenTextures(1, &texture);
    gl.BindTexture(GL_TEXTURE_2D, texture);
    gl.TexImage2D(
        GL_TEXTURE_2D, 0, RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl.GenFramebuffers(1, framebuffer);
    gl.BindFramebuffer(FRAMEBUFFER, *framebuffer);
    gl.FramebufferTexture2D(FRAMEBUFFER, COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    return texture;
}

/* Draws rectangles whose colours and places depend on the number of the frame. Alpha is not 1, as in
 * many hosts. */
static void draw(unsigned framebuffer, long frame) {
    int index, step = height / 6;
    gl.BindFramebuffer(FRAMEBUFFER, framebuffer);
    gl.Enable(GL_SCISSOR_TEST);
    for (index = 0; index < 6; index++) {
        gl.Scissor((int)(frame * 5 + index * 16) % width, index * step, 24, step + 4);
        gl.ClearColor(
            (float)((frame * 7 + index * 40) % 256) / 255, (float)index / 6,
            (float)(frame % 64) / 63, 0.5f);
        gl.Clear(GL_COLOR_BUFFER_BIT);
    }
    gl.Disable(GL_SCISSOR_TEST);
}

/* Reads a framebuffer or, attached to `probe` for the call, a texture, as the library must: a texture
 * that stayed attached would outlive its deletion by the host. */
static void read_back(unsigned framebuffer, unsigned texture, unsigned probe, unsigned char *pixels) {
    gl.BindFramebuffer(READ_FRAMEBUFFER, texture ? probe : framebuffer);
    if (texture)
        gl.FramebufferTexture2D(READ_FRAMEBUFFER, COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    gl.ReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    if (texture) gl.FramebufferTexture2D(READ_FRAMEBUFFER, COLOR_ATTACHMENT0, GL_TEXTURE_2D, 0, 0);
}

static void write_rgb(const unsigned char *pixels, FILE *raw) {
    int row, column;
    for (row = height - 1; row >= 0; row--)
        for (column = 0; column < width; column++)
            fwrite(pixels + (row * width + column) * 4, 1, 3, raw);
}

/* --- Recording ----------------------------------------------------------------------------- */

static playhead_writer_options make_options(void) {
    playhead_writer_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.width = width;
    options.height = height;
    options.codec = "ffv1";
    options.frame_duration = SECOND / 50;
    options.audio_rate = RATE;
    options.audio_channels = 2;
    return options;
}

static int record(const char *kind, long count, const char *path, const char *raw_path) {
    static unsigned char pixels[96 * 54 * 4];
    static float sound[RATE / 50 * 2];
    playhead_writer_options options = make_options();
    playhead_writer *writer = NULL;
    playhead_writer_statistics statistics;
    FILE *raw = fopen(raw_path, "wb");
    unsigned resolved = headless_make_framebuffer(width, height), texture = 0;
    unsigned framebuffer = resolved, probe = 0;
    long frame, before, ours = 0, drivers = 0, settled = count / 2;
    int from_memory = !strcmp(kind, "memory");
    if (!strcmp(kind, "multisampled")) framebuffer = make_multisampled();
    if (!strcmp(kind, "texture")) texture = make_texture(&framebuffer);
    gl.GenFramebuffers(1, &probe);
    memset(&statistics, 0, sizeof statistics);
    statistics.struct_size = sizeof statistics;
    if (!raw) return 1;
    must(playhead_writer_create(path, &options, &writer), "playhead_writer_create");
    if (!from_memory) must(playhead_writer_gl_init(writer, NULL), "playhead_writer_gl_init");
    for (frame = 0; frame < count && !failures; frame++) {
        playhead_writer_source source;
        playhead_writer_result result;
        int tries = 0;
        memset(&source, 0, sizeof source);
        memset(&result, 0, sizeof result);
        source.struct_size = sizeof source;
        result.struct_size = sizeof result;
        draw(framebuffer, frame);
        /* The host reads what it drew, in another way. */
        draw(resolved, frame);
        before = allocations;
        read_back(resolved, texture, probe, pixels);
        if (frame >= settled) drivers += allocations - before;
        if (texture) read_back(resolved, 0, probe, pixels);
        write_rgb(pixels, raw);
        source.time = frame * SECOND / 50 + 123456789;
        if (from_memory) {
            source.pixels = pixels;
            source.bytes_per_row = width * 4;
        } else {
            source.framebuffer = texture ? 0 : framebuffer;
            source.texture = texture;
        }
        before = allocations;
        do {
            struct timespec moment = {0, 1000000};
            /* A frame that was dropped is offered again a little later: this loop has no display. */
            if (tries++) nanosleep(&moment, NULL);
            must(playhead_writer_record(writer, &source, &result), "playhead_writer_record");
        } while ((result.flags & PLAYHEAD_WRITER_DROPPED) && !failures);
        must(
            playhead_writer_add_audio(writer, sound, RATE / 50, source.time),
            "playhead_writer_add_audio");
        if (frame >= settled) ours += allocations - before;
        if (result.duration <= 0) fail("duration", "not positive");
    }
    if (!from_memory) must(playhead_writer_gl_deinit(writer), "playhead_writer_gl_deinit");
    must(playhead_writer_get_statistics(writer, &statistics), "playhead_writer_get_statistics");
    must(playhead_writer_finish(writer), "playhead_writer_finish");
    if (statistics.recorded_frames != (uint64_t)count) fail("recorded_frames", "another number");
    if (statistics.dropped_samples) fail("dropped_samples", "not 0");
    if (gl.GetError()) fail("glGetError", "an error of OpenGL");
    must(playhead_writer_destroy(writer), "playhead_writer_destroy");
    fclose(raw);
    printf("allocations %ld, of the driver %ld\n", ours, drivers);
    return failures ? 1 : 0;
}

/* --- A loop -------------------------------------------------------------------------------- */

static int64_t now(clockid_t clock) {
    struct timespec moment;
    clock_gettime(clock, &moment);
    return (int64_t)moment.tv_sec * SECOND + moment.tv_nsec;
}

/* The CRC-32 of ISO/IEC 8802-3, of a frame as RGB from top to bottom. */
static uint32_t checksum(const unsigned char *pixels) {
    static uint32_t table[256];
    uint32_t value = 0xffffffff, index;
    int row, column, channel, bit;
    for (index = 0; index < 256 && !table[255]; index++) {
        table[index] = index;
        for (bit = 0; bit < 8; bit++)
            table[index] = table[index] >> 1 ^ (table[index] & 1 ? 0xedb88320 : 0);
    }
    for (row = height - 1; row >= 0; row--)
        for (column = 0; column < width; column++)
            for (channel = 0; channel < 3; channel++)
                value = value >> 8
                    ^ table[(value ^ pixels[(row * width + column) * 4 + channel]) & 0xff];
    return ~value;
}

/* Time of the processor that the measurement itself may take, and the number of times that it is made
 * around nothing, for each frame: an interrupt that hits it counts as time of the thread. */
enum { CLOCKS = 20000, IDLE_MEASUREMENTS = 16 };

/* Returns the longest time of the processor that the clocks show around calls that do nothing. */
static int64_t measure_nothing(void) {
    int64_t longest = 0;
    int index;
    for (index = 0; index < IDLE_MEASUREMENTS; index++) {
        int64_t used = now(CLOCK_THREAD_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);
        (void)playhead_version();
        wall = now(CLOCK_MONOTONIC) - wall;
        used = now(CLOCK_THREAD_CPUTIME_ID) - used;
        if (wall >= 0 && used > longest) longest = used;
    }
    return longest;
}

static int loop(const char *kind, long seconds, const char *path, const char *list_path) {
    static unsigned char pixels[LOOP_WIDTH * LOOP_HEIGHT * 4];
    static float sound[RATE / 60 * 2];
    playhead_writer_options options;
    playhead_writer *writer = NULL;
    FILE *list = fopen(list_path, "w");
    unsigned framebuffer, texture = 0, probe = 0;
    long frame, count = seconds * 60, ours = 0, drivers = 0, recorded = 0, dropped = 0;
    int64_t start, longest = 0, hidden = 0, outside = 0, idle = 0;
    int from_memory = !strcmp(kind, "memory");
    if (!list) return 1;
    width = LOOP_WIDTH;
    height = LOOP_HEIGHT;
    framebuffer = headless_make_framebuffer(width, height);
    if (!strcmp(kind, "texture")) texture = make_texture(&framebuffer);
    gl.GenFramebuffers(1, &probe);
    options = make_options();
    options.frame_duration = SECOND / 60;
    must(playhead_writer_create(path, &options, &writer), "playhead_writer_create");
    if (!from_memory) must(playhead_writer_gl_init(writer, NULL), "playhead_writer_gl_init");
    start = now(CLOCK_MONOTONIC);
    for (frame = 0; frame < count && !failures; frame++) {
        playhead_writer_source source;
        playhead_writer_result result;
        int64_t due = start + frame * SECOND / 60, wall, used;
        long before, reading;
        struct timespec moment;
        moment.tv_sec = due / SECOND;
        moment.tv_nsec = due % SECOND;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL);
        memset(&source, 0, sizeof source);
        memset(&result, 0, sizeof result);
        source.struct_size = sizeof source;
        result.struct_size = sizeof result;
        draw(framebuffer, frame);
        before = allocations;
        read_back(framebuffer, texture, probe, pixels);
        reading = allocations - before;
        source.time = frame * SECOND / 60;
        if (from_memory) {
            source.pixels = pixels;
            source.bytes_per_row = width * 4;
        } else {
            source.framebuffer = texture ? 0 : framebuffer;
            source.texture = texture;
        }
        {
            int64_t nothing = measure_nothing();
            if (nothing > idle) idle = nothing;
        }
        before = allocations;
        used = now(CLOCK_THREAD_CPUTIME_ID);
        wall = now(CLOCK_MONOTONIC);
        must(playhead_writer_record(writer, &source, &result), "playhead_writer_record");
        wall = now(CLOCK_MONOTONIC) - wall;
        used = now(CLOCK_THREAD_CPUTIME_ID) - used;
        must(
            playhead_writer_add_audio(writer, sound, RATE / 60, source.time),
            "playhead_writer_add_audio");
        /* The first second makes what stays. */
        if (frame >= 60) {
            ours += allocations - before;
            drivers += from_memory ? 0 : reading;
            if (result.duration > longest) longest = result.duration;
            if (used - result.duration > hidden) hidden = used - result.duration;
            if (wall - result.duration > outside) outside = wall - result.duration;
        }
        if (result.flags & PLAYHEAD_WRITER_DROPPED) {
            dropped++;
        } else {
            recorded++;
            fprintf(list, "%lld %08lx\n", (long long)source.time,
                    (unsigned long)checksum(pixels));
        }
    }
    if (!from_memory) must(playhead_writer_gl_deinit(writer), "playhead_writer_gl_deinit");
    must(playhead_writer_finish(writer), "playhead_writer_finish");
    must(playhead_writer_destroy(writer), "playhead_writer_destroy");
    if (gl.GetError()) fail("glGetError", "an error of OpenGL");
    if (hidden > (idle > CLOCKS ? idle : CLOCKS)) fail("duration", "a call took more time than it reports");
    if (ours > drivers) fail("allocations", "more than those of the driver");
    fclose(list);
    printf(
        "%s: %ld frames recorded, %ld dropped; longest call %.2f ms, at most %.1f us of a call not "
        "reported (%.1f us by the clock; an empty call %.1f us); %ld allocations, %ld of them of the "
        "driver\n",
        kind, recorded, dropped, (double)longest / 1e6, (double)hidden / 1e3,
        (double)outside / 1e3, (double)idle / 1e3, ours, drivers < ours ? drivers : ours);
    return failures ? 1 : 0;
}

/* --- Errors -------------------------------------------------------------------------------- */

static int check_errors(const char *folder) {
    static unsigned char pixels[96 * 54 * 4];
    char path[4096];
    playhead_writer_options options = make_options();
    playhead_writer *writer = NULL;
    playhead_writer_source source;
    float sample[2] = {0, 0};
    FILE *file;
    options.audio_rate = options.audio_channels = 0;
    memset(&source, 0, sizeof source);
    source.struct_size = sizeof source;
    source.pixels = pixels;
    source.bytes_per_row = width * 4;
    snprintf(path, sizeof path, "%s/out.mkv", folder);

    refused(
        playhead_writer_create("/nonexistent/out.mkv", &options, &writer), PLAYHEAD_CANNOT_WRITE,
        "a missing folder");
    refused(
        playhead_writer_create(path, NULL, &writer), PLAYHEAD_INVALID_ARGUMENT, "no options");
    options.codec = "theora";
    refused(playhead_writer_create(path, &options, &writer), PLAYHEAD_UNSUPPORTED, "a codec");
    options.codec = "ffv1";
    options.width = 0;
    refused(
        playhead_writer_create(path, &options, &writer), PLAYHEAD_INVALID_ARGUMENT, "a width of 0");
    options.width = width;
    if (writer) fail("writer", "not NULL after an error");

    /* Without a frame there is no file. */
    must(playhead_writer_create(path, &options, &writer), "playhead_writer_create");
    refused(playhead_writer_finish(writer), PLAYHEAD_WRONG_STATE, "no frame");
    must(playhead_writer_destroy(writer), "playhead_writer_destroy");
    refused(playhead_writer_destroy(writer), PLAYHEAD_INVALID_HANDLE, "a destroyed writer");

    must(playhead_writer_create(path, &options, &writer), "playhead_writer_create");
    source.time = 5000000;
    must(playhead_writer_record(writer, &source, NULL), "playhead_writer_record");
    refused(
        playhead_writer_record(writer, &source, NULL), PLAYHEAD_INVALID_ARGUMENT, "the same time");
    source.time = 25000000;
    source.bytes_per_row = width;
    refused(
        playhead_writer_record(writer, &source, NULL), PLAYHEAD_INVALID_ARGUMENT, "short rows");
    source.pixels = NULL;
    source.time = 45000000;
    refused(
        playhead_writer_record(writer, &source, NULL), PLAYHEAD_WRONG_STATE, "no context");
    must(playhead_writer_gl_init(writer, NULL), "playhead_writer_gl_init");
    source.time = 65000000;
    source.framebuffer = 4711;
    refused(
        playhead_writer_record(writer, &source, NULL), PLAYHEAD_INVALID_ARGUMENT,
        "a framebuffer that does not exist");
    source.time = 85000000;
    source.texture = 4711;
    refused(
        playhead_writer_record(writer, &source, NULL), PLAYHEAD_INVALID_ARGUMENT,
        "a texture that does not exist");
    refused(
        playhead_writer_add_audio(writer, sample, 1, PLAYHEAD_NO_TIME), PLAYHEAD_WRONG_STATE,
        "audio for a file without");
    if (gl.GetError()) fail("glGetError", "an error of OpenGL");
    must(playhead_writer_gl_deinit(writer), "playhead_writer_gl_deinit");
    must(playhead_writer_finish(writer), "playhead_writer_finish");
    source.pixels = pixels;
    source.bytes_per_row = width * 4;
    source.time = 105000000;
    refused(
        playhead_writer_record(writer, &source, NULL), PLAYHEAD_WRONG_STATE,
        "a frame after the end");
    must(playhead_writer_destroy(writer), "playhead_writer_destroy");

    refused(
        playhead_writer_create(path, &options, &writer), PLAYHEAD_FILE_EXISTS, "an existing file");
    options.flags = PLAYHEAD_WRITER_REPLACE;
    must(playhead_writer_create(path, &options, &writer), "playhead_writer_create");
    must(playhead_writer_record(writer, &source, NULL), "playhead_writer_record");
    /* A file that is not finished is removed, and the old one stays. */
    must(playhead_writer_destroy(writer), "playhead_writer_destroy");
    if (!(file = fopen(path, "rb"))) fail("the old file", "is gone");
    else fclose(file);
    snprintf(path, sizeof path, "%s/out.mkv.part", folder);
    if ((file = fopen(path, "rb"))) fail("the temporary file", "is still there");
    return failures ? 1 : 0;
}

int main(int count, char **arguments) {
    if (!headless_make_context()) return 77;
    load();
    if (count == 6 && !strcmp(arguments[1], "record"))
        return record(arguments[2], atol(arguments[3]), arguments[4], arguments[5]);
    if (count == 6 && !strcmp(arguments[1], "loop"))
        return loop(arguments[2], atol(arguments[3]), arguments[4], arguments[5]);
    if (count == 3 && !strcmp(arguments[1], "errors")) return check_errors(arguments[2]);
    return 2;
}
