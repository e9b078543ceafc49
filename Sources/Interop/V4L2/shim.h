// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>

// `open` and `ioctl` are variadic and the request codes are computed by macros: Swift sees neither.
// Each function returns 0 or the error number.

static inline int ph_v4l2_open(const char *path, int *descriptor) {
    do {
        *descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    } while (*descriptor < 0 && errno == EINTR);
    return *descriptor < 0 ? errno : 0;
}

static inline int ph_v4l2_call(int descriptor, unsigned long request, void *argument) {
    int result;
    do {
        result = ioctl(descriptor, request, argument);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? errno : 0;
}

#define PH_V4L2(name, request, type)                                                               \
    static inline int ph_v4l2_##name(int descriptor, type *argument) {                             \
        return ph_v4l2_call(descriptor, request, argument);                                        \
    }
PH_V4L2(query_capabilities, VIDIOC_QUERYCAP, struct v4l2_capability)
PH_V4L2(enumerate_format, VIDIOC_ENUM_FMT, struct v4l2_fmtdesc)
PH_V4L2(enumerate_size, VIDIOC_ENUM_FRAMESIZES, struct v4l2_frmsizeenum)
PH_V4L2(enumerate_interval, VIDIOC_ENUM_FRAMEINTERVALS, struct v4l2_frmivalenum)
PH_V4L2(set_format, VIDIOC_S_FMT, struct v4l2_format)
PH_V4L2(get_format, VIDIOC_G_FMT, struct v4l2_format)
PH_V4L2(get_parameters, VIDIOC_G_PARM, struct v4l2_streamparm)
PH_V4L2(set_parameters, VIDIOC_S_PARM, struct v4l2_streamparm)
PH_V4L2(request_buffers, VIDIOC_REQBUFS, struct v4l2_requestbuffers)
PH_V4L2(stream_on, VIDIOC_STREAMON, int)
PH_V4L2(stream_off, VIDIOC_STREAMOFF, int)
PH_V4L2(query_control, VIDIOC_QUERYCTRL, struct v4l2_queryctrl)
PH_V4L2(query_menu, VIDIOC_QUERYMENU, struct v4l2_querymenu)
PH_V4L2(get_control, VIDIOC_G_CTRL, struct v4l2_control)
PH_V4L2(set_control, VIDIOC_S_CTRL, struct v4l2_control)
#undef PH_V4L2

// Anonymous members and enumerations with computed values.

static inline uint32_t ph_v4l2_fourcc(const char *text) {
    return v4l2_fourcc((uint8_t)text[0], (uint8_t)text[1], (uint8_t)text[2], (uint8_t)text[3]);
}
static inline uint32_t ph_v4l2_next_control(void) { return V4L2_CTRL_FLAG_NEXT_CTRL; }

// Devices of several planes have structures of their own. What both have in common is read and
// written here, by the type of the buffers.

/// Returns what a format says of its pixels; the bytes of a row are those of the first plane.
static inline struct v4l2_pix_format ph_v4l2_pixels(const struct v4l2_format *format) {
    if (format->type != V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE) return format->fmt.pix;
    const struct v4l2_pix_format_mplane *planes = &format->fmt.pix_mp;
    struct v4l2_pix_format pixels = {
        .width = planes->width, .height = planes->height, .pixelformat = planes->pixelformat,
        .field = planes->field, .bytesperline = planes->plane_fmt[0].bytesperline,
        .colorspace = planes->colorspace};
    pixels.ycbcr_enc = planes->ycbcr_enc;
    pixels.quantization = planes->quantization;
    return pixels;
}

/// Sets the wanted pixels of a format of either type.
static inline void ph_v4l2_set_pixels(
    struct v4l2_format *format, uint32_t width, uint32_t height, uint32_t code) {
    if (format->type == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE) {
        format->fmt.pix_mp.width = width;
        format->fmt.pix_mp.height = height;
        format->fmt.pix_mp.pixelformat = code;
        format->fmt.pix_mp.field = V4L2_FIELD_ANY;
        return;
    }
    format->fmt.pix.width = width;
    format->fmt.pix.height = height;
    format->fmt.pix.pixelformat = code;
    format->fmt.pix.field = V4L2_FIELD_ANY;
}

/// Returns the number of memory planes of a format.
static inline int ph_v4l2_plane_count(const struct v4l2_format *format) {
    if (format->type != V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE) return 1;
    int count = format->fmt.pix_mp.num_planes;
    return count < 1 ? 1 : count > VIDEO_MAX_PLANES ? VIDEO_MAX_PLANES : count;
}

/// Returns the bytes of a row of a memory plane.
static inline uint32_t ph_v4l2_plane_row(const struct v4l2_format *format, int plane) {
    return format->type == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE
        ? format->fmt.pix_mp.plane_fmt[plane].bytesperline
        : format->fmt.pix.bytesperline;
}

/// A buffer with room for its planes, to which calls set the pointer.
struct ph_v4l2_frame {
    struct v4l2_buffer buffer;
    struct v4l2_plane planes[VIDEO_MAX_PLANES];
    int plane_count;
};

static inline int ph_v4l2_frame_call(
    int descriptor, unsigned long request, struct ph_v4l2_frame *frame) {
    if (frame->buffer.type == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE) {
        frame->buffer.m.planes = frame->planes;
        frame->buffer.length = (uint32_t)frame->plane_count;
    }
    return ph_v4l2_call(descriptor, request, &frame->buffer);
}
static inline int ph_v4l2_query_buffer(int descriptor, struct ph_v4l2_frame *frame) {
    return ph_v4l2_frame_call(descriptor, VIDIOC_QUERYBUF, frame);
}
static inline int ph_v4l2_queue_buffer(int descriptor, struct ph_v4l2_frame *frame) {
    return ph_v4l2_frame_call(descriptor, VIDIOC_QBUF, frame);
}
static inline int ph_v4l2_dequeue_buffer(int descriptor, struct ph_v4l2_frame *frame) {
    return ph_v4l2_frame_call(descriptor, VIDIOC_DQBUF, frame);
}

static inline int ph_v4l2_is_planar(const struct ph_v4l2_frame *frame) {
    return frame->buffer.type == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE;
}
static inline uint32_t ph_v4l2_length(const struct ph_v4l2_frame *frame, int plane) {
    return ph_v4l2_is_planar(frame) ? frame->planes[plane].length : frame->buffer.length;
}
static inline uint32_t ph_v4l2_offset(const struct ph_v4l2_frame *frame, int plane) {
    return ph_v4l2_is_planar(frame) ? frame->planes[plane].m.mem_offset : frame->buffer.m.offset;
}
static inline uint32_t ph_v4l2_used(const struct ph_v4l2_frame *frame, int plane) {
    return ph_v4l2_is_planar(frame) ? frame->planes[plane].bytesused : frame->buffer.bytesused;
}
/// The bytes before the samples, which are part of those used.
static inline uint32_t ph_v4l2_header(const struct ph_v4l2_frame *frame, int plane) {
    return ph_v4l2_is_planar(frame) ? frame->planes[plane].data_offset : 0;
}

static inline const uint8_t *ph_v4l2_menu_name(const struct v4l2_querymenu *item) {
    return item->name;
}
static inline struct v4l2_captureparm *ph_v4l2_capture(struct v4l2_streamparm *parameters) {
    return &parameters->parm.capture;
}
static inline struct v4l2_frmsize_discrete ph_v4l2_size(const struct v4l2_frmsizeenum *size) {
    return size->discrete;
}
static inline struct v4l2_frmsize_stepwise ph_v4l2_sizes(const struct v4l2_frmsizeenum *size) {
    return size->stepwise;
}
static inline struct v4l2_fract ph_v4l2_interval(const struct v4l2_frmivalenum *interval) {
    return interval->discrete;
}
static inline struct v4l2_frmival_stepwise ph_v4l2_intervals(
    const struct v4l2_frmivalenum *interval) {
    return interval->stepwise;
}
