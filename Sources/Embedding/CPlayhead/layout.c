/* SPDX-License-Identifier: Apache-2.0 */

#include "playhead.h"

/* Structures of ABI version 1 grow at their ends only, and their fields do not move, so that a
 * program that was built with this header runs with every libplayhead.so.1. Sizes are those of
 * 64-bit machines. */
#if defined(__LP64__)
_Static_assert(sizeof(playhead_options) == 40, "playhead_options");
_Static_assert(sizeof(playhead_stream) == 40, "playhead_stream");
_Static_assert(sizeof(playhead_color) == 16, "playhead_color");
_Static_assert(sizeof(playhead_media_info) == 128, "playhead_media_info");
_Static_assert(sizeof(playhead_track_info) == 232, "playhead_track_info");
_Static_assert(sizeof(playhead_chapter_info) == 280, "playhead_chapter_info");
_Static_assert(sizeof(playhead_subtitle_style) == 32, "playhead_subtitle_style");
_Static_assert(sizeof(playhead_state) == 48, "playhead_state");
_Static_assert(sizeof(playhead_event) == 288, "playhead_event");
_Static_assert(sizeof(playhead_gl_options) == 32, "playhead_gl_options");
_Static_assert(sizeof(playhead_target) == 88, "playhead_target");
_Static_assert(sizeof(playhead_render_result) == 48, "playhead_render_result");
_Static_assert(sizeof(playhead_texture_request) == 48, "playhead_texture_request");
_Static_assert(sizeof(playhead_texture) == 72, "playhead_texture");
_Static_assert(sizeof(playhead_plane) == 24, "playhead_plane");
_Static_assert(sizeof(playhead_frame) == 192, "playhead_frame");
_Static_assert(offsetof(playhead_frame, is_mirrored) == 184, "playhead_frame as it was at first");
_Static_assert(sizeof(playhead_view) == 44, "playhead_view");
_Static_assert(sizeof(playhead_sampling) == 256, "playhead_sampling");
_Static_assert(sizeof(playhead_input_info) == 256, "playhead_input_info");
_Static_assert(sizeof(playhead_statistics) == 112, "playhead_statistics");

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define SAME_PLACE(type, field, old)                                                    \
    _Static_assert(offsetof(type, field) == offsetof(type, old), #old " is not " #field)
SAME_PLACE(playhead_options, audio_mode, sound_mode);
SAME_PLACE(playhead_options, audio_rate, sound_rate);
SAME_PLACE(playhead_options, audio_channels, sound_channels);
SAME_PLACE(playhead_statistics, audio_underruns, sound_underruns);
_Static_assert(offsetof(playhead_options, audio_mode) == 8, "playhead_options.audio_mode");
_Static_assert(offsetof(playhead_options, clock) == 24, "playhead_options.clock");
_Static_assert(offsetof(playhead_statistics, audio_underruns) == 32, "audio_underruns");
#endif
