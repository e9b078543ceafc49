// SPDX-License-Identifier: Apache-2.0

// The frames of a camera: a thread that fills buffers at the camera's rate.
#define _GNU_SOURCE
#include "fake_camera.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int64_t now_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void pause_until(int64_t time) {
    struct timespec end = {.tv_sec = time / 1000000000, .tv_nsec = time % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) {}
}

static void note(unsigned number, int64_t stamp, int64_t due) {
    char line[96];
    if (stamp == due)
        snprintf(line, sizeof line, "%u %lld\n", number, (long long)stamp);
    else
        snprintf(line, sizeof line, "%u %lld %lld\n", number, (long long)stamp, (long long)due);
    fake_append("FAKE_CAMERA_LOG", line);
}

void fake_vanish(struct camera *camera) {
    camera->is_gone = 1;
    ((int (*)(int))dlsym(RTLD_NEXT, "close"))(camera->peer);
    camera->peer = -1;
}

void *fake_run(void *argument) {
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
            if (!camera->is_gone) fake_vanish(camera);
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
        if (send(camera->peer, &byte, 1, MSG_NOSIGNAL) < 0) fake_vanish(camera);
        int ended = camera->is_gone;
        pthread_mutex_unlock(&camera->lock);
        if (ended) return NULL;
    }
}

void fake_stop(struct camera *camera) {
    pthread_mutex_lock(&camera->lock);
    camera->is_streaming = 0;
    camera->generation++;
    int has_thread = camera->has_thread;
    camera->has_thread = 0;
    pthread_mutex_unlock(&camera->lock);
    if (has_thread) pthread_join(camera->thread, NULL);
}
