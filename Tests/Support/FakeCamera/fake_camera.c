// SPDX-License-Identifier: Apache-2.0
//
// Cameras without hardware: a library that answers open, ioctl, mmap and close for video nodes.
//
//     cc -shared -fPIC -o libfake_camera.so fake_*.c -ldl -lpthread
//     FAKE_CAMERA_FOLDER=folder LD_PRELOAD=./libfake_camera.so program
//
// A node is a file named video0, video1, ... in the folder. Its lines describe the camera; they are
// read again before every frame, so that a test changes a running camera by replacing the file, and
// unplugs it by removing the file:
//
//     card=Fake Camera             the name
//     bus=usb-fake-1               the place on the bus
//     caps=camera                  or metadata, for a node without frames, or planar, for buffers
//                                  of several memory planes, as NM12 and YM12 have them
//     format=YUYV 640x480 30 25    a format, its size and rates; may be repeated
//     actual=1280x720              the size that the driver sets, whatever is asked
//     real=15                      the rate of the frames, whatever was agreed
//     ppm=200                      the error of the camera's clock
//     drift=200                    the error of the stamps' clock: they run away from the arrivals
//     jitter=4                     the largest random delay of arrivals in milliseconds
//     lose=5,9                     numbers of frames that the driver loses
//     short=3,4  flag=7            numbers of frames that arrive short, or flagged as damaged
//     stamps=monotonic             or unknown, realtime, repeated
//     jump=20,-5000,40,3000        stamps are 5 s early from frame 20 on, and 3 s late from 40 on
//     dequeue=EAGAIN               the error of VIDIOC_DQBUF while there are frames; or EIO
//     stall=1                      no frames
//     busy=1  denied=1             the errors EBUSY at S_FMT and EACCES at open
//     bandwidth=1                  the error ENOSPC at STREAMON
//     mjpeg=frames.mjpeg           for MJPG: images one after another, of which frame n is the nth
//     h264=frames.h264             for H264: access units that begin with delimiters
//     range=full                   the quantization that the driver declares; matrix=709 likewise
//     bars=1                       colour bars instead of numbers, in that matrix and range
//
// FAKE_CAMERA_LOG names a file that receives the number and the stamp, in nanoseconds, of each
// frame, and with drift= the time at which it was made.
//
// FAKE_CAMERA_CALLS names a file that receives a line for each call that opens, starts, stops or
// closes a camera, or sets a control: open, streamon, streamoff, close, or control, its identifier
// and its value.
//
// fake_camera_fail makes calls fail, whichever they are: see there.
//
// Frames show their number as PlayheadAssets' FrameNumberStrip does, over a ramp. The descriptor is
// one end of a socket pair with a byte for each filled buffer, so that poll and a hang-up are real.
#define _GNU_SOURCE
#include "fake_camera.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct camera *table[MAX_CAMERAS];
// As of real cameras, values outlive the descriptor.
static struct { uint32_t id; int value; } controls[3] = {
    {V4L2_CID_BRIGHTNESS, 128}, {V4L2_CID_EXPOSURE_AUTO, 3}, {V4L2_CID_EXPOSURE_AUTO_PRIORITY, 1}};

#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

// --- The thread of a camera

static int64_t now_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void pause_until(int64_t time) {
    struct timespec end = {.tv_sec = time / 1000000000, .tv_nsec = time % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) {}
}

// Appends to the file that a variable names, if it is set.
static void append(const char *variable, const char *text) {
    const char *path = getenv(variable);
    if (!path) return;
    int descriptor = ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open"))(
        path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (descriptor < 0) return;
    if (write(descriptor, text, strlen(text)) < 0) perror(path);
    ((int (*)(int))dlsym(RTLD_NEXT, "close"))(descriptor);
}

static void note(unsigned number, int64_t stamp, int64_t due) {
    char line[96];
    if (stamp == due)
        snprintf(line, sizeof line, "%u %lld\n", number, (long long)stamp);
    else
        snprintf(line, sizeof line, "%u %lld %lld\n", number, (long long)stamp, (long long)due);
    append("FAKE_CAMERA_LOG", line);
}

static void vanish(struct camera *camera) {
    camera->is_gone = 1;
    ((int (*)(int))dlsym(RTLD_NEXT, "close"))(camera->peer);
    camera->peer = -1;
}

// --- Failures of any call

// The calls of the process on cameras: open, ioctl and mmap. `first` and `last` are the numbers of
// those that fail with `error`.
static struct { long count, first, last; int error; } failures;

// Makes calls fail with an error, from the `first`th after this call on: `count` of them, or all if
// it is 0. With ENODEV, the camera is gone for all who have it open. 0 for `first` ends failures.
void fake_camera_fail(long first, long count, int error) {
    pthread_mutex_lock(&table_lock);
    failures.count = 0;
    failures.first = first;
    failures.last = count ? first + count - 1 : LONG_MAX;
    failures.error = error;
    pthread_mutex_unlock(&table_lock);
}

// Returns the number of calls since the last call of `fake_camera_fail`.
long fake_camera_calls(void) {
    pthread_mutex_lock(&table_lock);
    long count = failures.count;
    pthread_mutex_unlock(&table_lock);
    return count;
}

// Counts a call. Returns the error with which it fails; 0 if it does not.
static int failure(void) {
    pthread_mutex_lock(&table_lock);
    long number = ++failures.count;
    int fails = failures.first && number >= failures.first && number <= failures.last;
    int error = fails ? failures.error : 0;
    pthread_mutex_unlock(&table_lock);
    return error;
}

static void *run(void *argument) {
    struct camera *camera = argument;
    pthread_mutex_lock(&camera->lock);
    unsigned generation = camera->generation;
    pthread_mutex_unlock(&camera->lock);
    int64_t due = now_of(CLOCK_MONOTONIC);
    int64_t origin = due;
    int64_t repeated = 0, jump = 0;
    double fraction = 0;
    for (unsigned number = 0;; number++) {
        struct shape shape;
        int is_gone = fake_read_shape(camera->path, &shape) < 0;
        double rate = shape.real > 0 ? shape.real : camera->rate;
        double period = 1e9 / rate / (1 + shape.ppm * 1e-6) + fraction;
        due += (int64_t)period;
        fraction = period - (int64_t)period;
        int64_t late = (int64_t)(shape.jitter * 1e6 * (rand() % 1000) / 1000);
        pause_until(due + late);
        pthread_mutex_lock(&camera->lock);
        if (!is_gone) camera->dequeue_error = shape.dequeue;
        if (!camera->is_streaming || camera->generation != generation) {
            pthread_mutex_unlock(&camera->lock);
            return NULL;
        }
        if (is_gone || camera->is_gone || access(camera->path, F_OK)) {
            if (!camera->is_gone) vanish(camera);
            pthread_mutex_unlock(&camera->lock);
            return NULL;
        }
        if (shape.stall || !camera->queued_count
            || fake_listed((int)number, shape.lose, shape.lose_count)) {
            // A stalled camera does not count; a lost frame has its number.
            if (shape.stall) number--;
            pthread_mutex_unlock(&camera->lock);
            continue;
        }
        int index = camera->queued[0];
        memmove(camera->queued, camera->queued + 1, sizeof(int) * (size_t)--camera->queued_count);
        unsigned char *out = camera->mapping + (size_t)index * camera->length;
        size_t used = camera->format.sizeimage;
        uint32_t code = camera->format.pixelformat;
        if (code == fake_code_of("MJPG") || code == fake_code_of("H264")) {
            unsigned char *start = NULL;
            used = fake_sample_at(camera, number, code == fake_code_of("MJPG"), &start);
            if (used > (size_t)camera->length) used = (size_t)camera->length;
            if (start) memcpy(out, start, used);
        } else {
            fake_paint(camera, number, out);
        }
        struct v4l2_buffer filled = {0};
        filled.index = (uint32_t)index;
        filled.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
        filled.memory = V4L2_MEMORY_MMAP;
        filled.length = (uint32_t)camera->length;
        filled.m.offset = (uint32_t)(index * camera->length);
        filled.sequence = number;
        filled.bytesused = (uint32_t)used;
        if (fake_listed((int)number, shape.short_, shape.short_count))
            filled.bytesused = (uint32_t)used / 2;
        if (fake_listed((int)number, shape.flag, shape.flag_count)) filled.flags |= V4L2_BUF_FLAG_ERROR;
        int64_t stamp = due + (int64_t)((double)(due - origin) * shape.drift * 1e-6);
        for (int index = 0; index + 1 < shape.jump_count && shape.jump[index] <= (int)number;
             index += 2)
            jump = (int64_t)shape.jump[index + 1] * 1000000;
        stamp += jump;
        if (!strcmp(shape.stamps, "realtime")) stamp = now_of(CLOCK_REALTIME);
        if (!strcmp(shape.stamps, "repeated")) {
            if (number % 2 == 0) repeated = due;
            stamp = repeated;
        }
        if (strcmp(shape.stamps, "unknown")) filled.flags |= V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
        filled.timestamp.tv_sec = stamp / 1000000000;
        filled.timestamp.tv_usec = stamp % 1000000000 / 1000;
        camera->filled[camera->filled_count++] = filled;
        note(number, stamp, shape.drift != 0 ? due : stamp);
        char byte = 1;
        if (send(camera->peer, &byte, 1, MSG_NOSIGNAL) < 0) vanish(camera);
        int ended = camera->is_gone;
        pthread_mutex_unlock(&camera->lock);
        if (ended) return NULL;
    }
}

static void stop(struct camera *camera) {
    pthread_mutex_lock(&camera->lock);
    camera->is_streaming = 0;
    camera->generation++;
    int has_thread = camera->has_thread;
    camera->has_thread = 0;
    pthread_mutex_unlock(&camera->lock);
    if (has_thread) pthread_join(camera->thread, NULL);
}

// --- The system calls

static struct camera *camera_of(int descriptor) {
    struct camera *found = NULL;
    pthread_mutex_lock(&table_lock);
    for (int index = 0; index < MAX_CAMERAS; index++)
        if (table[index] && table[index]->descriptor == descriptor) found = table[index];
    pthread_mutex_unlock(&table_lock);
    return found;
}

static int is_node(const char *path) {
    const char *folder = getenv("FAKE_CAMERA_FOLDER");
    if (!folder || strncmp(path, folder, strlen(folder))) return 0;
    const char *name = strrchr(path, '/');
    return name && !strncmp(name, "/video", 6);
}

static int open_node(const char *path) {
    struct shape shape;
    if (fake_read_shape(path, &shape) < 0) return -1;
    if (shape.denied) {
        errno = EACCES;
        return -1;
    }
    errno = failure();
    if (errno) return -1;
    struct camera *camera = calloc(1, sizeof *camera);
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends)) {
        free(camera);
        return -1;
    }
    camera->descriptor = ends[0];
    camera->peer = ends[1];
    camera->memory = -1;
    camera->shape = shape;
    camera->rate = 30;
    snprintf(camera->path, sizeof camera->path, "%s", path);
    pthread_mutex_init(&camera->lock, NULL);
    pthread_mutex_lock(&table_lock);
    for (int index = 0; index < MAX_CAMERAS; index++)
        if (!table[index]) {
            table[index] = camera;
            break;
        }
    pthread_mutex_unlock(&table_lock);
    append("FAKE_CAMERA_CALLS", "open\n");
    return camera->descriptor;
}

int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    if (is_node(path)) return open_node(path);
    return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open"))(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    if (is_node(path)) return open_node(path);
    return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64"))(path, flags, mode);
}

int close(int descriptor) {
    struct camera *camera = camera_of(descriptor);
    if (camera) {
        stop(camera);
        append("FAKE_CAMERA_CALLS", "close\n");
        pthread_mutex_lock(&table_lock);
        for (int index = 0; index < MAX_CAMERAS; index++)
            if (table[index] == camera) table[index] = NULL;
        pthread_mutex_unlock(&table_lock);
        if (camera->peer >= 0) ((int (*)(int))dlsym(RTLD_NEXT, "close"))(camera->peer);
        if (camera->mapping) munmap(camera->mapping, (size_t)camera->count * camera->length);
        if (camera->memory >= 0) ((int (*)(int))dlsym(RTLD_NEXT, "close"))(camera->memory);
        free(camera->samples);
        free(camera);
    }
    return ((int (*)(int))dlsym(RTLD_NEXT, "close"))(descriptor);
}

static void *map(void *address, size_t length, int protection, int flags, int descriptor,
                 off_t offset, const char *name) {
    struct camera *camera = descriptor >= 0 ? camera_of(descriptor) : NULL;
    if (camera) {
        errno = failure();
        if (errno) return MAP_FAILED;
    }
    return ((void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, name))(
        address, length, protection, flags, camera ? camera->memory : descriptor, offset);
}

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    return map(address, length, protection, flags, descriptor, offset, "mmap");
}

void *mmap64(void *address, size_t length, int protection, int flags, int descriptor,
             off_t offset) {
    return map(address, length, protection, flags, descriptor, offset, "mmap64");
}

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

static int answer(struct camera *camera, unsigned long request, void *argument) {
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
        camera->has_thread = !pthread_create(&camera->thread, NULL, run, camera);
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
                append("FAKE_CAMERA_CALLS", line);
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

int ioctl(int descriptor, unsigned long request, ...) {
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    struct camera *camera = camera_of(descriptor);
    if (!camera)
        return ((int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl"))(
            descriptor, request, argument);
    int code = failure();
    if (code == ENODEV) {
        pthread_mutex_lock(&camera->lock);
        if (!camera->is_gone) vanish(camera);
        pthread_mutex_unlock(&camera->lock);
    }
    if (request == VIDIOC_STREAMOFF) {
        stop(camera);
        append("FAKE_CAMERA_CALLS", "streamoff\n");
        errno = code;
        return code ? -1 : 0;
    }
    pthread_mutex_lock(&camera->lock);
    if (!code) code = answer(camera, request, argument);
    pthread_mutex_unlock(&camera->lock);
    if (!code && request == VIDIOC_STREAMON) append("FAKE_CAMERA_CALLS", "streamon\n");
    if (!code) return 0;
    errno = code;
    return -1;
}
