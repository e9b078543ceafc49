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
PH_V4L2(query_buffer, VIDIOC_QUERYBUF, struct v4l2_buffer)
PH_V4L2(queue_buffer, VIDIOC_QBUF, struct v4l2_buffer)
PH_V4L2(dequeue_buffer, VIDIOC_DQBUF, struct v4l2_buffer)
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
static inline struct v4l2_pix_format *ph_v4l2_pixels(struct v4l2_format *format) {
    return &format->fmt.pix;
}
static inline const uint8_t *ph_v4l2_menu_name(const struct v4l2_querymenu *item) {
    return item->name;
}
static inline struct v4l2_captureparm *ph_v4l2_capture(struct v4l2_streamparm *parameters) {
    return &parameters->parm.capture;
}
static inline uint32_t ph_v4l2_offset(const struct v4l2_buffer *buffer) { return buffer->m.offset; }
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
