// SPDX-License-Identifier: Apache-2.0
// FFmpeg 5.1 and later. The inline accessors in this file are only for function-like macros and
// cast macros, which Swift does not import, and for fields that moved between versions.
#pragma once
#if !__has_include(<libavformat/avformat.h>)
#error "FFmpeg is missing: Scripts/install-dependencies installs it"
#endif
// Deprecation warnings are off, because they are of no use to people who build with a newer FFmpeg:
// a deprecated function works, and older versions often have no replacement. A function that a
// version has removed is still an error.
#include <libavutil/attributes.h>
#undef attribute_deprecated
#define attribute_deprecated
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/aes.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/cpu.h>
#include <libavutil/display.h>
#include <libavutil/dovi_meta.h>
#include <libavutil/intreadwrite.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/md5.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libavutil/sha.h>
#include <libavutil/spherical.h>
#include <libavutil/stereo3d.h>
#include <libswresample/swresample.h>

#if LIBAVCODEC_VERSION_INT < AV_VERSION_INT(59, 37, 100)
#error "FFmpeg 5.1 or later is required; Debian 12 and Ubuntu 24.04 have it"
#endif

static inline int64_t ph_AV_NOPTS_VALUE(void) { return AV_NOPTS_VALUE; }
static inline int ph_AVERROR(int error) { return AVERROR(error); }
static inline int ph_AVERROR_EOF(void) { return AVERROR_EOF; }
static inline int ph_AVERROR_EXIT(void) { return AVERROR_EXIT; }
static inline int ph_AVERROR_INVALIDDATA(void) { return AVERROR_INVALIDDATA; }
static inline int ph_AVERROR_DECODER_NOT_FOUND(void) { return AVERROR_DECODER_NOT_FOUND; }
static inline int ph_AVERROR_PATCHWELCOME(void) { return AVERROR_PATCHWELCOME; }
static inline int ph_AVERROR_HTTP_NOT_FOUND(void) { return AVERROR_HTTP_NOT_FOUND; }
static inline int ph_AVERROR_HTTP_FORBIDDEN(void) { return AVERROR_HTTP_FORBIDDEN; }
static inline int ph_AVERROR_HTTP_UNAUTHORIZED(void) { return AVERROR_HTTP_UNAUTHORIZED; }
static inline int ph_AVERROR_HTTP_SERVER_ERROR(void) { return AVERROR_HTTP_SERVER_ERROR; }
static inline int ph_AVERROR_PROTOCOL_NOT_FOUND(void) { return AVERROR_PROTOCOL_NOT_FOUND; }

// Allows a decoder to call its callbacks on its own threads. FFmpeg 6.0 removed the field and
// always allows it.
static inline void ph_codec_allow_callbacks_on_threads(AVCodecContext *context) {
#if FF_API_THREAD_SAFE_CALLBACKS
    context->thread_safe_callbacks = 1;
#else
    (void)context;
#endif
}

// Limits a frame to the planes in its own array of pointers.
static inline void ph_frame_use_own_pointers(AVFrame *frame) { frame->extended_data = frame->data; }

// Copies the samples of a frame, row after row without padding. Returns a negative number if they
// do not fit.
static inline int ph_frame_copy(const AVFrame *frame, uint8_t *bytes, int count) {
    return av_image_copy_to_buffer(
        bytes, count, (const uint8_t *const *)frame->data, frame->linesize,
        (enum AVPixelFormat)frame->format, frame->width, frame->height, 1);
}

// AVFrame.pkt_duration became AVFrame.duration in 6.0; the key and field flags moved in 6.1.
static inline int64_t ph_frame_duration(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    return frame->duration;
#else
    return frame->pkt_duration;
#endif
}
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 29, 100)
static inline int ph_frame_is_key(const AVFrame *frame) {
    return !!(frame->flags & AV_FRAME_FLAG_KEY);
}
static inline int ph_frame_is_interlaced(const AVFrame *frame) {
    return !!(frame->flags & AV_FRAME_FLAG_INTERLACED);
}
static inline int ph_frame_top_field_first(const AVFrame *frame) {
    return !!(frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST);
}
#else
static inline int ph_frame_is_key(const AVFrame *frame) { return frame->key_frame; }
static inline int ph_frame_is_interlaced(const AVFrame *frame) { return frame->interlaced_frame; }
static inline int ph_frame_top_field_first(const AVFrame *frame) { return frame->top_field_first; }
#endif

// The side data that a container attaches to a whole stream, or NULL. It moved to the codec
// parameters in 6.1.
static inline const uint8_t *ph_stream_side_data(
    const AVStream *stream, enum AVPacketSideDataType type, size_t *size) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)
    const AVPacketSideData *data = av_packet_side_data_get(
        stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, type);
    *size = data ? data->size : 0;
    return data ? data->data : NULL;
#else
    return av_stream_get_side_data(stream, type, size);
#endif
}

// The display matrix of a stream, nine 16.16 numbers, or NULL.
static inline const int32_t *ph_stream_display_matrix(const AVStream *stream) {
    size_t size = 0;
    const uint8_t *data = ph_stream_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
    return data && size >= 36 ? (const int32_t *)data : NULL;
}

// Reads the cropping that a container declares into `edges`: the number of pixels to leave out at
// the left, top, right and bottom. Returns 0 if there is no cropping, and always before FFmpeg 7.1.
static inline int ph_stream_cropping(const AVStream *stream, uint32_t edges[4]) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 8, 100)
    size_t size = 0;
    const uint8_t *data = ph_stream_side_data(stream, AV_PKT_DATA_FRAME_CROPPING, &size);
    if (!data || size < 16) return 0;
    edges[1] = AV_RL32(data);
    edges[3] = AV_RL32(data + 4);
    edges[0] = AV_RL32(data + 8);
    edges[2] = AV_RL32(data + 12);
    return 1;
#else
    (void)stream;
    (void)edges;
    return 0;
#endif
}

// Returns the sample rates that an encoder supports, as a list that ends with 0; NULL if it
// supports any rate. The field was deprecated in 7.1 and removed in 9.0.
static inline const int *ph_codec_sample_rates(const AVCodec *codec) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
    const void *rates = NULL;
    if (avcodec_get_supported_config(
            NULL, codec, AV_CODEC_CONFIG_SAMPLE_RATE, 0, &rates, NULL) < 0)
        return NULL;
    return (const int *)rates;
#else
    return codec->supported_samplerates;
#endif
}

// Creates a byte stream for a muxer. Since 7.0, `write` receives constant bytes.
static inline AVIOContext *ph_avio_alloc_output(
    int size, void *opaque, int (*write)(void *, const uint8_t *, int),
    int64_t (*seek)(void *, int64_t, int)) {
    uint8_t *buffer = (uint8_t *)av_malloc(size);
    if (!buffer) return NULL;
#if LIBAVFORMAT_VERSION_MAJOR >= 61
    AVIOContext *context = avio_alloc_context(buffer, size, 1, opaque, NULL, write, seek);
#else
    AVIOContext *context = avio_alloc_context(
        buffer, size, 1, opaque, NULL, (int (*)(void *, uint8_t *, int))write, seek);
#endif
    if (!context) av_free(buffer);
    return context;
}

static inline void ph_avio_free_output(AVIOContext *context) {
    if (context) av_freep(&context->buffer);
    avio_context_free(&context);
}

// Creates a byte stream of packets for a demuxer: each read returns one packet. FFmpeg reads such a
// stream without its buffer, which is for what the demuxer writes: each flush writes one packet.
static inline AVIOContext *ph_avio_alloc_packets(
    int size, void *opaque, int (*read)(void *, uint8_t *, int),
    int (*write)(void *, const uint8_t *, int)) {
    AVIOContext *context = ph_avio_alloc_output(size, opaque, write, NULL);
    if (!context) return NULL;
    context->read_packet = read;
    context->seekable = 0;
    return context;
}

// Allocates memory for side data of a stream; NULL on failure. The data moved to the codec
// parameters in 6.1.
static inline uint8_t *ph_stream_add_side_data(
    AVStream *stream, enum AVPacketSideDataType type, size_t size) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)
    AVPacketSideData *data = av_packet_side_data_new(
        &stream->codecpar->coded_side_data, &stream->codecpar->nb_coded_side_data, type, size, 0);
    return data ? data->data : NULL;
#else
    return av_stream_new_side_data(stream, type, size);
#endif
}

// Adds a chapter to a file that is being written. Returns a negative number if there is no memory.
static inline int ph_add_chapter(
    AVFormatContext *context, int64_t start, int64_t end, AVRational base, const char *title,
    const char *language) {
    AVChapter *chapter = (AVChapter *)av_mallocz(sizeof(AVChapter));
    AVChapter **chapters = (AVChapter **)av_realloc_array(
        context->chapters, context->nb_chapters + 1, sizeof(AVChapter *));
    if (chapters) context->chapters = chapters;
    if (!chapter || !chapters) {
        av_free(chapter);
        return AVERROR(ENOMEM);
    }
    chapter->id = context->nb_chapters + 1;
    chapter->time_base = base;
    chapter->start = start;
    chapter->end = end;
    av_dict_set(&chapter->metadata, "title", title, 0);
    if (language) av_dict_set(&chapter->metadata, "language", language, 0);
    chapters[context->nb_chapters++] = chapter;
    return 0;
}

// Sets the duration of a frame; see ph_frame_duration.
static inline void ph_frame_set_duration(AVFrame *frame, int64_t duration) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    frame->duration = duration;
#else
    frame->pkt_duration = duration;
#endif
}
