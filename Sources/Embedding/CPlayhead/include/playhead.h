/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Playhead: video for programs that have an OpenGL context and a loop of their own.
 *
 * OVERVIEW
 *
 * A player opens a film, decodes it on threads of its own, and has a picture for every moment. The
 * host asks for it whenever it draws: playhead_render draws the picture that is due into the host's
 * framebuffer, playhead_acquire_texture hands it out as a texture, playhead_map_frame and
 * playhead_copy_rgba hand it out in memory. No picture in time means the last one again, and a flag
 * that says so; nothing waits.
 *
 *     playhead_player *player = NULL;
 *     playhead_create(NULL, &player);
 *     playhead_gl_init(player, NULL);                        the context is current
 *     playhead_open(player, "film.mp4");
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
 * Nothing else has to be called. A host that wants to know more polls playhead_next_event once a
 * frame. A host with a clock of its own gives it by playhead_set_clock, one that mixes sound itself
 * fetches it by playhead_read_sound.
 *
 * THREADING
 *
 * Each function says in its first line where it may be called:
 *
 *     [any]     any thread, at any time, also while another thread calls the same player.
 *     [gl]      the thread on which playhead_gl_init was called for the player, with the context
 *               of then current. Elsewhere: PLAYHEAD_WRONG_THREAD, PLAYHEAD_NO_CONTEXT.
 *     [sound]   one thread, the host's mixer: it allocates nothing, and waits for nobody.
 *
 * No function may be called from a callback of this library (playhead_wakeup, playhead_log,
 * playhead_stream, playhead_clock): there all of them give PLAYHEAD_WRONG_THREAD.
 *
 * OpenGL is called on the host's threads only, within functions marked [gl], playhead_gl_init,
 * playhead_gl_collect and playhead_destroy. Those marked [gl] never wait for a
 * picture, a vsync, a fence, a file, or a lock that a decoder holds while it works.
 *
 * To move a context to another thread, call playhead_gl_deinit on the old one and playhead_gl_init
 * on the new one; the film goes on meanwhile.
 *
 * LIFECYCLE
 *
 * Players and effects are handles. They look like pointers, so that compilers tell one kind from
 * the other, but they are numbers that are never dereferenced: a handle that is NULL, was destroyed,
 * or is none at all gives PLAYHEAD_INVALID_HANDLE, in every function.
 *
 * playhead_destroy may be called at any moment: while a film opens, while another thread renders,
 * before or after the context is gone. Where OpenGL objects are left then, playhead_gl_collect
 * deletes them.
 *
 * CONVENTIONS
 *
 * Failure: functions return a playhead_status. PLAYHEAD_OK is 0, errors are negative, and
 * playhead_last_error has a sentence about the last one on the calling thread, with the remedy. What
 * a function was to write is left untouched when it fails, unless it says otherwise. What goes wrong
 * later, while a film plays, comes as an event.
 *
 * Ownership: everything handed in is copied or used up before the call returns, unless the function
 * says otherwise; everything handed out is written into the caller's memory.
 *
 * Structures begin with their size, which the caller sets: struct_size = sizeof the structure. What
 * later versions add comes at the end and is off when it is zero, so filling a structure with zeros
 * first is right in every version.
 *
 * Times are nanoseconds. A host time is what CLOCK_MONOTONIC reads; an item time is a place in the
 * film, from 0. Text is UTF-8.
 *
 * WHAT IT DOES NOT DO
 *
 * It installs no signal handler, changes no locale, calls no exit, touches no X error handler, and
 * writes nothing to standard output or standard error. It opens no window and makes no context.
 *
 * VERSIONS
 *
 * Functions and structures of PLAYHEAD_ABI_VERSION 1 stay as they are in every libplayhead.so.1. Structures
 * may become longer: the library takes them at every size that they have had, and never writes beyond
 * struct_size. Of a library that is older than the header, what it does not know stays as it is, so 0.
 */

#ifndef PLAYHEAD_H
#define PLAYHEAD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; playhead_abi_version has the library's. */
#define PLAYHEAD_ABI_VERSION 1

/* No time: of a stream without end, of a picture that is not there. */
#define PLAYHEAD_NO_TIME INT64_MIN

/* A film and everything around it. */
typedef struct playhead_player playhead_player;
/* An effect at work in a player, with values of its own. */
typedef struct playhead_effect playhead_effect;

/* --- Status ------------------------------------------------------------------------------- */

/* What a call came to. Codes are grouped by layer, and never change their meaning. */
typedef int32_t playhead_status;
enum {
    PLAYHEAD_OK = 0,
    /* There is nothing to be had: no event, no picture yet. Not an error. */
    PLAYHEAD_EMPTY = 1,

    /* The call itself. */
    PLAYHEAD_INVALID_ARGUMENT = -1,
    PLAYHEAD_INVALID_HANDLE = -2,
    PLAYHEAD_WRONG_THREAD = -3,
    PLAYHEAD_WRONG_STATE = -4,
    PLAYHEAD_UNSUPPORTED = -5,
    PLAYHEAD_OUT_OF_RESOURCES = -6,
    PLAYHEAD_NOT_FOUND = -7,

    /* The film. */
    PLAYHEAD_CANNOT_OPEN = -20,
    PLAYHEAD_UNKNOWN_FORMAT = -21,
    PLAYHEAD_DAMAGED = -22,
    PLAYHEAD_NO_PLAYABLE_TRACKS = -23,
    PLAYHEAD_UNSUPPORTED_CODEC = -24,
    PLAYHEAD_DECODING_FAILED = -25,
    PLAYHEAD_LIMIT_EXCEEDED = -26,
    PLAYHEAD_NOT_ALLOWED = -27,
    PLAYHEAD_CANCELLED = -28,
    PLAYHEAD_TIMED_OUT = -29,
    PLAYHEAD_NO_SUCH_FRAME = -30,

    /* OpenGL. */
    PLAYHEAD_NO_CONTEXT = -40,
    PLAYHEAD_GL_UNSUPPORTED = -41,
    PLAYHEAD_GL_FAILED = -42,
    /* The driver has lost the context: playhead_gl_forget, then playhead_gl_init in a new one. */
    PLAYHEAD_CONTEXT_LOST = -43,

    /* Effects. */
    PLAYHEAD_EFFECT_UNREADABLE = -60,
    PLAYHEAD_EFFECT_MALFORMED = -61,
    PLAYHEAD_EFFECT_NOT_COMPILED = -62,
    PLAYHEAD_EFFECT_WRONG_VALUE = -63,

    /* Sound. */
    PLAYHEAD_NO_SOUND_DEVICE = -80
};

/* --- Library ------------------------------------------------------------------------------ */

/* [any] The library's PLAYHEAD_ABI_VERSION. */
uint32_t playhead_abi_version(void);

/* [any] The library's version, such as "1.0.0". A constant. */
const char *playhead_version(void);

/* [any] The name of a status, such as "PLAYHEAD_WRONG_THREAD"; "unknown" for a code that is none.
 * A constant. */
const char *playhead_status_name(playhead_status status);

/* [any] What the last failing call on this thread had to say; empty as long as none has failed.
 * Never NULL. Ownership: valid on this thread until the next call fails, or the thread ends. */
const char *playhead_last_error(void);

typedef int32_t playhead_log_level;
enum {
    PLAYHEAD_LOG_ERROR = 0,
    PLAYHEAD_LOG_WARNING = 1,
    /* Nothing is said at this level yet. */
    PLAYHEAD_LOG_INFO = 2
};

/* Called on any thread with one line, without a line feed, valid during the call; what has several lines comes
 * in as many calls. */
typedef void (*playhead_log)(void *user, playhead_log_level level, const char *line);

/* [any] Has lines of a level and the graver ones sent to a callback, in place of the one before;
 * NULL, as at first, for nowhere. It may still be called until this returns. */
playhead_status playhead_set_log(playhead_log log, void *user, playhead_log_level level);

/* --- Players ------------------------------------------------------------------------------ */

/* What a player's time runs on. */
typedef int32_t playhead_clock_mode;
enum {
    /* The sound device's clock where a film has sound, else the machine's. */
    PLAYHEAD_CLOCK_OWN = 0,
    /* It stands until playhead_tick moves it: for a game's own time, and for rendering slower or
     * faster than real time. Sound is then pulled, or there is none. */
    PLAYHEAD_CLOCK_TICK = 1,
    /* A clock of the host's, which always goes on: see playhead_clock. */
    PLAYHEAD_CLOCK_EXTERNAL = 2
};

/* What the host's clock reads, or will read, in nanoseconds, when CLOCK_MONOTONIC reads host_time:
 * for walls of displays, and for programs that play to a sound card of their own.
 *
 * Called on any thread, the host's mixer included: it neither locks, allocates nor waits. It grows
 * with host_time, at about its rate. */
typedef int64_t (*playhead_clock)(void *user, int64_t host_time);

/* Where sound goes. */
typedef int32_t playhead_sound_mode;
enum {
    /* To PulseAudio or PipeWire; where there is none, films play without sound. */
    PLAYHEAD_SOUND_DEVICE = 0,
    /* To the host, which fetches it by playhead_read_sound. */
    PLAYHEAD_SOUND_PULL = 1,
    PLAYHEAD_SOUND_NONE = 2
};

typedef struct playhead_options {
    uint32_t struct_size;
    playhead_clock_mode clock_mode;
    playhead_sound_mode sound_mode;
    /* Of pulled sound, frames a second, 8000 to 192000; 0 for 48000. */
    int32_t sound_rate;
    /* Of pulled sound: 1 or 2; 0 for 2. */
    int32_t sound_channels;
    uint32_t reserved;
    /* For PLAYHEAD_CLOCK_EXTERNAL; called until the player is destroyed or its clock exchanged. */
    playhead_clock clock;
    void *clock_user;
} playhead_options;

/* [any] Makes a player. Nobody waits for a sound server: a film that is played before it has answered
 * begins when it has, after 2 s at the latest; without one it is silent, PLAYHEAD_EVENT_WARNING says
 * why, and sound comes in when there is one.
 * Ownership: the handle is the caller's, to be given back by playhead_destroy.
 * On failure *player is NULL. options may be NULL. */
playhead_status playhead_create(const playhead_options *options, playhead_player **player);

/* [any] Ends a player: its film is closed, its effects are gone, all their handles are stale. Waits
 * for callbacks that are just running, but those of a playhead_stream, and for a playhead_render on
 * another thread. OpenGL objects are deleted here where playhead_gl_deinit could be called here, else
 * by playhead_gl_collect. */
playhead_status playhead_destroy(playhead_player *player);

/* --- Media -------------------------------------------------------------------------------- */

/* [any] Begins to open a file or an http(s) address in place of what is open, and returns at once.
 * PLAYHEAD_EVENT_READY or PLAYHEAD_EVENT_ERROR tells how it went. Position 0, rate as it is. */
playhead_status playhead_open(playhead_player *player, const char *location);

/* [any] The same for an open file descriptor: a file, a pipe, a socket.
 * Ownership: takes a duplicate. name, which may be NULL, is what errors call it. */
playhead_status playhead_open_fd(playhead_player *player, int fd, const char *name);

/* [any] The same for a film in memory, which is copied. */
playhead_status playhead_open_memory(
    playhead_player *player, const void *bytes, size_t size, const char *name);

/* A film that the host reads: out of an archive, over a protocol of its own. */
typedef struct playhead_stream {
    uint32_t struct_size;
    uint32_t reserved;
    /* In bytes; -1 where nobody knows. */
    int64_t size;
    /* Reads up to capacity bytes from offset; gives how many, 0 at the end, -1 for an error. May
     * block. Called on threads of the player's, never two at once. */
    int64_t (*read)(void *user, void *buffer, size_t capacity, int64_t offset);
    /* Called once, on any thread, when nothing will be read any more; may be NULL. Where
     * playhead_open_stream fails, whatever the reason, it is called within, unless that finds no stream at
     * all: NULL, or a wrong struct_size. */
    void (*close)(void *user);
    void *user;
} playhead_stream;

/* [any] The same for a film that the host reads.
 * Ownership: the stream is the player's from the call on, also where that fails. Its functions may be
 * called until close has been: playhead_close and playhead_destroy do not wait for a read that blocks, so
 * what user points to is the stream's to keep until then. */
playhead_status playhead_open_stream(
    playhead_player *player, const playhead_stream *stream, const char *name);

/* [any] Bounds what films that are opened from now on may hold: packets that have been read, a quarter at
 * most, and decoded pictures that wait to be shown, that a seek may go back to, and that playing
 * backwards keeps. Four pictures of a kind are held in any case. 0, as at first, for a gigabyte, most
 * of which only playing backwards ever takes. What decoders need for themselves comes on top: about a
 * picture for each core. */
playhead_status playhead_set_memory_limit(playhead_player *player, uint64_t bytes);

/* [any] How much the film that is open holds of what playhead_set_memory_limit bounds. Pictures that wait
 * to be shown and are among those that a seek may go back to count twice. */
playhead_status playhead_get_held_bytes(playhead_player *player, uint64_t *bytes);

/* [any] Closes what is open, if anything is. The picture is gone with it. */
playhead_status playhead_close(playhead_player *player);

/* How numbers stand for colours: code points of ITU-T H.273, in which video is tagged everywhere. */
typedef struct playhead_color {
    /* Table 2: 1 BT.709, 9 BT.2020, 12 P3. 0 for BT.709. */
    int32_t primaries;
    /* Table 3: 1 BT.709, 8 linear light, 13 sRGB, 16 PQ, 18 HLG. 0 for BT.709. */
    int32_t transfer;
    /* What the display's white is, in candela per square metre: brighter films are tone mapped to
     * it. 0 for 203, or for no limit where transfer is 8 or 16. */
    float peak_luminance;
    /* In what is handed out: table 4; 0 for R'G'B'. */
    int32_t matrix;
} playhead_color;

/* Set in playhead_media_info.flags. */
enum {
    PLAYHEAD_MEDIA_HAS_VIDEO = 1 << 0,
    PLAYHEAD_MEDIA_HAS_SOUND = 1 << 1,
    PLAYHEAD_MEDIA_SEEKABLE = 1 << 2
};

typedef struct playhead_media_info {
    uint32_t struct_size;
    uint32_t flags;
    /* PLAYHEAD_NO_TIME where it is not known, as of live streams. */
    int64_t duration;
    /* Pixels of the picture as it is meant to be seen, turned upright, its pixels square. */
    int32_t width;
    int32_t height;
    /* Mean frames a second, 0 where unknown. */
    double frame_rate;
    /* Clockwise, in degrees, that the stored picture is turned by to be upright; already done in all
     * that is drawn. */
    int32_t rotation;
    uint32_t track_count;
    uint32_t chapter_count;
    /* Whether left and right of the stored picture are exchanged before it is turned: 0 or 1; already done
     * likewise. */
    int32_t is_mirrored;
    /* Of the film; what is drawn is of the target's. */
    playhead_color color;
    /* Such as "mov,mp4,m4a,3gp,3g2,mj2". */
    char container[64];
} playhead_media_info;

/* [any] What the film is. PLAYHEAD_WRONG_STATE until PLAYHEAD_EVENT_READY has come. */
playhead_status playhead_get_media_info(playhead_player *player, playhead_media_info *info);

typedef int32_t playhead_track_kind;
enum {
    PLAYHEAD_TRACK_VIDEO = 0,
    PLAYHEAD_TRACK_SOUND = 1,
    PLAYHEAD_TRACK_SUBTITLE = 2,
    PLAYHEAD_TRACK_OTHER = 3
};

typedef struct playhead_track_info {
    uint32_t struct_size;
    playhead_track_kind kind;
    /* Identifies it in its film. */
    int32_t identifier;
    /* Whether it is seen or heard: 0 or 1. */
    int32_t is_enabled;
    /* Of video. */
    int32_t width;
    int32_t height;
    double frame_rate;
    /* Of sound. */
    int32_t sample_rate;
    int32_t channel_count;
    char codec[32];
    /* BCP 47 or ISO 639, empty where unknown. */
    char language[32];
    char title[128];
} playhead_track_info;

/* [any] A track, by its place from 0. PLAYHEAD_NOT_FOUND beyond the last, PLAYHEAD_WRONG_STATE until
 * PLAYHEAD_EVENT_READY has come. */
playhead_status playhead_get_track_info(
    playhead_player *player, uint32_t index, playhead_track_info *info);

/* [any] Switches a track on or off, by its place. Another sound track takes the place of the one that
 * is heard, and other subtitles that of those that are seen; at first none are. PLAYHEAD_UNSUPPORTED for
 * tracks that are none of the three, else as playhead_get_track_info. */
playhead_status playhead_enable_track(playhead_player *player, uint32_t index, int32_t is_enabled);

typedef struct playhead_chapter_info {
    uint32_t struct_size;
    uint32_t reserved;
    int64_t start;
    int64_t end;
    char title[256];
} playhead_chapter_info;

/* [any] A chapter, by its place from 0. PLAYHEAD_NOT_FOUND beyond the last, PLAYHEAD_WRONG_STATE until
 * PLAYHEAD_EVENT_READY has come. */
playhead_status playhead_get_chapter_info(
    playhead_player *player, uint32_t index, playhead_chapter_info *info);

/* --- Subtitles ---------------------------------------------------------------------------- */

/* Subtitles that playhead_enable_track has switched on are drawn over the picture, and over its effects, by
 * playhead_render and playhead_acquire_texture, at the size at which the picture is seen: by a thread of the
 * library's and ahead of time, so that words which are not ready in time come with a later call. */

/* [any] Adds a file of subtitles (SubRip, ASS, WebVTT and what else FFmpeg knows, in any encoding) to the
 * film that is open: as one more track, after those that there are, and switched off. *index, which may be
 * NULL, gets its place. The index of a VobSub pair, whose pictures are in a .sub file beside it, adds one track
 * a language, and the place is that of the one that is shown by default. A file is read once it is switched
 * on; what is wrong with it is a PLAYHEAD_EVENT_WARNING then. PLAYHEAD_WRONG_STATE until PLAYHEAD_EVENT_READY
 * has come. */
playhead_status playhead_add_subtitles(
    playhead_player *player, const char *path, uint32_t *index);

/* [any] The same for a file in memory, which is copied. name, which may be NULL, is what errors call it;
 * its extension helps to tell formats apart. */
playhead_status playhead_add_subtitles_memory(
    playhead_player *player, const void *bytes, size_t size, const char *name, uint32_t *index);

typedef struct playhead_subtitle_style {
    uint32_t struct_size;
    /* Whether pictures are left without them, for hosts that show the words of playhead_get_subtitle_text
     * themselves: 0 or 1. */
    uint32_t is_hidden;
    /* By how many nanoseconds they come later than the film says; negative for earlier. */
    int64_t delay;
    /* By how much larger letters are than the film says, from 0.1 to 10; 0 for 1. */
    double scale;
    /* How much further up lines at the bottom stand, in hundredths of the picture's height. */
    double elevation;
} playhead_subtitle_style;

/* [any] Sets how subtitles are shown, of this film and of those that are opened later. */
playhead_status playhead_set_subtitle_style(
    playhead_player *player, const playhead_subtitle_style *style);

/* [any] Writes the words of the subtitles that are shown at a host time, 0 for now, without markup, lines
 * separated by line feeds, and ended by 0: cut off between two characters where there is not room for all.
 * *size, which may be NULL, gets how many bytes all of it takes; text may be NULL where capacity is 0.
 * PLAYHEAD_EMPTY where there are none, and for subtitles in pictures, which have no words. */
playhead_status playhead_get_subtitle_text(
    playhead_player *player, int64_t host_time, char *text, size_t capacity, size_t *size);

/* --- Transport ---------------------------------------------------------------------------- */

/* [any] Plays at the rate that was set last, at first 1: as soon as there are pictures and sound. */
playhead_status playhead_play(playhead_player *player);

/* [any] Halts. */
playhead_status playhead_pause(playhead_player *player);

/* [any] Sets the rate, -16 to 16; 0 halts. Counts at once while playing, else when it next plays. */
playhead_status playhead_set_rate(playhead_player *player, double rate);

typedef int32_t playhead_seek_mode;
enum {
    /* To the frame that is on display at the time. */
    PLAYHEAD_SEEK_EXACT = 0,
    /* To the keyframe at or before the time: fast, for scrubbing. */
    PLAYHEAD_SEEK_KEYFRAME = 1
};

/* [any] Moves to an item time, and returns at once; PLAYHEAD_EVENT_SEEKED tells when the picture is
 * there. A newer seek supersedes this one. The last picture stays until then.
 * PLAYHEAD_WRONG_STATE while nothing is open; the film's error where it has failed. */
playhead_status playhead_seek(playhead_player *player, int64_t time, playhead_seek_mode mode);

/* [any] Moves by whole frames while paused, back where count is negative; PLAYHEAD_STATE_SEEKING is set
 * until the last of them is there. While it plays, or waits to, it does nothing.
 * PLAYHEAD_WRONG_STATE while nothing is open; the film's error where it has failed. */
playhead_status playhead_step(playhead_player *player, int32_t count);

/* [any] Plays from start to end so many times more once end is reached; -1 for ever, 0 not. Backwards
 * it plays from end to start, once start is reached. end may be PLAYHEAD_NO_TIME for the film's; else no
 * picture that begins there or later is shown while it plays. Where it plays beyond a bound already, it
 * has been reached. After the last round the film goes on.
 * PLAYHEAD_INVALID_ARGUMENT for what is no loop: shorter than a millisecond, or outside of the film that
 * is open; a film that is opened later and lies outside of it ends as without. */
playhead_status playhead_set_loop(
    playhead_player *player, int32_t count, int64_t start, int64_t end);

/* Set in playhead_state.flags. */
enum {
    PLAYHEAD_STATE_ENDED = 1 << 0,
    PLAYHEAD_STATE_SEEKING = 1 << 1,
    PLAYHEAD_STATE_VISIBLE = 1 << 2,
    PLAYHEAD_STATE_GL = 1 << 3
};

typedef int32_t playhead_phase;
enum {
    PLAYHEAD_PHASE_EMPTY = 0,
    PLAYHEAD_PHASE_OPENING = 1,
    PLAYHEAD_PHASE_READY = 2,
    PLAYHEAD_PHASE_FAILED = 3
};

typedef int32_t playhead_transport;
enum {
    PLAYHEAD_PAUSED = 0,
    /* Told to play, but the first pictures or sound are still being decoded, or the next round of a loop
     * is about to begin. */
    PLAYHEAD_WAITING = 1,
    PLAYHEAD_PLAYING = 2
};

typedef struct playhead_state {
    uint32_t struct_size;
    playhead_phase phase;
    playhead_transport transport;
    uint32_t flags;
    /* At which it plays, or waits to; 0 while it is paused. */
    double rate;
    /* Item time now. */
    int64_t position;
    int64_t duration;
    /* -1 for ever. */
    int32_t loops_left;
    /* Why it failed. */
    playhead_status failure;
} playhead_state;

/* [any] How things are. */
playhead_status playhead_get_state(playhead_player *player, playhead_state *state);

/* --- Time --------------------------------------------------------------------------------- */

/* [any] Changes what time runs on. clock and user are for PLAYHEAD_CLOCK_EXTERNAL. What the player was
 * told before, to play for one, holds.
 * PLAYHEAD_WRONG_STATE while something is open. */
playhead_status playhead_set_clock(
    playhead_player *player, playhead_clock_mode mode, playhead_clock clock, void *user);

/* [any] Moves a PLAYHEAD_CLOCK_TICK on by so many nanoseconds, at least 0: usually the time since the
 * last frame of the game. Times of the film follow by its rate. */
playhead_status playhead_tick(playhead_player *player, int64_t delta);

/* [any] Plays so that the film reads item_time when CLOCK_MONOTONIC, or the host's clock, or the one
 * that is ticked, which begins at 0, reads clock_time, and goes on from there at its rate: any number of
 * players given the same pair stay together. The rate is that of playhead_set_rate, and not 0.
 * PLAYHEAD_WRONG_STATE while nothing is open; the film's error where it has failed. */
playhead_status playhead_start_at(
    playhead_player *player, double rate, int64_t item_time, int64_t clock_time);

/* [any] Waits until the film is open and the picture for the present time is decoded, at most so
 * many nanoseconds: PLAYHEAD_TIMED_OUT after that, PLAYHEAD_EMPTY where there will be none,
 * PLAYHEAD_WRONG_STATE while nothing is open.
 *
 * For rendering on a PLAYHEAD_CLOCK_TICK that must not miss a picture, and for thumbnails. This is
 * the one function that waits for decoding: a game does not call it. next_time, which may be NULL,
 * gets the time of the picture after it, or PLAYHEAD_NO_TIME. Subtitles that have been drawn before are
 * waited for, too; and so, on a PLAYHEAD_CLOCK_TICK, is sound that is pulled while a film plays: as much as
 * ticks of half a second take. */
playhead_status playhead_wait_for_frame(
    playhead_player *player, int64_t timeout, int64_t *next_time);

/* [any] Tells when the host's display shows something new, and its period, so that playback starts
 * with a vsync: that of the film that is open, PLAYHEAD_WRONG_STATE while nothing is. period 0 for no
 * display. */
playhead_status playhead_report_swap(playhead_player *player, int64_t host_time, int64_t period);

/* --- Events ------------------------------------------------------------------------------- */

typedef int32_t playhead_event_type;
enum {
    PLAYHEAD_EVENT_NONE = 0,
    /* The film is open: playhead_get_media_info works. */
    PLAYHEAD_EVENT_READY = 1,
    /* The film cannot be played, or not to its end; status and text say why. */
    PLAYHEAD_EVENT_ERROR = 2,
    /* Something could not be read, decoded, drawn or heard; playback goes past it. */
    PLAYHEAD_EVENT_WARNING = 3,
    /* The picture's size has changed: value is width << 32 | height. */
    PLAYHEAD_EVENT_SIZE = 4,
    /* value is the playhead_transport. */
    PLAYHEAD_EVENT_TRANSPORT = 5,
    /* A seek has landed. value is the time that was asked for; status is PLAYHEAD_CANCELLED where a newer
     * one came first, and the error where the film has failed, or cannot be read there. */
    PLAYHEAD_EVENT_SEEKED = 6,
    /* value counts the rounds so far. */
    PLAYHEAD_EVENT_LOOPED = 7,
    /* The end has been reached, and no round is left. */
    PLAYHEAD_EVENT_ENDED = 8,
    /* Other tracks are seen or heard. */
    PLAYHEAD_EVENT_TRACKS = 9
};

typedef struct playhead_event {
    uint32_t struct_size;
    playhead_event_type type;
    playhead_status status;
    uint32_t reserved;
    /* Item time when it happened; PLAYHEAD_NO_TIME before the film is open. */
    int64_t time;
    int64_t value;
    /* For people; cut off between two characters where it is longer. */
    char text[256];
} playhead_event;

/* [any] Takes the oldest event; PLAYHEAD_EMPTY where there is none. At most 64 wait: of sizes,
 * tracks, transports and warnings only the newest of each then, while nothing else is ever lost before what
 * is older. What waits of a film goes with it when it is closed or another one is opened, but for
 * errors and transports. */
playhead_status playhead_next_event(playhead_player *player, playhead_event *event);

/* Called on a thread of the library's, never within a call of yours, when there is something to look at: an
 * event or a new picture. It says nothing else, and must not call this library. For the next picture it is
 * called once this one has been asked for, by playhead_render, playhead_acquire_texture, playhead_map_frame
 * or playhead_copy_rgba, or playhead_has_new_frame has said that there is none. Drawing while the player is
 * hidden asks for none. */
typedef void (*playhead_wakeup)(void *user);

/* [any] Sets the callback, NULL for none. Once this has returned, the one before is not called any
 * more. */
playhead_status playhead_set_wakeup(playhead_player *player, playhead_wakeup wakeup, void *user);

/* --- OpenGL ------------------------------------------------------------------------------- */

/* What becomes of the host's OpenGL state around each function marked [gl]. */
typedef int32_t playhead_gl_state_mode;
enum {
    /* Everything that is touched is asked for before and put back after. */
    PLAYHEAD_GL_RESTORE_ALL = 0,
    /* The host has OpenGL's defaults set, and finds them: nothing is asked for. Viewport, clear
     * colour, blend function and pixel store alignment are set by the host before it needs them. */
    PLAYHEAD_GL_ASSUME_DEFAULT = 1,
    /* The host sets what it needs anew; what is bound afterwards is not said. */
    PLAYHEAD_GL_HOST_RESETS = 2
};

typedef struct playhead_gl_options {
    uint32_t struct_size;
    playhead_gl_state_mode state_mode;
    /* The first texture unit that is used; up to 16 from there on are. */
    int32_t texture_unit_base;
    uint32_t reserved;
    /* How the host finds OpenGL's functions, such as eglGetProcAddress; may be NULL. It is asked, now
     * only, for glGetString, to make sure that host and library mean the same OpenGL: functions are
     * found through libepoxy, in the EGL or GLX context that is current. */
    void *(*get_proc)(void *user, const char *name);
    void *get_proc_user;
} playhead_gl_options;

/* [any] Makes the context that is current on this thread, OpenGL 3.3 or later or OpenGL ES 3.0 or later,
 * the one that the player draws in; PLAYHEAD_GL_UNSUPPORTED for any other. Shaders are compiled when
 * they are first needed.
 * options may be NULL. PLAYHEAD_WRONG_STATE where the player has one already. */
playhead_status playhead_gl_init(playhead_player *player, const playhead_gl_options *options);

/* [gl] Deletes everything that the player made in its context, textures handed out included; the film
 * plays on. */
playhead_status playhead_gl_deinit(playhead_player *player);

/* [any] The same for a context that is gone, or is about to go without being current: nothing is
 * deleted, and OpenGL is not called. */
playhead_status playhead_gl_forget(playhead_player *player);

/* [any] Deletes what players that were destroyed have left in the context that is current on the
 * calling thread, where they had been initialised here. To be called before the context goes;
 * *count, which may be NULL, gets how many objects there were. */
playhead_status playhead_gl_collect(int32_t *count);

typedef int32_t playhead_fit;
enum {
    /* As large as fits, the rest being background. */
    PLAYHEAD_FIT_CONTAIN = 0,
    /* Fills the rectangle, cut at the sides. */
    PLAYHEAD_FIT_COVER = 1,
    PLAYHEAD_FIT_STRETCH = 2
};

/* For playhead_target.flags. */
enum {
    /* The row that OpenGL calls the bottom one is shown at the top. */
    PLAYHEAD_TARGET_FLIPPED = 1 << 0,
    /* Nothing is drawn where it would look as it did the last time: then the result says
     * PLAYHEAD_RENDER_SKIPPED. */
    PLAYHEAD_TARGET_IF_CHANGED = 1 << 1
};

/* Where to draw. */
typedef struct playhead_target {
    uint32_t struct_size;
    /* OpenGL's name of a framebuffer with a colour attachment; 0 for the window's. When it is first drawn to
     * in a size it is looked at: PLAYHEAD_INVALID_ARGUMENT for one that is not there, PLAYHEAD_GL_FAILED for
     * one that is incomplete. */
    uint32_t framebuffer;
    /* Its size, in pixels. */
    int32_t framebuffer_width;
    int32_t framebuffer_height;
    /* The rectangle that is drawn to, in pixels from the top left corner as it is shown. All of the
     * framebuffer where width and height are 0. Nothing is drawn outside of it. */
    int32_t x;
    int32_t y;
    int32_t width;
    int32_t height;
    playhead_fit fit;
    uint32_t flags;
    /* What the framebuffer's numbers stand for. They are written as they are: GL_FRAMEBUFFER_SRGB is
     * off meanwhile. */
    playhead_color color;
    /* Bits of a channel, to which finer films are dithered: 0 for 8, -1 for floats. */
    int32_t bit_depth;
    uint32_t reserved;
    /* Red, green, blue and alpha, not premultiplied, behind the picture; with alpha 0 what is there
     * stays. */
    float background[4];
    /* When it will be seen; 0 for now. On a PLAYHEAD_CLOCK_TICK of no meaning. */
    int64_t host_time;
} playhead_target;

/* Set in playhead_render_result.flags. */
enum {
    /* Another picture than the last time. */
    PLAYHEAD_RENDER_NEW_FRAME = 1 << 0,
    /* There has been no picture yet: the background was drawn, if anything. */
    PLAYHEAD_RENDER_NO_FRAME = 1 << 1,
    /* The picture that is due has not been decoded yet, or, on software OpenGL, not converted; this
     * is the one before. */
    PLAYHEAD_RENDER_LATE = 1 << 2,
    /* Nothing was drawn: nothing had changed, and only changes were asked for. */
    PLAYHEAD_RENDER_SKIPPED = 1 << 3,
    /* Nothing was drawn: the player is hidden. */
    PLAYHEAD_RENDER_HIDDEN = 1 << 4
};

typedef struct playhead_render_result {
    uint32_t struct_size;
    uint32_t flags;
    /* When display of the picture begins; PLAYHEAD_NO_TIME without one. */
    int64_t frame_time;
    /* The item time that was asked for. */
    int64_t item_time;
    /* Nanoseconds on this thread: handing the picture to OpenGL, drawing, and keeping state. */
    int64_t upload_duration;
    int64_t draw_duration;
    int64_t state_duration;
} playhead_render_result;

/* [gl] Draws the picture that is due. Never waits; in steady playback, never allocates.
 * result may be NULL. */
playhead_status playhead_render(
    playhead_player *player, const playhead_target *target, playhead_render_result *result);

/* [any] Whether playhead_render would draw something new for the present moment, a host_time of 0, or on
 * a PLAYHEAD_CLOCK_TICK what has been ticked: *is_new gets 0 or 1. That is another
 * picture, or the same through effects that have been added, taken away, switched or set since, or that
 * move by themselves, or with other subtitles, or into another context than before, or nothing where a film has been closed. 0 while
 * the player is hidden. */
playhead_status playhead_has_new_frame(playhead_player *player, int32_t *is_new);

/* For playhead_texture_request.flags. */
enum {
    /* Row 0 of the texture is the picture's bottom row, as OpenGL counts; else its top row. */
    PLAYHEAD_TEXTURE_BOTTOM_FIRST = 1 << 0
};

typedef struct playhead_texture_request {
    uint32_t struct_size;
    uint32_t flags;
    /* In texels; 0 for the picture's own size. */
    int32_t width;
    int32_t height;
    /* What its numbers are to stand for. */
    playhead_color color;
    /* 8, 10, or -1 for half floats; 0 for 8. */
    int32_t bit_depth;
    uint32_t reserved;
    int64_t host_time;
} playhead_texture_request;

/* A texture with the picture in it, effects applied, subtitles over it. */
typedef struct playhead_texture {
    uint32_t struct_size;
    /* OpenGL's name, a GL_TEXTURE_2D without mipmaps. */
    uint32_t name;
    uint32_t internal_format;
    int32_t width;
    int32_t height;
    /* Colour is multiplied by alpha. */
    int32_t is_premultiplied;
    /* Row 0 is the picture's top row. */
    int32_t is_top_first;
    /* As in playhead_render_result. */
    uint32_t flags;
    playhead_color color;
    int64_t frame_time;
    /* To give it back with. */
    uint64_t lease;
    /* Grows when textures are made anew, of another size or format. Until then there are three. One
     * that is out then stays as it is until it is given back. */
    uint32_t generation;
    uint32_t reserved;
} playhead_texture;

/* [gl] Hands out the picture that is due as a texture, which does not change until it is given back:
 * the host may read frame N while frame N + 1 is drawn. PLAYHEAD_EMPTY while there is no picture,
 * PLAYHEAD_OUT_OF_RESOURCES where three of the present generation are out already.
 * request may be NULL. Ownership: the texture stays the player's; it is valid until it is given back,
 * or playhead_gl_deinit. */
playhead_status playhead_acquire_texture(
    playhead_player *player, const playhead_texture_request *request, playhead_texture *texture);

/* [gl] Gives a texture back. fence is a GLsync after which it is no longer read, or NULL where all
 * reading has been issued in this context already. It is polled, never waited for.
 * Ownership: the fence becomes the player's, which deletes it; on failure it stays the host's. */
playhead_status playhead_release_texture(playhead_player *player, uint64_t lease, void *fence);

/* [any] Whether anybody sees the player. While hidden, nothing is uploaded and no effect is drawn;
 * sound and time go on. The first picture afterwards is the one that is due: while a seek is under way
 * then there is none, rather than the one from before. At first it is visible. */
playhead_status playhead_set_visible(playhead_player *player, int32_t is_visible);

/* --- Pictures in memory ------------------------------------------------------------------- */

typedef struct playhead_plane {
    /* The first byte of the top row. */
    const void *data;
    /* From one row to the next; may be negative. */
    int64_t bytes_per_row;
    /* In samples. */
    int32_t width;
    int32_t height;
} playhead_plane;

/* A decoded picture as it is, nothing converted. */
typedef struct playhead_frame {
    uint32_t struct_size;
    uint32_t plane_count;
    playhead_plane planes[4];
    /* Stored size, before rotation and pixel aspect. */
    int32_t width;
    int32_t height;
    /* Clockwise, in degrees, that it is turned by to be upright, after is_mirrored. */
    int32_t rotation;
    /* Whether luma and chroma use all numbers: 0 or 1. */
    int32_t is_full_range;
    playhead_color color;
    int64_t frame_time;
    /* To give it back with. */
    uint64_t lease;
    /* FFmpeg's name of the pixel format, such as "yuv420p". */
    char format[32];
    /* Whether left and right are exchanged before it is turned: 0 or 1. Added: a structure that ends before
     * it is still one. */
    int32_t is_mirrored;
    uint32_t reserved;
} playhead_frame;

/* [any] Hands out the picture of a host time, 0 for now, as it lies in the decoder's memory.
 * PLAYHEAD_EMPTY while there is none; at most 8 at a time.
 * Ownership: valid until it is given back by playhead_unmap_frame, also when the film is closed, but
 * not when the player is destroyed. Decoders have few: give it back soon. */
playhead_status playhead_map_frame(
    playhead_player *player, int64_t host_time, playhead_frame *frame);

/* [any] Gives a picture back. */
playhead_status playhead_unmap_frame(playhead_player *player, uint64_t lease);

/* [any] Writes the picture of a host time, 0 for now, as R'G'B' of 8 bits with alpha, straight, upright,
 * its top row first, scaled to width x height: for programs without OpenGL. Its colours are those that
 * playhead_render draws for a display of standard range (BT.709, 203 cd/m2): PQ and HLG are tone mapped,
 * and wider gamuts brought to its own. Effects and subtitles are not applied. Works on every format that
 * playhead_render draws: takes milliseconds for planar Y'CbCr of 8 to 14 bits and NV12, which nearly all
 * films are, tens of them for others, and up to a second for those of the others whose colours are worked
 * out by way of light (PQ, HLG, ICtCp, constant luminance).
 * PLAYHEAD_EMPTY while there is no picture. frame_time may be NULL. */
playhead_status playhead_copy_rgba(
    playhead_player *player, int64_t host_time, void *pixels, int32_t width, int32_t height,
    int64_t bytes_per_row, int64_t *frame_time);

/* --- Planes in shaders of the host's ------------------------------------------------------ */

/* A texture that a plane of a playhead_frame goes to. */
typedef struct playhead_view {
    /* Which of playhead_frame.planes. */
    int32_t plane;
    /* In texels. */
    int32_t width;
    int32_t height;
    int32_t bytes_per_texel;
    /* For glTexImage2D. */
    uint32_t internal_format;
    uint32_t format;
    uint32_t type;
    /* For GL_TEXTURE_SWIZZLE_RGBA. */
    int32_t swizzle[4];
} playhead_view;

/* How the samples of a picture become colours: uniforms of playhead_sampling_source. */
typedef struct playhead_sampling {
    uint32_t struct_size;
    /* Textures: playhead_view0 and on. */
    uint32_t view_count;
    playhead_view views[4];
    /* playhead_color_views: the first one, two or three of them hold colour. */
    int32_t color_view_count;
    /* playhead_has_alpha: the next one holds alpha, in 1: the whole range of its texture, else in so
     * many of the lower bits of 16. 0: none of them does. */
    int32_t has_alpha_view;
    /* playhead_matrix, column after column, and playhead_offset. */
    float matrix[9];
    float offset[3];
    /* playhead_chroma: where chroma is for a place in the picture, scale and then offset. */
    float chroma[4];
} playhead_sampling;

/* [any] What the textures and uniforms have to be for a picture that is out: for hosts that upload
 * planes themselves, and sample them in shaders of their own. Pictures of one film differ in it only
 * where its format, size or colour changes.
 * PLAYHEAD_UNSUPPORTED for formats that are no textures of OpenGL 3.3 (OpenGL ES has those of 16
 * bits by GL_EXT_texture_norm16 only), and for ICtCp and BT.2020 with constant luminance, which no
 * matrix converts. */
playhead_status playhead_get_sampling(
    playhead_player *player, uint64_t lease, playhead_sampling *sampling);

/* [any] GLSL of OpenGL 3.3, and of OpenGL ES 3.0, for the host's fragment shader: it declares the
 * uniforms, and
 *     vec4 playhead_sample(vec2 coordinate)
 * which gives R'G'B' and alpha of the stored picture, 0, 0 being its top left corner, as the film has
 * them (playhead_frame.color): not clamped, not tone mapped, alpha as it is stored. Textures are
 * filtered linearly and clamped to their edges. A constant. */
const char *playhead_sampling_source(void);

/* --- Effects ------------------------------------------------------------------------------ */

/* [any] How many effects are built in. */
uint32_t playhead_effect_library_count(void);

/* [any] The name of a built-in effect, from 0; NULL beyond the last. A constant. */
const char *playhead_effect_library_name(uint32_t index);

/* [any] Adds an effect behind those that the player has: a built-in one by its name, or a file in any
 * of the formats (ISF, Shadertoy, GLSL, .cube and others) by its path. Reads the file, and pictures
 * that come with it and lie in its folder; the shader is compiled when it is first drawn, and where
 * that fails, PLAYHEAD_EVENT_WARNING has the compiler's lines and the picture goes on without it.
 * Ownership: the handle is the caller's, to be given back by playhead_effect_remove or with the
 * player. On failure *effect is NULL. */
playhead_status playhead_effect_add(
    playhead_player *player, const char *name, playhead_effect **effect);

/* [any] The same for the text of an ISF file; name is what errors call it. Pictures that it imports
 * are transparent, since there is no folder that they lie in. */
playhead_status playhead_effect_add_source(
    playhead_player *player, const char *text, const char *name, playhead_effect **effect);

/* [any] Takes an effect away. Its handle is stale afterwards. */
playhead_status playhead_effect_remove(playhead_effect *effect);

/* [any] Switches an effect on or off. */
playhead_status playhead_effect_set_enabled(playhead_effect *effect, int32_t is_enabled);

typedef int32_t playhead_input_kind;
enum {
    /* 0 values: true for one frame after it was set. */
    PLAYHEAD_INPUT_EVENT = 0,
    /* 1 value, 0 or 1. */
    PLAYHEAD_INPUT_BOOL = 1,
    /* 1 value, a whole number. */
    PLAYHEAD_INPUT_LONG = 2,
    PLAYHEAD_INPUT_FLOAT = 3,
    /* 2 values. */
    PLAYHEAD_INPUT_POINT = 4,
    /* 4 values: red, green, blue, alpha, from 0 to 1. */
    PLAYHEAD_INPUT_COLOR = 5,
    /* Set by playhead_effect_set_image. */
    PLAYHEAD_INPUT_IMAGE = 6,
    /* The film's own, where it is heard or fetched. */
    PLAYHEAD_INPUT_SOUND = 7
};

typedef struct playhead_input_info {
    uint32_t struct_size;
    playhead_input_kind kind;
    uint32_t value_count;
    /* Whether minimum and maximum say anything: 0 or 1. */
    int32_t has_range;
    float default_value[4];
    float minimum[4];
    float maximum[4];
    char name[64];
    char label[128];
} playhead_input_info;

/* [any] An input of an effect, by its place from 0. PLAYHEAD_NOT_FOUND beyond the last. */
playhead_status playhead_effect_get_input(
    playhead_effect *effect, uint32_t index, playhead_input_info *info);

/* [any] Sets an input: as many values as its kind has. */
playhead_status playhead_effect_set(
    playhead_effect *effect, const char *name, const float *values, uint32_t count);

/* [any] Reads an input: as many values as its kind has, at most capacity, written to values. */
playhead_status playhead_effect_get(
    playhead_effect *effect, const char *name, float *values, uint32_t capacity);

/* [any] Sets an input that is a picture: straight R'G'B'A of 8 bits, top row first, which is copied;
 * NULL for none. */
playhead_status playhead_effect_set_image(
    playhead_effect *effect, const char *name, const void *pixels, int32_t width, int32_t height,
    int64_t bytes_per_row);

/* --- Sound -------------------------------------------------------------------------------- */

/* [any] Changes where sound goes; rate and channels as in playhead_options.
 * PLAYHEAD_WRONG_STATE while something is open. */
playhead_status playhead_set_sound(
    playhead_player *player, playhead_sound_mode mode, int32_t rate, int32_t channels);

/* [sound] Fetches the next frames of pulled sound, interleaved floats from -1 to 1. All of them are
 * written, silence where nothing plays, also on failure unless samples is NULL, the handle is stale, or
 * there are more than 2^24 of them.
 * latency is how long it will take until the first of them is heard, in nanoseconds: pictures follow
 * it. On a PLAYHEAD_CLOCK_TICK it is of no meaning: the first frames begin at the time that has been ticked by
 * then, others follow on them, and where they would begin more than 50 ms later than has been ticked, silence
 * comes instead until it has. Who writes files fetches those of a tick right before it. */
playhead_status playhead_read_sound(
    playhead_player *player, float *samples, uint32_t frame_count, int64_t latency);

/* [any] Loudness: 0 silence, 1 as it is; more than 1.3 is 1.3, less than 0 is refused. */
playhead_status playhead_set_volume(playhead_player *player, float volume);

/* [any] Silence, without losing the volume. */
playhead_status playhead_set_muted(playhead_player *player, int32_t is_muted);

/* --- Statistics --------------------------------------------------------------------------- */

typedef struct playhead_statistics {
    uint32_t struct_size;
    uint32_t reserved;
    /* Of the film that is open: frames out of the decoder, frames that nobody took in time, packets
     * and frames that could not be decoded, blocks of sound that came too late. */
    uint64_t decoded_frames;
    uint64_t dropped_frames;
    uint64_t decoding_errors;
    uint64_t sound_underruns;
    /* Of the player: calls of playhead_render and playhead_acquire_texture that drew, those among
     * them with a new picture, and those whose picture was not decoded in time. */
    uint64_t rendered;
    uint64_t new_frames;
    uint64_t late;
    /* Nanoseconds in those calls: all of them together, and the longest. */
    uint64_t render_duration;
    uint64_t longest_render;
    uint64_t upload_duration;
    uint64_t state_duration;
    /* OpenGL objects that are alive. */
    uint32_t gl_textures;
    uint32_t gl_objects;
    /* Events that found no room. */
    uint64_t lost_events;
} playhead_statistics;

/* [any] What playing has come to. */
playhead_status playhead_get_statistics(
    playhead_player *player, playhead_statistics *statistics);

#ifdef __cplusplus
}
#endif

#endif /* PLAYHEAD_H */
