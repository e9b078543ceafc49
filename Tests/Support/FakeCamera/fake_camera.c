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
// fake_camera_fail makes calls fail, whichever they are: see fake_failures.c.
//
// Frames show their number as PlayheadAssets' FrameNumberStrip does, over a ramp. The descriptor is
// one end of a socket pair with a byte for each filled buffer, so that poll and a hang-up are real.
#define _GNU_SOURCE
#include "fake_camera.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct camera *table[MAX_CAMERAS];

// Appends to the file that a variable names, if it is set.
void fake_append(const char *variable, const char *text) {
    const char *path = getenv(variable);
    if (!path) return;
    int descriptor = ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open"))(
        path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (descriptor < 0) return;
    if (write(descriptor, text, strlen(text)) < 0) perror(path);
    ((int (*)(int))dlsym(RTLD_NEXT, "close"))(descriptor);
}

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
    errno = fake_failure();
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
    fake_append("FAKE_CAMERA_CALLS", "open\n");
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
        fake_stop(camera);
        fake_append("FAKE_CAMERA_CALLS", "close\n");
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
        errno = fake_failure();
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

int ioctl(int descriptor, unsigned long request, ...) {
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    struct camera *camera = camera_of(descriptor);
    if (!camera)
        return ((int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl"))(
            descriptor, request, argument);
    int code = fake_failure();
    if (code == ENODEV) {
        pthread_mutex_lock(&camera->lock);
        if (!camera->is_gone) fake_vanish(camera);
        pthread_mutex_unlock(&camera->lock);
    }
    if (request == VIDIOC_STREAMOFF) {
        fake_stop(camera);
        fake_append("FAKE_CAMERA_CALLS", "streamoff\n");
        errno = code;
        return code ? -1 : 0;
    }
    pthread_mutex_lock(&camera->lock);
    if (!code) code = fake_answer(camera, request, argument);
    pthread_mutex_unlock(&camera->lock);
    if (!code && request == VIDIOC_STREAMON) fake_append("FAKE_CAMERA_CALLS", "streamon\n");
    if (!code) return 0;
    errno = code;
    return -1;
}
