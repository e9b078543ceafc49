// SPDX-License-Identifier: Apache-2.0

// The answers of the driver to requests.
#define _GNU_SOURCE
#include "fake_camera.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

// As of real cameras, values outlive the descriptor.
static struct { uint32_t id; int value; } controls[3] = {
    {V4L2_CID_BRIGHTNESS, 128}, {V4L2_CID_EXPOSURE_AUTO, 3}, {V4L2_CID_EXPOSURE_AUTO_PRIORITY, 1}};

static void set_format(struct camera *camera, struct v4l2_pix_format *wanted) {
    const struct format *best = &camera->shape.formats[0];
    for (int index = 0; index < camera->shape.format_count; index++) {
        const struct format *format = &camera->shape.formats[index];
        if (fake_code_of(format->code) != wanted->pixelformat) continue;
        best = format;
        if ((uint32_t)format->width == wanted->width && (uint32_t)format->height == wanted->height)
            break;
    }
    struct v4l2_pix_format set = {0};
    set.width = (uint32_t)(camera->shape.actual_width ? camera->shape.actual_width : best->width);
    set.height =
        (uint32_t)(camera->shape.actual_height ? camera->shape.actual_height : best->height);
    set.pixelformat = fake_code_of(best->code);
    set.field = V4L2_FIELD_NONE;
    int packed = set.pixelformat == fake_code_of("YUYV") || set.pixelformat == fake_code_of("UYVY");
    int half = set.pixelformat == fake_code_of("NV12") || set.pixelformat == fake_code_of("YU12");
    // A margin as real drivers have it.
    set.bytesperline = packed ? set.width * 2 + 32
        : set.pixelformat == fake_code_of("NV12") ? set.width + 16 : set.width;
    set.sizeimage = half ? set.bytesperline * set.height * 3 / 2 : set.bytesperline * set.height;
    set.colorspace = V4L2_COLORSPACE_SRGB;
    if (!strcmp(camera->shape.range, "full")) set.quantization = V4L2_QUANTIZATION_FULL_RANGE;
    if (!strcmp(camera->shape.matrix, "709")) set.ycbcr_enc = V4L2_YCBCR_ENC_709;
    camera->plane_count = set.pixelformat == fake_code_of("NM12") ? 2
        : set.pixelformat == fake_code_of("YM12") ? 3 : 1;
    camera->plane_row[0] = (int)set.bytesperline;
    camera->plane_bytes[0] =
        camera->plane_count == 1 ? set.sizeimage : (size_t)set.bytesperline * set.height;
    size_t offset = (camera->plane_bytes[0] + 4095) / 4096 * 4096;
    for (int plane = 1; plane < camera->plane_count; plane++) {
        // Rows of their own, with a margin.
        camera->plane_row[plane] =
            (int)set.width / (camera->plane_count == 2 ? 1 : 2) + 16 * plane;
        camera->plane_bytes[plane] = (size_t)camera->plane_row[plane] * set.height / 2;
        camera->plane_offset[plane] = offset;
        offset += (camera->plane_bytes[plane] + 4095) / 4096 * 4096;
    }
    if (camera->plane_count > 1) set.sizeimage = (uint32_t)offset;
    camera->format = set;
    camera->rate = best->rate_count ? best->rates[0] : 30;
    *wanted = set;
}

static int is_own(const struct camera *camera, uint32_t type) {
    return type == (camera->shape.is_planar ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE
                                            : V4L2_BUF_TYPE_VIDEO_CAPTURE);
}

static void put_planes(const struct camera *camera, struct v4l2_pix_format_mplane *out) {
    memset(out, 0, sizeof *out);
    out->width = camera->format.width;
    out->height = camera->format.height;
    out->pixelformat = camera->format.pixelformat;
    out->field = camera->format.field;
    out->colorspace = camera->format.colorspace;
    out->num_planes = (uint8_t)camera->plane_count;
    for (int plane = 0; plane < camera->plane_count; plane++) {
        out->plane_fmt[plane].bytesperline = (uint32_t)camera->plane_row[plane];
        out->plane_fmt[plane].sizeimage = (uint32_t)camera->plane_bytes[plane];
    }
}

static void load_samples(struct camera *camera, const char *path) {
    free(camera->samples);
    camera->samples = NULL;
    camera->sample_bytes = 0;
    FILE *file = fopen(path, "rb");
    if (!file) return;
    fseek(file, 0, SEEK_END);
    camera->sample_bytes = (size_t)ftell(file);
    rewind(file);
    camera->samples = malloc(camera->sample_bytes + 1);
    camera->sample_bytes = fread(camera->samples, 1, camera->sample_bytes, file);
    fclose(file);
}

int fake_answer(struct camera *camera, unsigned long request, void *argument) {
    if (camera->is_gone || access(camera->path, F_OK)) return ENODEV;
    struct shape *shape = &camera->shape;
    switch (request) {
    case VIDIOC_QUERYCAP: {
        struct v4l2_capability *out = argument;
        memset(out, 0, sizeof *out);
        strcpy((char *)out->driver, "fake");
        memcpy(out->card, shape->card, sizeof out->card);
        memcpy(out->bus_info, shape->bus, sizeof out->bus_info);
        out->device_caps = shape->is_metadata
            ? V4L2_CAP_META_CAPTURE | V4L2_CAP_STREAMING
            : (shape->is_planar ? V4L2_CAP_VIDEO_CAPTURE_MPLANE : V4L2_CAP_VIDEO_CAPTURE)
                | V4L2_CAP_STREAMING;
        // Those of the whole device, as UVC cameras report them.
        out->capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_META_CAPTURE | V4L2_CAP_STREAMING
            | V4L2_CAP_DEVICE_CAPS;
        return 0;
    }
    case VIDIOC_ENUM_FMT: {
        struct v4l2_fmtdesc *out = argument;
        int index = -1;
        for (int place = 0; place < shape->format_count; place++) {
            int is_first = 1;
            for (int other = 0; other < place; other++)
                is_first &= strcmp(shape->formats[other].code, shape->formats[place].code) != 0;
            if (is_first && (uint32_t)++index == out->index) {
                out->pixelformat = fake_code_of(shape->formats[place].code);
                return 0;
            }
        }
        return EINVAL;
    }
    case VIDIOC_ENUM_FRAMESIZES: {
        struct v4l2_frmsizeenum *out = argument;
        uint32_t index = 0;
        for (int place = 0; place < shape->format_count; place++) {
            if (fake_code_of(shape->formats[place].code) != out->pixel_format) continue;
            if (index++ != out->index) continue;
            out->type = V4L2_FRMSIZE_TYPE_DISCRETE;
            out->discrete.width = (uint32_t)shape->formats[place].width;
            out->discrete.height = (uint32_t)shape->formats[place].height;
            return 0;
        }
        return EINVAL;
    }
    case VIDIOC_ENUM_FRAMEINTERVALS: {
        struct v4l2_frmivalenum *out = argument;
        for (int place = 0; place < shape->format_count; place++) {
            struct format *format = &shape->formats[place];
            if (fake_code_of(format->code) != out->pixel_format || (uint32_t)format->width != out->width
                || (uint32_t)format->height != out->height)
                continue;
            if ((int)out->index >= format->rate_count) return EINVAL;
            out->type = V4L2_FRMIVAL_TYPE_DISCRETE;
            out->discrete.numerator = 1000;
            out->discrete.denominator = (uint32_t)(format->rates[out->index] * 1000 + 0.5);
            return 0;
        }
        return EINVAL;
    }
    case VIDIOC_S_FMT:
        if (shape->busy) return EBUSY;
        if (!is_own(camera, ((struct v4l2_format *)argument)->type)) return EINVAL;
        if (shape->is_planar) {
            struct v4l2_pix_format_mplane *planes = &((struct v4l2_format *)argument)->fmt.pix_mp;
            struct v4l2_pix_format wanted = {
                .width = planes->width, .height = planes->height,
                .pixelformat = planes->pixelformat};
            set_format(camera, &wanted);
            put_planes(camera, planes);
            return 0;
        }
        set_format(camera, &((struct v4l2_format *)argument)->fmt.pix);
        return 0;
    case VIDIOC_G_FMT:
        if (!is_own(camera, ((struct v4l2_format *)argument)->type)) return EINVAL;
        if (!camera->format.width) set_format(camera, &(struct v4l2_pix_format){0});
        if (shape->is_planar)
            put_planes(camera, &((struct v4l2_format *)argument)->fmt.pix_mp);
        else
            ((struct v4l2_format *)argument)->fmt.pix = camera->format;
        return 0;
    case VIDIOC_G_PARM:
    case VIDIOC_S_PARM: {
        struct v4l2_captureparm *out = &((struct v4l2_streamparm *)argument)->parm.capture;
        if (request == VIDIOC_S_PARM && out->timeperframe.numerator)
            camera->rate = (double)out->timeperframe.denominator / out->timeperframe.numerator;
        out->capability = V4L2_CAP_TIMEPERFRAME;
        out->timeperframe.numerator = 1000;
        out->timeperframe.denominator = (uint32_t)(camera->rate * 1000 + 0.5);
        return 0;
    }
    case VIDIOC_REQBUFS: {
        struct v4l2_requestbuffers *out = argument;
        if (!out->count) return 0;
        if (out->count > MAX_BUFFERS) out->count = MAX_BUFFERS;
        camera->count = (int)out->count;
        camera->length = (int)((camera->format.sizeimage + 4095) / 4096 * 4096);
        camera->memory = memfd_create("fake-camera", MFD_CLOEXEC);
        size_t bytes = (size_t)camera->count * camera->length;
        if (ftruncate(camera->memory, (off_t)bytes)) return ENOMEM;
        camera->mapping = ((void *(*)(void *, size_t, int, int, int, off_t))dlsym(
            RTLD_NEXT, "mmap"))(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, camera->memory, 0);
        return 0;
    }
    case VIDIOC_QUERYBUF: {
        struct v4l2_buffer *out = argument;
        if ((int)out->index >= camera->count || !is_own(camera, out->type)) return EINVAL;
        if (shape->is_planar) {
            if ((int)out->length < camera->plane_count) return EINVAL;
            for (int plane = 0; plane < camera->plane_count; plane++) {
                out->m.planes[plane].length = (uint32_t)camera->plane_bytes[plane];
                out->m.planes[plane].m.mem_offset =
                    out->index * (uint32_t)camera->length + (uint32_t)camera->plane_offset[plane];
            }
            return 0;
        }
        out->length = (uint32_t)camera->length;
        out->m.offset = out->index * (uint32_t)camera->length;
        return 0;
    }
    case VIDIOC_QBUF: {
        struct v4l2_buffer *in = argument;
        if ((int)in->index >= camera->count || camera->queued_count >= MAX_BUFFERS) return EINVAL;
        camera->queued[camera->queued_count++] = (int)in->index;
        return 0;
    }
    case VIDIOC_DQBUF: {
        char byte;
        if (!camera->filled_count) return EAGAIN;
        if (camera->dequeue_error) return camera->dequeue_error;
        if (recv(camera->descriptor, &byte, 1, MSG_DONTWAIT) != 1) return EAGAIN;
        if (!is_own(camera, ((struct v4l2_buffer *)argument)->type)) return EINVAL;
        if (shape->is_planar) {
            struct v4l2_plane *planes = ((struct v4l2_buffer *)argument)->m.planes;
            for (int plane = 0; plane < camera->plane_count; plane++) {
                // A short frame has no more than half of any plane.
                uint32_t bytes = (uint32_t)camera->plane_bytes[plane];
                int is_short = camera->filled[0].bytesused < camera->format.sizeimage;
                planes[plane].bytesused = is_short && camera->plane_count > 1 ? bytes / 2
                    : camera->plane_count > 1 ? bytes : camera->filled[0].bytesused;
                planes[plane].data_offset = 0;
            }
            struct v4l2_buffer filled = camera->filled[0];
            filled.type = V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE;
            filled.m.planes = planes;
            filled.length = (uint32_t)camera->plane_count;
            *(struct v4l2_buffer *)argument = filled;
        } else {
            *(struct v4l2_buffer *)argument = camera->filled[0];
        }
        memmove(camera->filled, camera->filled + 1,
                sizeof camera->filled[0] * (size_t)--camera->filled_count);
        return 0;
    }
    case VIDIOC_STREAMON:
        if (shape->bandwidth) return ENOSPC;
        if (camera->format.pixelformat == fake_code_of("MJPG")) load_samples(camera, shape->mjpeg);
        if (camera->format.pixelformat == fake_code_of("H264")) load_samples(camera, shape->h264);
        camera->is_streaming = 1;
        camera->has_thread = !pthread_create(&camera->thread, NULL, fake_run, camera);
        return 0;
    case VIDIOC_QUERYCTRL: {
        struct v4l2_queryctrl *out = argument;
        static const char *names[] = {"Brightness", "Auto Exposure", "Exposure Dynamic Framerate"};
        uint32_t wanted = out->id & ~(V4L2_CTRL_FLAG_NEXT_CTRL | V4L2_CTRL_FLAG_NEXT_COMPOUND);
        int is_next = (out->id & V4L2_CTRL_FLAG_NEXT_CTRL) != 0;
        for (int index = 0; index < 3; index++) {
            uint32_t id = controls[index].id;
            if (is_next ? id <= wanted : id != wanted) continue;
            memset(out, 0, sizeof *out);
            out->id = id;
            out->type = index == 0 ? V4L2_CTRL_TYPE_INTEGER
                : index == 1 ? V4L2_CTRL_TYPE_MENU : V4L2_CTRL_TYPE_BOOLEAN;
            strcpy((char *)out->name, names[index]);
            out->maximum = index == 0 ? 255 : index == 1 ? 3 : 1;
            out->step = 1;
            out->default_value = index == 0 ? 128 : index == 1 ? 3 : 0;
            return 0;
        }
        return EINVAL;
    }
    case VIDIOC_QUERYMENU: {
        struct v4l2_querymenu *out = argument;
        if (out->index != 1 && out->index != 3) return EINVAL;
        strcpy((char *)out->name, out->index == 1 ? "Manual Mode" : "Aperture Priority Mode");
        return 0;
    }
    case VIDIOC_G_CTRL:
    case VIDIOC_S_CTRL: {
        struct v4l2_control *out = argument;
        for (int index = 0; index < 3; index++) {
            if (controls[index].id != out->id) continue;
            if (request == VIDIOC_S_CTRL) {
                char line[64];
                snprintf(line, sizeof line, "control %#x %d\n", out->id, out->value);
                fake_append("FAKE_CAMERA_CALLS", line);
                controls[index].value = out->value;
            }
            out->value = controls[index].value;
            return 0;
        }
        return EINVAL;
    }
    default: return ENOTTY;
    }
}
