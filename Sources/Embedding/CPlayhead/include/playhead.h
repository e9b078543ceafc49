/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Playhead: video playback for programs that have an OpenGL context and a render loop of their
 * own.
 *
 * OVERVIEW
 *
 * A player opens a file or a stream and decodes it on threads of its own. Each time the host
 * draws, it asks the player for the frame that is due:
 *
 *   - playhead_render draws the frame into a framebuffer of the host.
 *   - playhead_acquire_texture returns the frame as a texture.
 *   - playhead_map_frame returns the decoded planes in memory.
 *   - playhead_copy_rgba converts the frame to RGBA in memory.
 *
 * None of them waits for a decoder. If the frame that is due has not been decoded yet, they use
 * the previous one, and the first two set PLAYHEAD_RENDER_LATE.
 *
 *     playhead_player *player = NULL;
 *     playhead_create(NULL, &player);
 *     playhead_gl_init(player, NULL);                        the context is current
 *     playhead_open(player, "video.mp4");
 *     playhead_play(player);
 *     while (running) {
 *         playhead_target target = {0};
 *         target.struct_size = sizeof target;
 *         target.framebuffer_width = 1280;
 *         target.framebuffer_height = 720;
 *         playhead_render(player, &target, NULL);
 *         swap_buffers();
 *     }
 *     playhead_gl_deinit(player);                            the context is still current
 *     playhead_destroy(player);
 *
 * No other call is required. A host can also follow playback by polling playhead_next_event once
 * per frame, supply a clock of its own (playhead_set_clock), and mix the audio itself
 * (playhead_read_audio). A writer records what the host draws (playhead_writer_create).
 *
 * THREADING
 *
 * The comment of each function begins with the threads that may call it:
 *
 *     [any]     Any thread, at any time, also while other threads call functions for the same
 *               player.
 *     [gl]      The render thread: the thread that called playhead_gl_init for the player, or
 *               playhead_writer_gl_init for the writer, with the same context current. On another
 *               thread, the call returns PLAYHEAD_WRONG_THREAD; with another context,
 *               PLAYHEAD_NO_CONTEXT.
 *     [audio]   One thread, usually that of the host's mixer. The call does not allocate, lock or
 *               wait.
 *
 * Do not call the library from its callbacks (playhead_wakeup, playhead_log, playhead_stream,
 * playhead_clock): every function that returns a status then returns PLAYHEAD_WRONG_THREAD.
 *
 * The library calls OpenGL on threads of the host only: within the functions marked [gl], and
 * within playhead_gl_init, playhead_gl_collect, playhead_destroy, playhead_writer_gl_init,
 * playhead_writer_finish and playhead_writer_destroy. Functions marked [gl] never wait for
 * decoding, vsync, a fence, a file, or a lock that a decoder holds while it works. The only
 * exception is playhead_writer_gl_deinit, which waits for the GPU.
 *
 * To move a player to another context or thread, call playhead_gl_deinit on the old thread and
 * playhead_gl_init on the new one. Playback continues in between.
 *
 * LIFECYCLE
 *
 * Players, effects and writers are handles. A handle has a pointer type, so that the compiler can
 * check it, but it is a number that the library never dereferences. A handle that is NULL, invalid
 * or destroyed makes the call return PLAYHEAD_INVALID_HANDLE.
 *
 * playhead_destroy may be called at any time: while a file is being opened, while another thread
 * renders, before or after the OpenGL context is destroyed. If OpenGL objects remain,
 * playhead_gl_collect deletes them.
 *
 * CONVENTIONS
 *
 * Errors: functions return a playhead_status. PLAYHEAD_OK is 0 and errors are negative.
 * playhead_last_error describes the last error on the calling thread and its remedy. If a call
 * fails, it leaves its output parameters unchanged, unless documented otherwise. Errors that occur
 * later, during playback, are reported as events. A function returns PLAYHEAD_INVALID_ARGUMENT if
 * an argument is out of range, and PLAYHEAD_INVALID_HANDLE if a handle is not valid, even if its
 * comment does not list these errors.
 *
 * Ownership: arguments are copied, or no longer needed, when the call returns, unless documented
 * otherwise. Results are written to the caller's memory.
 *
 * Structures: each structure that a function takes or fills in begins with struct_size, which the
 * caller sets to sizeof the structure. Later versions may add fields at the end; 0 is the default
 * for these fields. Set a structure to zero before you fill it in.
 *
 * Units: times and durations are in nanoseconds. A host time is a time of CLOCK_MONOTONIC. An item
 * time is a position in the media, which starts at 0. Text is UTF-8. Booleans are integers: 0 or 1.
 *
 * SIDE EFFECTS
 *
 * The library does not install signal handlers, change the locale, call exit, set X error
 * handlers, or write to standard output or standard error. It does not create windows or OpenGL
 * contexts.
 *
 * VERSIONS
 *
 * From version 0.1 on, the functions and structures of PLAYHEAD_ABI_VERSION 1 stay compatible in
 * every libplayhead.so.1. Structures may grow: the library accepts each size that a structure has
 * had, and never writes beyond struct_size. If the library is older than the header, it does not
 * write the fields that it does not know, so they keep the value 0.
 */

#ifndef PLAYHEAD_H
#define PLAYHEAD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ABI version of this header. playhead_abi_version returns the library's ABI version. */
#define PLAYHEAD_ABI_VERSION 1

/* The value of a time that does not exist or is unknown, such as the duration of a live stream. */
#define PLAYHEAD_NO_TIME INT64_MIN

/* Marks a name as deprecated, and states its replacement. Version 0.1 will remove these names. */
#if defined(__GNUC__)
#define PLAYHEAD_DEPRECATED(replacement) __attribute__((deprecated("use " replacement)))
#else
#define PLAYHEAD_DEPRECATED(replacement)
#endif

/* Precedes an anonymous union, which holds a field and its old name, so that compilers do not warn
 * about an extension. */
#if defined(__GNUC__)
#define PLAYHEAD_ANONYMOUS __extension__
#else
#define PLAYHEAD_ANONYMOUS
#endif

/* A player: the media that is open, its decoders, its clock and its outputs. */
typedef struct playhead_player playhead_player;
/* An effect in the effect chain of a player, with its own input values. */
typedef struct playhead_effect playhead_effect;

/* --- Status ------------------------------------------------------------------------------- */

/* The result of a call. Codes are grouped by subject; their values never change. */
typedef int32_t playhead_status;
enum {
    /* The call succeeded. */
    PLAYHEAD_OK = 0,
    /* There is no event, frame or text to return. Not an error. */
    PLAYHEAD_EMPTY = 1,

    /* An argument is NULL or out of range, or struct_size is wrong. */
    PLAYHEAD_INVALID_ARGUMENT = -1,
    /* The handle is NULL or invalid, or its object was destroyed. */
    PLAYHEAD_INVALID_HANDLE = -2,
    /* The function was called on the wrong thread, or from a callback of the library. */
    PLAYHEAD_WRONG_THREAD = -3,
    /* The player is not in the required state: for example, nothing is open. */
    PLAYHEAD_WRONG_STATE = -4,
    /* The library or the OpenGL context does not support the request. */
    PLAYHEAD_UNSUPPORTED = -5,
    /* A limit on players, effects, textures or frames in use is reached, or memory is exhausted. */
    PLAYHEAD_OUT_OF_RESOURCES = -6,
    /* There is no track, chapter, input or effect with this index or name. */
    PLAYHEAD_NOT_FOUND = -7,

    /* The file or stream cannot be opened or read. */
    PLAYHEAD_CANNOT_OPEN = -20,
    /* The container format is unknown. */
    PLAYHEAD_UNKNOWN_FORMAT = -21,
    /* The file is damaged or incomplete. */
    PLAYHEAD_DAMAGED = -22,
    /* The file has neither video nor audio that can be played. */
    PLAYHEAD_NO_PLAYABLE_TRACKS = -23,
    /* There is no decoder for the codec. */
    PLAYHEAD_UNSUPPORTED_CODEC = -24,
    /* A decoder failed. */
    PLAYHEAD_DECODING_FAILED = -25,
    /* The media exceeds a limit that protects the process, such as the size of a packet. */
    PLAYHEAD_LIMIT_EXCEEDED = -26,
    /* The access rules for files and networks do not allow the location. */
    PLAYHEAD_NOT_ALLOWED = -27,
    /* A newer request replaced this one, or the media was closed. */
    PLAYHEAD_CANCELLED = -28,
    /* The time limit of a wait or of a network request was reached. */
    PLAYHEAD_TIMED_OUT = -29,
    /* The media has no frame at this time. */
    PLAYHEAD_NO_SUCH_FRAME = -30,

    /* No context is current, or the current context is not the context of playhead_gl_init. */
    PLAYHEAD_NO_CONTEXT = -40,
    /* The context is older than OpenGL 3.3 or OpenGL ES 3.0, or was not created by EGL or GLX. */
    PLAYHEAD_GL_UNSUPPORTED = -41,
    /* An OpenGL call failed, or the framebuffer is incomplete. */
    PLAYHEAD_GL_FAILED = -42,
    /* The driver lost the context: call playhead_gl_forget, then playhead_gl_init in a new one. */
    PLAYHEAD_CONTEXT_LOST = -43,

    /* An effect's file, or a file that it uses, cannot be read. */
    PLAYHEAD_EFFECT_UNREADABLE = -60,
    /* An effect's header or content is invalid, unsupported or beyond a limit. */
    PLAYHEAD_EFFECT_MALFORMED = -61,
    /* An effect's shader does not compile, or takes too long to run. */
    PLAYHEAD_EFFECT_NOT_COMPILED = -62,
    /* The value has the wrong type or number of components for the input, or is not finite. */
    PLAYHEAD_EFFECT_WRONG_VALUE = -63,

    /* There is no audio device, or it failed. The media plays without audio. */
    PLAYHEAD_NO_AUDIO_DEVICE = -80,

    /* A file cannot be created or written, or its frames cannot be encoded. */
    PLAYHEAD_CANNOT_WRITE = -100,
    /* The disk is full. */
    PLAYHEAD_DISK_FULL = -101,
    /* There is already a file at the path. */
    PLAYHEAD_FILE_EXISTS = -102
};

/* --- Library ------------------------------------------------------------------------------ */

/* [any] Returns the PLAYHEAD_ABI_VERSION of the library. */
uint32_t playhead_abi_version(void);

/* [any] Returns the version of the library, such as "0.1.0".
 * Ownership: a constant. */
const char *playhead_version(void);

/* [any] Returns the name of a status, such as "PLAYHEAD_WRONG_THREAD", or "unknown".
 * Ownership: a constant. */
const char *playhead_status_name(playhead_status status);

/* [any] Returns a description of the last error on the calling thread; an empty string if no
 * call has failed on this thread. Never NULL.
 * Ownership: valid on this thread until another call fails on it, or the thread ends. */
const char *playhead_last_error(void);

/* The severity of a log message. */
typedef int32_t playhead_log_level;
enum {
    /* The media cannot be played, or cannot be played to its end. */
    PLAYHEAD_LOG_ERROR = 0,
    /* Playback continues with an impairment. */
    PLAYHEAD_LOG_WARNING = 1
};

/* Called on any thread with one line of a log message, without the line feed. A message of
 * several lines results in several calls.
 * Ownership: line is valid during the call. */
typedef void (*playhead_log)(void *user, playhead_log_level level, const char *line);

/* [any] Sets the log callback of the process. The callback receives the messages of `level` and of
 * more severe levels. It replaces the previous callback, which may still be called until this call
 * returns. NULL, the default, discards all messages.
 * Ownership: user must stay valid until the callback is replaced. */
playhead_status playhead_set_log(playhead_log log, void *user, playhead_log_level level);

/* --- Players ------------------------------------------------------------------------------ */

/* The clock that playback follows. */
typedef int32_t playhead_clock_mode;
enum {
    /* The clock of the audio device if the media has audio, otherwise the system's clock. */
    PLAYHEAD_CLOCK_OWN = 0,
    /* A clock that only playhead_tick advances: for a game's own time, and for rendering slower
     * or faster than real time. Audio is available with PLAYHEAD_AUDIO_PULL only. */
    PLAYHEAD_CLOCK_TICK = 1,
    /* A clock of the host, which runs all the time: see playhead_clock. */
    PLAYHEAD_CLOCK_EXTERNAL = 2
};

/* Returns the time of the host's clock, in nanoseconds, at the moment when CLOCK_MONOTONIC reads
 * host_time, which may be in the future. Use PLAYHEAD_CLOCK_EXTERNAL for video walls, and in
 * programs with an audio device of their own.
 *
 * Called on any thread, including the thread of the host's mixer, so it must not lock, allocate
 * or wait. The result must increase with host_time, at nearly the same rate. */
typedef int64_t (*playhead_clock)(void *user, int64_t host_time);

/* The destination of audio. */
typedef int32_t playhead_audio_mode;
enum {
    /* PulseAudio or PipeWire. Without an audio server, media plays without audio. */
    PLAYHEAD_AUDIO_DEVICE = 0,
    /* The host, which calls playhead_read_audio. */
    PLAYHEAD_AUDIO_PULL = 1,
    /* No audio. */
    PLAYHEAD_AUDIO_NONE = 2
};

typedef struct playhead_options {
    uint32_t struct_size;
    playhead_clock_mode clock_mode;
    PLAYHEAD_ANONYMOUS union {
        playhead_audio_mode audio_mode;
        playhead_audio_mode sound_mode PLAYHEAD_DEPRECATED("audio_mode");
    };
    /* With PLAYHEAD_AUDIO_PULL: the sample rate in Hz, 8000 to 192000; 0 selects 48000. */
    PLAYHEAD_ANONYMOUS union {
        int32_t audio_rate;
        int32_t sound_rate PLAYHEAD_DEPRECATED("audio_rate");
    };
    /* With PLAYHEAD_AUDIO_PULL: the number of channels, 1 or 2; 0 selects 2. */
    PLAYHEAD_ANONYMOUS union {
        int32_t audio_channels;
        int32_t sound_channels PLAYHEAD_DEPRECATED("audio_channels");
    };
    uint32_t reserved;
    /* With PLAYHEAD_CLOCK_EXTERNAL: called until the player is destroyed or its clock is
     * replaced. */
    playhead_clock clock;
    void *clock_user;
} playhead_options;

/* [any] Creates a player. options may be NULL for the defaults. The call does not wait for an
 * audio server. If the server has not answered when playback is requested, playback starts once
 * it answers, or after 2 s at the latest. Without a server, media plays without audio,
 * PLAYHEAD_EVENT_WARNING states the reason, and audio starts when a server appears.
 * Ownership: the caller owns the handle and destroys it with playhead_destroy.
 * Errors: *player is set to NULL. PLAYHEAD_OUT_OF_RESOURCES if a million handles exist. */
playhead_status playhead_create(const playhead_options *options, playhead_player **player);

/* [any] Destroys a player: closes its media, removes its effects, and invalidates its handle and
 * those of the effects. Waits for callbacks that are running, except those of a playhead_stream,
 * and for functions marked [gl] that are running on the render thread. On the thread of
 * playhead_gl_init, with its context current, the call deletes the OpenGL objects; otherwise
 * playhead_gl_collect deletes them. */
playhead_status playhead_destroy(playhead_player *player);

/* --- Media -------------------------------------------------------------------------------- */

/* [any] Starts to open a file or an http(s) URL in place of the media that is open, and returns
 * immediately. PLAYHEAD_EVENT_READY or PLAYHEAD_EVENT_ERROR reports the outcome. The position
 * becomes 0; the rate does not change. */
playhead_status playhead_open(playhead_player *player, const char *location);

/* [any] Opens the file, pipe or socket of a file descriptor. Otherwise identical to playhead_open.
 * name identifies the media in errors and may be NULL.
 * Ownership: the player duplicates the descriptor. */
playhead_status playhead_open_fd(playhead_player *player, int fd, const char *name);

/* [any] Opens a file in memory. Otherwise identical to playhead_open. size is in bytes. name
 * identifies the media in errors and may be NULL.
 * Ownership: the bytes are copied. */
playhead_status playhead_open_memory(
    playhead_player *player, const void *bytes, size_t size, const char *name);

/* A media source that the host reads, such as a file in an archive. */
typedef struct playhead_stream {
    uint32_t struct_size;
    uint32_t reserved;
    /* In bytes; -1 if unknown. */
    int64_t size;
    /* Reads up to capacity bytes from offset into buffer. Returns the number of bytes, 0 at the
     * end, or -1 for an error. May block. Called on threads of the player, one call at a time. */
    int64_t (*read)(void *user, void *buffer, size_t capacity, int64_t offset);
    /* Called once, on any thread, when the player no longer reads; may be NULL. If
     * playhead_open_stream fails, close is called before playhead_open_stream returns, unless the
     * stream is NULL or its struct_size is wrong. */
    void (*close)(void *user);
    void *user;
} playhead_stream;

/* [any] Opens a stream of the host. Otherwise identical to playhead_open. name identifies the media
 * in errors and may be NULL.
 * Ownership: the player owns the stream from this call on, even if the call fails. The stream's
 * functions may be called until close is called. playhead_close and playhead_destroy do not wait
 * for a read that blocks, so user must stay valid until close is called. */
playhead_status playhead_open_stream(
    playhead_player *player, const playhead_stream *stream, const char *name);

/* [any] Starts to open a camera in place of the media that is open, and returns immediately.
 * PLAYHEAD_EVENT_READY or PLAYHEAD_EVENT_ERROR reports the outcome. address is "camera:" and a
 * number, an identifier, a name or a node, such as "camera:0" or "camera:/dev/video2", optionally
 * followed by the requested format and by controls of the driver:
 * "camera:0?size=1280x720&rate=30&format=mjpeg&brightness=20". "playhead devices" lists the cameras
 * with their formats and controls.
 * The newest frame is always the current one, and its times are those of CLOCK_MONOTONIC. A camera
 * runs until it is closed: playhead_play, playhead_pause and clocks have no effect on it, and
 * functions for positions, tracks and chapters fail with PLAYHEAD_UNSUPPORTED. A camera that stalls
 * or is unplugged causes PLAYHEAD_EVENT_WARNING; it continues by itself when it is back.
 * Errors: PLAYHEAD_INVALID_ARGUMENT if address is not the address of a camera. */
playhead_status playhead_open_device(playhead_player *player, const char *address);

/* [any] Sets a limit, in bytes, on the memory of media that is opened after this call. Packets may
 * use a quarter of the limit. The rest is for three kinds of decoded frames: frames that wait to be
 * displayed, frames that a seek may return to, and frames kept for reverse playback. At least four
 * frames of each kind are kept, even if they exceed the limit. 0, the default, selects 1 GiB; most
 * of it is used for reverse playback only. Decoders need additional memory: about one frame per
 * processor core. */
playhead_status playhead_set_memory_limit(playhead_player *player, uint64_t bytes);

/* [any] Gets the memory of the open media that counts towards the limit of
 * playhead_set_memory_limit, in bytes; 0 if nothing is open. A frame that waits to be displayed
 * and is also kept for seeking counts twice. */
playhead_status playhead_get_held_bytes(playhead_player *player, uint64_t *bytes);

/* [any] Closes the open media, if any. Its frame is no longer drawn. */
playhead_status playhead_close(playhead_player *player);

/* A colour space, in the code points of ITU-T H.273. */
typedef struct playhead_color {
    /* Table 2: 1 BT.709, 9 BT.2020, 12 Display P3. 0 selects BT.709. */
    int32_t primaries;
    /* Table 3: 1 BT.709, 8 linear light, 13 sRGB, 16 PQ, 18 HLG. 0 selects BT.709. */
    int32_t transfer;
    /* In requests: the luminance of the display's peak white in cd/m2; brighter video is tone
     * mapped to it. 0 selects a default that depends on transfer: no limit for linear
     * light (8) and PQ (16), 1000 cd/m2 for HLG (18), and 203 cd/m2 for all others. In results: the
     * peak luminance in cd/m2; 0 if unknown or without limit. */
    float peak_luminance;
    /* In results: table 4, where 0 is R'G'B'. In requests: must be 0. */
    int32_t matrix;
} playhead_color;

/* Flags of playhead_media_info.flags. */
enum {
    PLAYHEAD_MEDIA_HAS_VIDEO = 1 << 0,
    PLAYHEAD_MEDIA_HAS_AUDIO = 1 << 1,
    PLAYHEAD_MEDIA_SEEKABLE = 1 << 2
};

typedef struct playhead_media_info {
    uint32_t struct_size;
    uint32_t flags;
    /* PLAYHEAD_NO_TIME if unknown, as for live streams. */
    int64_t duration;
    /* The display size in pixels: after rotation, with square pixels. */
    int32_t width;
    int32_t height;
    /* The mean frame rate in Hz; 0 if unknown. */
    double frame_rate;
    /* The clockwise rotation, in degrees, from the stored frame to the displayed one. All
     * drawing functions apply it. */
    int32_t rotation;
    uint32_t track_count;
    uint32_t chapter_count;
    /* 1 if the stored frame is mirrored horizontally before it is rotated. All drawing functions
     * apply it. */
    int32_t is_mirrored;
    /* The colour space of the media. Frames are drawn in the colour space of the target. */
    playhead_color color;
    /* FFmpeg's name of the format, such as "mov,mp4,m4a,3gp,3g2,mj2". */
    char container[64];
} playhead_media_info;

/* [any] Gets a description of the open media.
 * Errors: PLAYHEAD_WRONG_STATE before PLAYHEAD_EVENT_READY. */
playhead_status playhead_get_media_info(playhead_player *player, playhead_media_info *info);

typedef int32_t playhead_track_kind;
enum {
    PLAYHEAD_TRACK_VIDEO = 0,
    PLAYHEAD_TRACK_AUDIO = 1,
    PLAYHEAD_TRACK_SUBTITLE = 2,
    PLAYHEAD_TRACK_OTHER = 3
};

typedef struct playhead_track_info {
    uint32_t struct_size;
    playhead_track_kind kind;
    /* Unique within the media. */
    int32_t identifier;
    /* 1 if the track is played. */
    int32_t is_enabled;
    /* Video only: the stored size in pixels, and the mean frame rate in Hz. */
    int32_t width;
    int32_t height;
    double frame_rate;
    /* Audio only: the sample rate in Hz, and the number of channels. */
    int32_t sample_rate;
    int32_t channel_count;
    /* FFmpeg's name of the codec, such as "h264". */
    char codec[32];
    /* A BCP 47 or ISO 639 code; empty if unknown. */
    char language[32];
    char title[128];
} playhead_track_info;

/* [any] Gets a description of a track. index counts from 0.
 * Errors: PLAYHEAD_NOT_FOUND after the last track; PLAYHEAD_WRONG_STATE before
 * PLAYHEAD_EVENT_READY. */
playhead_status playhead_get_track_info(
    playhead_player *player, uint32_t index, playhead_track_info *info);

/* [any] Enables or disables a track. index counts from 0. At most one audio track and at most
 * one subtitle track are enabled: enabling a track of either kind disables the previous track of
 * that kind. Subtitles are disabled by default.
 * Errors: PLAYHEAD_UNSUPPORTED if the track is not video, audio or subtitles; the errors of
 * playhead_get_track_info. */
playhead_status playhead_enable_track(playhead_player *player, uint32_t index, int32_t is_enabled);

typedef struct playhead_chapter_info {
    uint32_t struct_size;
    uint32_t reserved;
    /* Item times. */
    int64_t start;
    int64_t end;
    char title[256];
} playhead_chapter_info;

/* [any] Gets a description of a chapter. index counts from 0.
 * Errors: PLAYHEAD_NOT_FOUND after the last chapter; PLAYHEAD_WRONG_STATE before
 * PLAYHEAD_EVENT_READY. */
playhead_status playhead_get_chapter_info(
    playhead_player *player, uint32_t index, playhead_chapter_info *info);

/* --- Subtitles ---------------------------------------------------------------------------- */

/* playhead_render and playhead_acquire_texture draw the enabled subtitle track over the frame
 * and its effects, at the size at which the frame is displayed. A thread of the library renders
 * subtitles ahead of time. If they are not ready in time, a later call draws them. */

/* [any] Adds a subtitle file to the open media. It becomes the last track, and is disabled. SubRip,
 * ASS, WebVTT, TTML and other formats are supported, in any encoding. *index receives the index of
 * the track; index may be NULL. The .idx file of a VobSub pair, with the .sub file beside it,
 * adds one track per language, and *index receives the index of the default track. The file is read
 * when its track is enabled; errors in it are then reported by PLAYHEAD_EVENT_WARNING.
 * Errors: PLAYHEAD_WRONG_STATE before PLAYHEAD_EVENT_READY. */
playhead_status playhead_add_subtitles(
    playhead_player *player, const char *path, uint32_t *index);

/* [any] Adds a subtitle file in memory. Otherwise identical to playhead_add_subtitles. size is in
 * bytes. name identifies the file in errors and may be NULL; its extension helps to detect the
 * format.
 * Ownership: the bytes are copied. */
playhead_status playhead_add_subtitles_memory(
    playhead_player *player, const void *bytes, size_t size, const char *name, uint32_t *index);

typedef struct playhead_subtitle_style {
    uint32_t struct_size;
    /* 1 to draw frames without subtitles, for a host that displays the text itself. */
    uint32_t is_hidden;
    /* The delay of subtitles, in nanoseconds; negative values show them earlier. */
    int64_t delay;
    /* The scale factor of the text, 0.1 to 10; 0 selects 1. */
    double scale;
    /* The upward offset of lines at the bottom, in percent of the frame's height, 0 to 100. */
    double elevation;
} playhead_subtitle_style;

/* [any] Sets the style of subtitles, for the open media and for media that is opened later. */
playhead_status playhead_set_subtitle_style(
    playhead_player *player, const playhead_subtitle_style *style);

/* [any] Gets the text of the subtitles that are displayed at a host time (0: now), without
 * markup. Lines are separated by line feeds. The result is terminated by a zero byte; if it does
 * not fit into capacity bytes, it is truncated at the end of a UTF-8 character. *size receives the
 * number of bytes of the whole text with the zero byte; size may be NULL. text may be NULL if
 * capacity is 0.
 * Returns PLAYHEAD_EMPTY if no subtitles are displayed, or if they are bitmaps. */
playhead_status playhead_get_subtitle_text(
    playhead_player *player, int64_t host_time, char *text, size_t capacity, size_t *size);

/* --- Transport ---------------------------------------------------------------------------- */

/* [any] Starts playback at the rate of playhead_set_rate, 1 by default, as soon as video and
 * audio are decoded. If the position is at the end of the media, playback restarts from the
 * beginning. In reverse, it restarts from the end if the position is at the beginning. */
playhead_status playhead_play(playhead_player *player);

/* [any] Pauses playback. */
playhead_status playhead_pause(playhead_player *player);

/* [any] Sets the rate of playback, -16 to 16, where 1 is normal speed and negative rates play in
 * reverse. 0 pauses. Audio is heard from 0.25 to 4 and, reversed, from -4 to -0.25. During
 * playback the rate takes effect immediately, otherwise when playback starts. */
playhead_status playhead_set_rate(playhead_player *player, double rate);

typedef int32_t playhead_seek_mode;
enum {
    /* Seeks to the frame that is displayed at the time. */
    PLAYHEAD_SEEK_EXACT = 0,
    /* Seeks to the keyframe at or before the time: faster, for scrubbing. */
    PLAYHEAD_SEEK_KEYFRAME = 1
};

/* [any] Starts a seek to an item time, and returns immediately. PLAYHEAD_EVENT_SEEKED reports
 * that the frame is decoded; until then the previous frame is drawn. A newer seek replaces this
 * one.
 * Errors: PLAYHEAD_WRONG_STATE if nothing is open; the error of the media if it failed. */
playhead_status playhead_seek(playhead_player *player, int64_t time, playhead_seek_mode mode);

/* [any] Steps by a number of frames while paused, backward if count is negative.
 * PLAYHEAD_STATE_SEEKING is set until the steps are complete. Has no effect during playback.
 * Errors: PLAYHEAD_WRONG_STATE if nothing is open; the error of the media if it failed. */
playhead_status playhead_step(playhead_player *player, int32_t count);

/* [any] Repeats the range from start to end: each time playback reaches end, it continues at start.
 * In reverse, it plays from end to start and continues at end. count is the number of repetitions;
 * -1 repeats without limit, 0 stops repeating. After the last repetition, playback continues past
 * the range. start and end are item times. end may be PLAYHEAD_NO_TIME for the end of the media;
 * if it is a time, no frame that begins at or after end is displayed. If the position is already
 * past end (in reverse: before start), playback continues at the other bound. The range also
 * applies to media that is opened later, unless it lies outside of that media.
 * Errors: PLAYHEAD_INVALID_ARGUMENT if the range is shorter than a millisecond or outside of the
 * open media. */
playhead_status playhead_set_loop(
    playhead_player *player, int32_t count, int64_t start, int64_t end);

/* Flags of playhead_state.flags. */
enum {
    /* Playback has reached the end, and no repetition is left. */
    PLAYHEAD_STATE_ENDED = 1 << 0,
    /* A seek or a step is in progress. */
    PLAYHEAD_STATE_SEEKING = 1 << 1,
    /* The player is visible: see playhead_set_visible. */
    PLAYHEAD_STATE_VISIBLE = 1 << 2,
    /* The player has an OpenGL context. */
    PLAYHEAD_STATE_GL = 1 << 3
};

typedef int32_t playhead_phase;
enum {
    /* Nothing is open. */
    PLAYHEAD_PHASE_EMPTY = 0,
    PLAYHEAD_PHASE_OPENING = 1,
    PLAYHEAD_PHASE_READY = 2,
    PLAYHEAD_PHASE_FAILED = 3
};

typedef int32_t playhead_transport;
enum {
    PLAYHEAD_PAUSED = 0,
    /* Playback was requested, but the first video or audio is still being decoded, or the next
     * repetition of a loop is about to begin. */
    PLAYHEAD_WAITING = 1,
    PLAYHEAD_PLAYING = 2
};

typedef struct playhead_state {
    uint32_t struct_size;
    playhead_phase phase;
    playhead_transport transport;
    uint32_t flags;
    /* The rate at which the player plays or waits to play; 0 while paused. */
    double rate;
    /* The current item time. PLAYHEAD_NO_TIME if nothing is open. */
    int64_t position;
    /* The duration of the media; PLAYHEAD_NO_TIME if unknown. */
    int64_t duration;
    /* The repetitions that remain; -1 without limit. */
    int32_t loops_left;
    /* With PLAYHEAD_PHASE_FAILED: the reason. */
    playhead_status failure;
} playhead_state;

/* [any] Gets the current state of the player. */
playhead_status playhead_get_state(playhead_player *player, playhead_state *state);

/* --- Time --------------------------------------------------------------------------------- */

/* [any] Replaces the clock. clock and user are used with PLAYHEAD_CLOCK_EXTERNAL only; they
 * correspond to clock and clock_user in playhead_options. A pending playhead_play and other
 * settings stay in effect.
 * Errors: PLAYHEAD_WRONG_STATE if media is open. */
playhead_status playhead_set_clock(
    playhead_player *player, playhead_clock_mode mode, playhead_clock clock, void *user);

/* [any] Advances the clock of a player with PLAYHEAD_CLOCK_TICK by delta nanoseconds, which is
 * usually the time since the previous frame of the game and must not be negative. The item time
 * advances by delta times the rate.
 * Errors: PLAYHEAD_WRONG_STATE with another clock. */
playhead_status playhead_tick(playhead_player *player, int64_t delta);

/* [any] Starts playback so that the item time is item_time at clock_time. rate has the range of
 * playhead_set_rate, but must not be 0. clock_time is a time of a clock that depends on
 * the clock mode. With PLAYHEAD_CLOCK_OWN it is CLOCK_MONOTONIC, even if playback follows the audio
 * device; with PLAYHEAD_CLOCK_EXTERNAL, the host's clock; with PLAYHEAD_CLOCK_TICK, the clock that
 * playhead_tick advances, which starts at 0. Players that are started with the same pair of times
 * stay in sync.
 * Errors: PLAYHEAD_WRONG_STATE if nothing is open; the error of the media if it failed. */
playhead_status playhead_start_at(
    playhead_player *player, double rate, int64_t item_time, int64_t clock_time);

/* [any] Waits until the media is open and the frame for the current time is decoded, for at most
 * timeout nanoseconds. Use it for offline rendering with PLAYHEAD_CLOCK_TICK, where no frame may be
 * missed, and for thumbnails. This is the only function that waits for decoding; do not call it in
 * the frame loop of a game.
 *
 * *next_time receives the item time of the next frame, or PLAYHEAD_NO_TIME; next_time may be
 * NULL. The call also waits for subtitles, if playhead_render or playhead_acquire_texture
 * has drawn before. With PLAYHEAD_CLOCK_TICK and PLAYHEAD_AUDIO_PULL, it also waits for the audio
 * of the next half second.
 * Returns PLAYHEAD_EMPTY if there is no frame for the current time.
 * Errors: PLAYHEAD_TIMED_OUT; PLAYHEAD_WRONG_STATE if nothing is open; PLAYHEAD_CANCELLED if the
 * media is closed meanwhile; the error of the media if it failed. */
playhead_status playhead_wait_for_frame(
    playhead_player *player, int64_t timeout, int64_t *next_time);

/* [any] Reports the host time of one refresh of the host's display, such as the last swap, and
 * the refresh period in nanoseconds. If playback of the open media starts after this call, the
 * start is delayed to a vsync, except with playhead_start_at. A period of 0 means that there is no
 * display.
 * Errors: PLAYHEAD_WRONG_STATE if nothing is open. */
playhead_status playhead_report_swap(playhead_player *player, int64_t host_time, int64_t period);

/* --- Events ------------------------------------------------------------------------------- */

typedef int32_t playhead_event_type;
enum {
    PLAYHEAD_EVENT_NONE = 0,
    /* The media is open: playhead_get_media_info succeeds. */
    PLAYHEAD_EVENT_READY = 1,
    /* The media cannot be played, or cannot be played to its end. status and text give the
     * reason. */
    PLAYHEAD_EVENT_ERROR = 2,
    /* Something could not be read, decoded, drawn or played; playback continues. status and text
     * give the reason. */
    PLAYHEAD_EVENT_WARNING = 3,
    /* The display size changed. value is width << 32 | height, in pixels. */
    PLAYHEAD_EVENT_SIZE = 4,
    /* The transport changed. value is the new playhead_transport. */
    PLAYHEAD_EVENT_TRANSPORT = 5,
    /* A seek finished. value is the requested time. status is PLAYHEAD_OK; PLAYHEAD_CANCELLED if
     * a newer seek replaced this one; or the error if the media failed or cannot be read at that
     * time. */
    PLAYHEAD_EVENT_SEEKED = 6,
    /* A repetition of the loop began. value is the number of repetitions so far. */
    PLAYHEAD_EVENT_LOOPED = 7,
    /* Playback reached the end, and no repetition is left. */
    PLAYHEAD_EVENT_ENDED = 8,
    /* The set of enabled tracks changed. */
    PLAYHEAD_EVENT_TRACKS = 9
};

typedef struct playhead_event {
    uint32_t struct_size;
    playhead_event_type type;
    playhead_status status;
    uint32_t reserved;
    /* The item time of the event; PLAYHEAD_NO_TIME before the media is open. */
    int64_t time;
    int64_t value;
    /* A description for people, truncated at the end of a UTF-8 character if it is too long. */
    char text[256];
} playhead_event;

/* [any] Removes the oldest event from the queue and writes it to *event. The queue holds 64
 * events. If it is full when another event occurs, one event in the queue is dropped: a size,
 * track, transport or warning event if there is one, otherwise an event of another type.
 * playhead_statistics.lost_events counts dropped events. Closing or replacing the media removes its
 * events, except errors and transport changes.
 * Returns PLAYHEAD_EMPTY if the queue is empty. */
playhead_status playhead_next_event(playhead_player *player, playhead_event *event);

/* Called on a thread of the library, never within a call of the host, when there is an event or
 * a new frame. It must not call the library; usually it wakes the host's loop.
 *
 * After a call for a new frame, there is no further call for new frames until the host requests a
 * frame with playhead_render, playhead_acquire_texture, playhead_map_frame or playhead_copy_rgba,
 * or until playhead_has_new_frame reports that there is no new frame. Calls of playhead_render and
 * playhead_acquire_texture while the player is hidden do not count as requests. */
typedef void (*playhead_wakeup)(void *user);

/* [any] Sets the wakeup callback; NULL removes it. When the call returns, the previous callback
 * is no longer called.
 * Ownership: user must stay valid until the callback is replaced or the player is destroyed. */
playhead_status playhead_set_wakeup(playhead_player *player, playhead_wakeup wakeup, void *user);

/* --- OpenGL ------------------------------------------------------------------------------- */

/* The treatment of the host's OpenGL state by functions marked [gl]. */
typedef int32_t playhead_gl_state_mode;
enum {
    /* The library queries the state that it changes and restores it. */
    PLAYHEAD_GL_RESTORE_ALL = 0,
    /* The host sets OpenGL's default state before the call, and the library restores the default
     * state before it returns, without queries. The viewport, clear colour, blend function and
     * pixel store alignment are unspecified after the call. */
    PLAYHEAD_GL_ASSUME_DEFAULT = 1,
    /* The host sets all state that it needs after the call; the state after the call is
     * unspecified. */
    PLAYHEAD_GL_HOST_RESETS = 2
};

typedef struct playhead_gl_options {
    uint32_t struct_size;
    playhead_gl_state_mode state_mode;
    /* The first texture unit that the library uses. It uses up to 16 consecutive units. */
    int32_t texture_unit_base;
    uint32_t reserved;
    /* Returns the address of an OpenGL function, as eglGetProcAddress does; may be NULL. The
     * library calls it only for glGetString, in playhead_gl_init and playhead_writer_gl_init, to
     * check that the host and the library use the same OpenGL. The library itself finds OpenGL
     * through libepoxy in the current EGL or GLX context. */
    void *(*get_proc)(void *user, const char *name);
    void *get_proc_user;
} playhead_gl_options;

/* [any] Sets the context that is current on the calling thread as the context of the player:
 * OpenGL 3.3 or later, or OpenGL ES 3.0 or later. options may be NULL for the defaults. Shaders
 * are compiled when they are first needed.
 * Errors: PLAYHEAD_NO_CONTEXT if no context is current; PLAYHEAD_GL_UNSUPPORTED if the library does
 * not support the current context; PLAYHEAD_WRONG_STATE if the player has a context. */
playhead_status playhead_gl_init(playhead_player *player, const playhead_gl_options *options);

/* [gl] Deletes the OpenGL objects of the player, including acquired textures. Playback
 * continues. */
playhead_status playhead_gl_deinit(playhead_player *player);

/* [any] Detaches the player from its context without calling OpenGL: for a context that no
 * longer exists, or that will be destroyed without being current. Playback continues. */
playhead_status playhead_gl_forget(playhead_player *player);

/* [any] Deletes the OpenGL objects that remain in the current context after players and writers
 * were destroyed. Applies to players and writers for which playhead_gl_init or
 * playhead_writer_gl_init was called on this thread. Call it before you destroy the context.
 * *count receives the number of deleted objects; count may be NULL. */
playhead_status playhead_gl_collect(int32_t *count);

typedef int32_t playhead_fit;
enum {
    /* The whole frame fits in the rectangle; the rest is background. */
    PLAYHEAD_FIT_CONTAIN = 0,
    /* The frame fills the rectangle and is cropped at two sides. */
    PLAYHEAD_FIT_COVER = 1,
    /* The frame is scaled to the rectangle without keeping its aspect ratio. */
    PLAYHEAD_FIT_STRETCH = 2
};

/* Flags of playhead_target.flags. */
enum {
    /* The bottom row of the framebuffer, in OpenGL's order, is displayed at the top. */
    PLAYHEAD_TARGET_FLIPPED = 1 << 0,
    /* Draws only if the result would differ from that of the previous call; otherwise sets
     * PLAYHEAD_RENDER_SKIPPED. */
    PLAYHEAD_TARGET_IF_CHANGED = 1 << 1
};

/* A framebuffer, and the rectangle in it to draw to. */
typedef struct playhead_target {
    uint32_t struct_size;
    /* The OpenGL name of a framebuffer with a colour attachment; 0 is the default framebuffer.
     * The library checks a framebuffer when it is first used at a given size. The call returns
     * PLAYHEAD_INVALID_ARGUMENT if the framebuffer does not exist, and PLAYHEAD_GL_FAILED if it is
     * incomplete. */
    uint32_t framebuffer;
    /* The size of the framebuffer, in pixels. */
    int32_t framebuffer_width;
    int32_t framebuffer_height;
    /* The rectangle to draw to, in pixels from the top left corner of the displayed image; the
     * whole framebuffer if width and height are 0. Nothing is drawn outside of it. */
    int32_t x;
    int32_t y;
    int32_t width;
    int32_t height;
    playhead_fit fit;
    uint32_t flags;
    /* The colour space of the framebuffer. Encoded values are written: GL_FRAMEBUFFER_SRGB is
     * disabled during the call. */
    playhead_color color;
    /* The bits per channel of the framebuffer, 1 to 16; video of higher precision is dithered to
     * this depth. 0 selects 8. -1 disables dithering; use it for float formats. */
    int32_t bit_depth;
    uint32_t reserved;
    /* The background: red, green, blue and alpha, 0 to 1, not premultiplied. With alpha 0 the
     * content of the framebuffer remains. */
    float background[4];
    /* The host time at which the frame will be displayed; 0: now. Ignored with
     * PLAYHEAD_CLOCK_TICK. */
    int64_t host_time;
} playhead_target;

/* Flags of playhead_render_result.flags. */
enum {
    /* The frame differs from that of the previous call. */
    PLAYHEAD_RENDER_NEW_FRAME = 1 << 0,
    /* There is no frame yet; only the background was drawn, if any. */
    PLAYHEAD_RENDER_NO_FRAME = 1 << 1,
    /* The frame that is due has not been decoded yet or, on software OpenGL, not converted. The
     * previous one was drawn. */
    PLAYHEAD_RENDER_LATE = 1 << 2,
    /* Nothing was drawn, because nothing changed. */
    PLAYHEAD_RENDER_SKIPPED = 1 << 3,
    /* Nothing was drawn, because the player is hidden. */
    PLAYHEAD_RENDER_HIDDEN = 1 << 4
};

typedef struct playhead_render_result {
    uint32_t struct_size;
    uint32_t flags;
    /* The item time at which the frame begins; PLAYHEAD_NO_TIME without a frame. */
    int64_t frame_time;
    /* The item time that was requested. */
    int64_t item_time;
    /* The time spent on this thread, in nanoseconds: to upload the frame, to draw, and to save
     * and restore OpenGL state. */
    int64_t upload_duration;
    int64_t draw_duration;
    int64_t state_duration;
} playhead_render_result;

/* [gl] Draws the frame that is due into a framebuffer. Never waits. Does not allocate in steady
 * playback. result may be NULL.
 * Errors: those of playhead_target.framebuffer; PLAYHEAD_WRONG_STATE before playhead_gl_init;
 * PLAYHEAD_CONTEXT_LOST. */
playhead_status playhead_render(
    playhead_player *player, const playhead_target *target, playhead_render_result *result);

/* [any] Sets *is_new to 1 if playhead_render would draw a different image now, otherwise to 0.
 * The image differs if there is another frame, if effects were added, removed, enabled, disabled or
 * changed, if an effect animates, if the subtitles or the context changed, or if the media was
 * closed. "Now" is the current host time or, with PLAYHEAD_CLOCK_TICK, the time of that clock.
 * While the player is hidden, *is_new is set to 0. */
playhead_status playhead_has_new_frame(playhead_player *player, int32_t *is_new);

/* Flags of playhead_texture_request.flags. */
enum {
    /* Row 0 of the texture is the bottom row of the frame, in OpenGL's order. Without this flag,
     * it is the top row. */
    PLAYHEAD_TEXTURE_BOTTOM_FIRST = 1 << 0
};

typedef struct playhead_texture_request {
    uint32_t struct_size;
    uint32_t flags;
    /* In texels; 0 selects the display size of the frame. */
    int32_t width;
    int32_t height;
    /* The colour space of the texture. */
    playhead_color color;
    /* 8 or 10 bits per channel, or -1 for half floats; 0 selects 8. */
    int32_t bit_depth;
    uint32_t reserved;
    /* The host time at which the frame will be displayed; 0: now. */
    int64_t host_time;
} playhead_texture_request;

/* A texture with a frame, its effects and its subtitles. */
typedef struct playhead_texture {
    uint32_t struct_size;
    /* The OpenGL name of a GL_TEXTURE_2D without mipmaps. */
    uint32_t name;
    uint32_t internal_format;
    int32_t width;
    int32_t height;
    /* 1 if colour is multiplied by alpha. */
    int32_t is_premultiplied;
    /* 1 if row 0 is the top row of the frame. */
    int32_t is_top_first;
    /* As in playhead_render_result. */
    uint32_t flags;
    playhead_color color;
    /* The item time at which the frame begins. */
    int64_t frame_time;
    /* Identifies the texture in playhead_release_texture. */
    uint64_t lease;
    /* Increases when the player creates new textures, for another size or format. Each generation
     * has three textures. An acquired texture of an older generation stays valid until it is
     * released. */
    uint32_t generation;
    uint32_t reserved;
} playhead_texture;

/* [gl] Acquires a texture with the frame that is due. The texture does not change until it is
 * released, so the host can read frame N while frame N + 1 is drawn. request may be NULL for the
 * defaults.
 * Ownership: the player owns the texture. It is valid until playhead_release_texture or
 * playhead_gl_deinit.
 * Returns PLAYHEAD_EMPTY if there is no frame.
 * Errors: PLAYHEAD_OUT_OF_RESOURCES if all three textures are acquired; PLAYHEAD_UNSUPPORTED if
 * the context cannot draw to the format. */
playhead_status playhead_acquire_texture(
    playhead_player *player, const playhead_texture_request *request, playhead_texture *texture);

/* [gl] Releases a texture. fence is a GLsync after which the texture is no longer read, or NULL
 * if all commands that read it were issued in this context. The library polls the fence and
 * never waits for it.
 * Ownership: the player deletes the fence; if the call fails, the host keeps it. */
playhead_status playhead_release_texture(playhead_player *player, uint64_t lease, void *fence);

/* [any] Shows or hides the player; players are visible by default. While it is hidden, nothing
 * is uploaded and no effect is drawn; audio and time continue. The first frame after it becomes
 * visible is the one that is due. If a seek is in progress at that time, there is no frame until
 * the seek finishes. */
playhead_status playhead_set_visible(playhead_player *player, int32_t is_visible);

/* --- Frames in memory --------------------------------------------------------------------- */

typedef struct playhead_plane {
    /* The first byte of the top row. */
    const void *data;
    /* The distance from one row to the next; may be negative. */
    int64_t bytes_per_row;
    /* In samples. */
    int32_t width;
    int32_t height;
} playhead_plane;

/* A decoded frame, without conversion. */
typedef struct playhead_frame {
    uint32_t struct_size;
    uint32_t plane_count;
    playhead_plane planes[4];
    /* The stored size in pixels. Rotation and pixel aspect ratio are not applied. */
    int32_t width;
    int32_t height;
    /* The clockwise rotation, in degrees, that displays the frame upright. Applies after
     * is_mirrored. */
    int32_t rotation;
    /* 1 if the samples use the full range. */
    int32_t is_full_range;
    playhead_color color;
    /* The item time at which the frame begins. */
    int64_t frame_time;
    /* Identifies the frame in playhead_unmap_frame and playhead_get_sampling. */
    uint64_t lease;
    /* FFmpeg's name of the pixel format, such as "yuv420p". */
    char format[32];
    /* 1 if the frame is mirrored horizontally before it is rotated. A later addition: structures
     * that end before this field are accepted. */
    int32_t is_mirrored;
    uint32_t reserved;
} playhead_frame;

/* [any] Maps the frame that is due at a host time (0: now), in the decoder's memory. At most 8
 * frames can be mapped.
 * Returns PLAYHEAD_EMPTY if there is no frame.
 * Ownership: the memory is valid until playhead_unmap_frame, also after the media is closed, but
 * not after the player is destroyed. A decoder has a small pool of frames, so unmap each
 * frame soon.
 * Errors: PLAYHEAD_OUT_OF_RESOURCES if 8 frames are mapped. */
playhead_status playhead_map_frame(
    playhead_player *player, int64_t host_time, playhead_frame *frame);

/* [any] Unmaps a frame. lease is playhead_frame.lease. */
playhead_status playhead_unmap_frame(playhead_player *player, uint64_t lease);

/* [any] Copies the frame that is due at a host time (0: now) to pixels, for programs without
 * OpenGL. The copy is 8-bit RGBA with straight alpha, upright, top row first, and scaled to
 * width x height. Returns PLAYHEAD_EMPTY if there is no frame. *frame_time receives the item time
 * at which the frame begins; frame_time may be NULL.
 *
 * The colours are those that playhead_render draws for a standard-range display (BT.709, 203
 * cd/m2): PQ and HLG are tone mapped, and wider gamuts are converted. Effects and subtitles are
 * not applied. All formats of playhead_render are supported. The conversion takes milliseconds
 * for planar Y'CbCr of 8 to 14 bits and for NV12, the formats of nearly all video. For other
 * formats it takes tens of milliseconds, or up to a second if their colours are converted through
 * linear light (PQ, HLG, ICtCp, constant luminance). */
playhead_status playhead_copy_rgba(
    playhead_player *player, int64_t host_time, void *pixels, int32_t width, int32_t height,
    int64_t bytes_per_row, int64_t *frame_time);

/* --- Sampling planes in a shader of the host ---------------------------------------------- */

/* A texture to which the host uploads a plane of a playhead_frame. */
typedef struct playhead_view {
    /* The index of the plane in playhead_frame.planes. */
    int32_t plane;
    /* In texels. */
    int32_t width;
    int32_t height;
    int32_t bytes_per_texel;
    /* Arguments of glTexImage2D. */
    uint32_t internal_format;
    uint32_t format;
    uint32_t type;
    /* The value of GL_TEXTURE_SWIZZLE_RGBA. */
    int32_t swizzle[4];
} playhead_view;

/* The conversion from the samples of a frame to colours: the uniforms of
 * playhead_sampling_source. */
typedef struct playhead_sampling {
    uint32_t struct_size;
    /* The number of textures: the uniforms playhead_view0 to playhead_view3. */
    uint32_t view_count;
    playhead_view views[4];
    /* The uniform playhead_color_views: the number of textures with colour, which come first. */
    int32_t color_view_count;
    /* The uniform playhead_has_alpha: 0 if there is no alpha. If the value is not 0, the texture
     * after the textures with colour contains alpha. If the value is 1, alpha has the full range of
     * the texture. If the value is 9 to 15, alpha is in the low bits of a 16-bit channel, and the
     * value is the number of these bits. */
    int32_t has_alpha_view;
    /* The uniforms playhead_matrix, in column-major order, and playhead_offset. */
    float matrix[9];
    float offset[3];
    /* The uniform playhead_chroma: the scale (x, y) and the offset (x, y) that convert a
     * coordinate in the frame to a coordinate in the chroma planes. */
    float chroma[4];
} playhead_sampling;

/* [any] Gets the textures and uniforms for a mapped frame, for hosts that upload planes and
 * sample them in shaders of their own. lease is playhead_frame.lease. Frames of the same media
 * have the same result unless their format, size or colour space changes.
 * Errors: PLAYHEAD_UNSUPPORTED if the format has no textures in OpenGL 3.3 (OpenGL ES supports
 * 16-bit formats with GL_EXT_texture_norm16 only), or if no matrix converts it (ICtCp, BT.2020
 * with constant luminance). */
playhead_status playhead_get_sampling(
    playhead_player *player, uint64_t lease, playhead_sampling *sampling);

/* [any] Returns GLSL for the host's fragment shader, for OpenGL 3.3 and OpenGL ES 3.0. It
 * declares the uniforms of playhead_sampling and the function
 *
 *     vec4 playhead_sample(vec2 coordinate)
 *
 * which returns R'G'B' and alpha in the colour space of playhead_frame.color: not clamped, not tone
 * mapped, alpha as stored. coordinate is a position in the stored frame, from 0, 0 at the top left
 * corner to 1, 1 at the bottom right corner. The textures must be filtered linearly and clamped to
 * their edges.
 * Ownership: a constant. */
const char *playhead_sampling_source(void);

/* --- Effects ------------------------------------------------------------------------------ */

/* [any] Returns the number of built-in effects. */
uint32_t playhead_effect_library_count(void);

/* [any] Returns the name of a built-in effect, or NULL after the last one. index counts from 0.
 * Ownership: a constant. */
const char *playhead_effect_library_name(uint32_t index);

/* [any] Adds an effect after the existing effects of the player. name is the name of a built-in
 * effect, or the path of a file in a supported format: ISF, Shadertoy, GLSL, .cube and others.
 * Reads the file, and the images in its folder that it imports. The shader is compiled when the
 * effect is first drawn; if that fails, PLAYHEAD_EVENT_WARNING reports the compiler's messages, and
 * frames are drawn without the effect.
 * Ownership: the caller owns the handle and releases it with playhead_effect_remove;
 * playhead_destroy releases it too.
 * Errors: *effect is set to NULL. PLAYHEAD_NOT_FOUND; PLAYHEAD_EFFECT_UNREADABLE;
 * PLAYHEAD_EFFECT_MALFORMED; PLAYHEAD_OUT_OF_RESOURCES if the player has 64 effects. */
playhead_status playhead_effect_add(
    playhead_player *player, const char *name, playhead_effect **effect);

/* [any] Adds an effect from the text of an ISF file. Otherwise identical to playhead_effect_add.
 * name identifies the effect in errors and may be NULL. Images that the text imports are not
 * read, because the text has no folder; they are replaced by transparent ones. */
playhead_status playhead_effect_add_source(
    playhead_player *player, const char *text, const char *name, playhead_effect **effect);

/* [any] Removes an effect and invalidates its handle. */
playhead_status playhead_effect_remove(playhead_effect *effect);

/* [any] Enables or disables an effect; effects are enabled by default. */
playhead_status playhead_effect_set_enabled(playhead_effect *effect, int32_t is_enabled);

/* The type of an input. */
typedef int32_t playhead_input_kind;
enum {
    /* No values. Setting the input makes it true for one frame. */
    PLAYHEAD_INPUT_EVENT = 0,
    /* 1 value: 0 or 1. */
    PLAYHEAD_INPUT_BOOL = 1,
    /* 1 value: an integer. */
    PLAYHEAD_INPUT_LONG = 2,
    /* 1 value. */
    PLAYHEAD_INPUT_FLOAT = 3,
    /* 2 values: x and y. */
    PLAYHEAD_INPUT_POINT = 4,
    /* 4 values: red, green, blue and alpha, 0 to 1. */
    PLAYHEAD_INPUT_COLOR = 5,
    /* Set by playhead_effect_set_image. */
    PLAYHEAD_INPUT_IMAGE = 6,
    /* The audio of the media. The player supplies it while audio plays, or while the host reads
     * audio. */
    PLAYHEAD_INPUT_AUDIO = 7
};

typedef struct playhead_input_info {
    uint32_t struct_size;
    playhead_input_kind kind;
    /* The number of values that playhead_effect_set takes. */
    uint32_t value_count;
    /* 1 if minimum and maximum are valid. */
    int32_t has_range;
    float default_value[4];
    float minimum[4];
    float maximum[4];
    /* The name for playhead_effect_set. */
    char name[64];
    /* The name to display. */
    char label[128];
} playhead_input_info;

/* [any] Gets a description of an input. index counts from 0.
 * Errors: PLAYHEAD_NOT_FOUND after the last input. */
playhead_status playhead_effect_get_input(
    playhead_effect *effect, uint32_t index, playhead_input_info *info);

/* [any] Sets the values of an input. count must be the value_count of the input.
 * Errors: PLAYHEAD_NOT_FOUND if there is no such input; PLAYHEAD_EFFECT_WRONG_VALUE. */
playhead_status playhead_effect_set(
    playhead_effect *effect, const char *name, const float *values, uint32_t count);

/* [any] Gets the values of an input: as many as its value_count, but at most capacity.
 * Errors: PLAYHEAD_NOT_FOUND if there is no such input. */
playhead_status playhead_effect_get(
    playhead_effect *effect, const char *name, float *values, uint32_t capacity);

/* [any] Sets an image input to 8-bit RGBA pixels with straight alpha, top row first; NULL
 * removes the image.
 * Ownership: the pixels are copied.
 * Errors: PLAYHEAD_NOT_FOUND if there is no such input; PLAYHEAD_EFFECT_WRONG_VALUE if it is not
 * an image. */
playhead_status playhead_effect_set_image(
    playhead_effect *effect, const char *name, const void *pixels, int32_t width, int32_t height,
    int64_t bytes_per_row);

/* --- Audio -------------------------------------------------------------------------------- */

/* [any] Replaces the destination of audio. rate and channels are as in playhead_options.
 * Errors: PLAYHEAD_WRONG_STATE if media is open. */
playhead_status playhead_set_audio(
    playhead_player *player, playhead_audio_mode mode, int32_t rate, int32_t channels);

/* [audio] Reads the next frame_count sample frames of a PLAYHEAD_AUDIO_PULL player: interleaved
 * floats from -1 to 1. All samples are written; they are silent if nothing plays or the call fails.
 * Nothing is written if samples is NULL, the handle is invalid, or frame_count is greater than
 * 2^24.
 *
 * latency is the time until the first sample is heard, in nanoseconds; video is delayed to
 * match. With PLAYHEAD_CLOCK_TICK, latency is ignored: the first sample that is read has the time
 * of the clock at that call, and the samples of later calls continue from there. A call that
 * would read audio more than 50 ms ahead of the clock returns silence instead. That audio is not
 * lost: later calls return it once the clock has caught up. To write a file, read the audio for
 * each interval right before the playhead_tick that advances the clock by that interval.
 * Errors: PLAYHEAD_WRONG_STATE if the audio mode is not PLAYHEAD_AUDIO_PULL. */
playhead_status playhead_read_audio(
    playhead_player *player, float *samples, uint32_t frame_count, int64_t latency);

/* [any] Sets the volume: 0 is silence, 1 the volume of the media. Values above 1.3 are reduced
 * to 1.3; negative values are rejected. */
playhead_status playhead_set_volume(playhead_player *player, float volume);

/* [any] Mutes or unmutes audio. The volume does not change. */
playhead_status playhead_set_muted(playhead_player *player, int32_t is_muted);

/* --- Statistics --------------------------------------------------------------------------- */

typedef struct playhead_statistics {
    uint32_t struct_size;
    uint32_t reserved;
    /* The number of decoded frames, since the media was opened. */
    uint64_t decoded_frames;
    /* The number of frames that were not displayed in time, since the media was opened. */
    uint64_t dropped_frames;
    /* The number of packets and frames that could not be decoded, since the media was opened. */
    uint64_t decoding_errors;
    /* The number of times that audio was interrupted because samples were not available in time,
     * since the media was opened. */
    PLAYHEAD_ANONYMOUS union {
        uint64_t audio_underruns;
        uint64_t sound_underruns PLAYHEAD_DEPRECATED("audio_underruns");
    };
    /* The number of calls of playhead_render and playhead_acquire_texture that drew, since
     * the player was created. */
    uint64_t rendered;
    /* The number of these calls that drew a new frame. */
    uint64_t new_frames;
    /* The number of these calls whose frame was late. */
    uint64_t late;
    /* The time spent in these calls, in nanoseconds: the total, the longest call, and the parts
     * for uploads and for OpenGL state. */
    uint64_t render_duration;
    uint64_t longest_render;
    uint64_t upload_duration;
    uint64_t state_duration;
    /* The number of OpenGL textures, and of all OpenGL objects, that exist now. */
    uint32_t gl_textures;
    uint32_t gl_objects;
    /* The number of events that were dropped because the queue was full. */
    uint64_t lost_events;
} playhead_statistics;

/* [any] Gets statistics of playback and drawing. */
playhead_status playhead_get_statistics(
    playhead_player *player, playhead_statistics *statistics);

/* --- Recording ---------------------------------------------------------------------------- */

/* A writer, which records the frames and the audio of the host in a media file. It needs no
 * player. */
typedef struct playhead_writer playhead_writer;

/* Flags of playhead_writer_options.flags. */
enum {
    /* If there is a file at the path, the new file replaces it when it is complete. Without this
     * flag, playhead_writer_create fails with PLAYHEAD_FILE_EXISTS. */
    PLAYHEAD_WRITER_REPLACE = 1 << 0,
    /* MP4 and QuickTime files are written in fragments, each one second long. If the process is
     * killed, the temporary file, PATH.part, plays up to the last fragment. */
    PLAYHEAD_WRITER_FRAGMENTED = 1 << 1
};

typedef struct playhead_writer_options {
    uint32_t struct_size;
    uint32_t flags;
    /* The size of all frames, in pixels. Most codecs need even numbers. */
    int32_t width;
    int32_t height;
    /* "h264", "hevc", "av1", "vp9", "prores", "ffv1" (lossless), "dnxhr" or "mjpeg"; NULL selects
     * "h264". The extension of the path selects the container: .mp4, .mov, .mkv or .webm. */
    const char *codec;
    /* The encoder's preset, such as "veryfast"; NULL selects its default. */
    const char *preset;
    /* The mean bit rate of video, in bits per second; 0 selects a constant quality. */
    int64_t bit_rate;
    /* The usual duration of a frame; 0 selects 1/60 s. Frames need not have regular
     * intervals. */
    int64_t frame_duration;
    /* The constant rate factor, 1 to 63; lower values give a better quality. 0 selects the codec's
     * default. */
    int32_t rate_factor;
    /* For audio: the sample rate in Hz, 8000 to 192000, and the number of channels, 1 or 2. Both
     * are 0 for a file without audio. */
    int32_t audio_rate;
    int32_t audio_channels;
    uint32_t reserved;
} playhead_writer_options;

/* [any] Creates a file. It is written as PATH.part, and playhead_writer_finish renames it to PATH.
 * Blocks until the encoders are open, some tens of milliseconds.
 * Ownership: the caller owns the handle and destroys it with playhead_writer_destroy.
 * Errors: *writer is set to NULL. PLAYHEAD_FILE_EXISTS; PLAYHEAD_CANNOT_WRITE if the folder does
 * not exist or is not writable; PLAYHEAD_UNSUPPORTED_CODEC if FFmpeg lacks the encoder;
 * PLAYHEAD_UNSUPPORTED if the codec, size, format and container cannot be combined. */
playhead_status playhead_writer_create(
    const char *path, const playhead_writer_options *options, playhead_writer **writer);

/* [any] Destroys a writer. An unfinished file is removed; an older file at the path is kept. On
 * the thread of playhead_writer_gl_init, with its context current, the call deletes the OpenGL
 * objects; otherwise playhead_gl_collect deletes them. */
playhead_status playhead_writer_destroy(playhead_writer *writer);

/* [any] Sets the context that is current on the calling thread as the context of the writer, as
 * playhead_gl_init does for a player. The thread becomes the writer's render thread. Not needed for
 * frames in memory. */
playhead_status playhead_writer_gl_init(
    playhead_writer *writer, const playhead_gl_options *options);

/* [gl] Waits for frames that the GPU has not delivered, and deletes the OpenGL objects. */
playhead_status playhead_writer_gl_deinit(playhead_writer *writer);

/* Flags of playhead_writer_source.flags. */
enum {
    /* The first row, in OpenGL's order or in memory, is displayed at the top. Without this flag,
     * the first row is displayed at the bottom, as OpenGL draws. */
    PLAYHEAD_WRITER_TOP_FIRST = 1 << 0
};

/* A frame. If pixels is not NULL, the frame is in memory. If pixels is NULL, it is in a texture, or
 * in a framebuffer if texture is 0. Its size is that of playhead_writer_options. */
typedef struct playhead_writer_source {
    uint32_t struct_size;
    uint32_t flags;
    /* The time at which the frame is shown, on any clock of the host. PLAYHEAD_NO_TIME selects the
     * current time of CLOCK_MONOTONIC; do not mix it with times of another clock. The file
     * starts at the time of the first frame. Each time must be later than the previous one. */
    int64_t time;
    /* 8-bit RGBA; alpha is ignored. Read during the call. */
    const void *pixels;
    /* The distance from one row to the next. */
    int64_t bytes_per_row;
    /* The OpenGL name of a GL_TEXTURE_2D with a colour format, or 0. */
    uint32_t texture;
    /* The OpenGL name of a framebuffer, multisampled or not; 0 is the default framebuffer, before
     * its swap. */
    uint32_t framebuffer;
} playhead_writer_source;

/* Flags of playhead_writer_result.flags. */
enum {
    /* The frame was dropped, because the encoder or the GPU is behind, or because the previous
     * frame is less than about a millisecond earlier. The previous frame is shown for longer. */
    PLAYHEAD_WRITER_DROPPED = 1 << 0
};

typedef struct playhead_writer_result {
    uint32_t struct_size;
    uint32_t flags;
    /* The time spent on this thread, in nanoseconds. */
    int64_t duration;
} playhead_writer_result;

/* [any] for frames in memory, [gl] for textures and framebuffers. Records a frame as it is now. Its
 * colours are taken as BT.709. Never waits for an encoder or a disk: if they are behind, the frame
 * is dropped and counted. With a GPU, this call starts the transfer of the frame, and one of the
 * next calls copies the result; with software OpenGL, this call copies the frame. Does not
 * allocate. result may be NULL.
 * Errors: PLAYHEAD_INVALID_ARGUMENT if the time does not increase, or if there is no such
 * framebuffer or texture; PLAYHEAD_WRONG_STATE before playhead_writer_gl_init, and after
 * playhead_writer_finish; PLAYHEAD_DISK_FULL, PLAYHEAD_CANNOT_WRITE and others if the file could
 * not be written: no frame is recorded from then on. */
playhead_status playhead_writer_record(
    playhead_writer *writer, const playhead_writer_source *source,
    playhead_writer_result *result);

/* [any] Appends audio: interleaved samples, frame_count times the number of channels. In the
 * first call, time is the time of the first sample on the clock of the frames (PLAYHEAD_NO_TIME:
 * the current time of CLOCK_MONOTONIC). In later calls, time has no effect: the samples follow the
 * previous ones. Holds a lock while it copies, and does not allocate. If more than two seconds of
 * audio would wait to be encoded, the samples are dropped, counted and replaced by silence.
 * Errors: those of playhead_writer_record; PLAYHEAD_WRONG_STATE if the options have no audio. */
playhead_status playhead_writer_add_audio(
    playhead_writer *writer, const float *samples, uint32_t frame_count, int64_t time);

/* [any] Completes the file and renames it to its path. Blocks until then: for some seconds if the
 * encoder is slow. To keep frames that the GPU has not delivered yet, call this function on the
 * render thread, or call playhead_writer_gl_deinit first.
 * Errors: PLAYHEAD_DISK_FULL, PLAYHEAD_CANNOT_WRITE and others if the file could not be written;
 * in that case there is no new file. PLAYHEAD_WRONG_STATE if no frame was recorded. */
playhead_status playhead_writer_finish(playhead_writer *writer);

typedef struct playhead_writer_statistics {
    uint32_t struct_size;
    uint32_t reserved;
    /* The number of calls of playhead_writer_record that recorded the frame, and the number of
     * calls that dropped it. */
    uint64_t recorded_frames;
    uint64_t dropped_frames;
    /* The number of sample frames of audio that were dropped. */
    uint64_t dropped_samples;
    /* The time spent in playhead_writer_record, in nanoseconds: the total and the longest call. */
    uint64_t record_duration;
    uint64_t longest_record;
} playhead_writer_statistics;

/* [any] Gets statistics of recording. */
playhead_status playhead_writer_get_statistics(
    playhead_writer *writer, playhead_writer_statistics *statistics);

/* --- Names before 0.1 --------------------------------------------------------------------- */

/* Old names, which contain "sound" where the new names contain "audio". They are deprecated, and
 * will be removed in version 0.1. To compile without them now, define PLAYHEAD_NO_DEPRECATED. The
 * old names of fields are declared in their structures, and this definition does not remove
 * them. */
#ifndef PLAYHEAD_NO_DEPRECATED

typedef playhead_audio_mode playhead_sound_mode PLAYHEAD_DEPRECATED("playhead_audio_mode");

enum {
    PLAYHEAD_SOUND_DEVICE PLAYHEAD_DEPRECATED("PLAYHEAD_AUDIO_DEVICE") = PLAYHEAD_AUDIO_DEVICE,
    PLAYHEAD_SOUND_PULL PLAYHEAD_DEPRECATED("PLAYHEAD_AUDIO_PULL") = PLAYHEAD_AUDIO_PULL,
    PLAYHEAD_SOUND_NONE PLAYHEAD_DEPRECATED("PLAYHEAD_AUDIO_NONE") = PLAYHEAD_AUDIO_NONE,
    PLAYHEAD_NO_SOUND_DEVICE PLAYHEAD_DEPRECATED("PLAYHEAD_NO_AUDIO_DEVICE") =
        PLAYHEAD_NO_AUDIO_DEVICE,
    PLAYHEAD_MEDIA_HAS_SOUND PLAYHEAD_DEPRECATED("PLAYHEAD_MEDIA_HAS_AUDIO") =
        PLAYHEAD_MEDIA_HAS_AUDIO,
    PLAYHEAD_TRACK_SOUND PLAYHEAD_DEPRECATED("PLAYHEAD_TRACK_AUDIO") = PLAYHEAD_TRACK_AUDIO,
    PLAYHEAD_INPUT_SOUND PLAYHEAD_DEPRECATED("PLAYHEAD_INPUT_AUDIO") = PLAYHEAD_INPUT_AUDIO
};

/* [any] The old name of playhead_set_audio. */
PLAYHEAD_DEPRECATED("playhead_set_audio")
playhead_status playhead_set_sound(
    playhead_player *player, playhead_audio_mode mode, int32_t rate, int32_t channels);

/* [audio] The old name of playhead_read_audio. */
PLAYHEAD_DEPRECATED("playhead_read_audio")
playhead_status playhead_read_sound(
    playhead_player *player, float *samples, uint32_t frame_count, int64_t latency);

#endif

#ifdef __cplusplus
}
#endif

#endif /* PLAYHEAD_H */
