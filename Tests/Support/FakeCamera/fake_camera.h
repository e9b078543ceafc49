// SPDX-License-Identifier: Apache-2.0

// The state of fake cameras, which the parts of the library share.
#pragma once
#include <linux/videodev2.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_FORMATS 32
#define MAX_RATES 8
#define MAX_LIST 256
#define MAX_BUFFERS 8
#define MAX_CAMERAS 64

struct format {
    char code[5];
    int width, height;
    double rates[MAX_RATES];
    int rate_count;
};

struct shape {
    char card[32], bus[32], stamps[16], mjpeg[512], h264[512], range[16], matrix[16];
    struct format formats[MAX_FORMATS];
    int format_count;
    int actual_width, actual_height;
    double real, ppm, drift, jitter;
    int lose[MAX_LIST], lose_count, short_[MAX_LIST], short_count, flag[MAX_LIST], flag_count;
    // The numbers of frames from which stamps are shifted, and by how many milliseconds.
    int jump[MAX_LIST], jump_count;
    int is_metadata, is_planar, stall, busy, denied, bandwidth, bars, dequeue;
};

struct camera {
    int descriptor, peer, memory;
    char path[512];
    struct shape shape;
    struct v4l2_pix_format format;
    // The memory planes of a buffer: their offsets, rows and bytes.
    int plane_count;
    size_t plane_offset[3], plane_bytes[3];
    int plane_row[3];
    double rate;
    int count, length;
    unsigned char *mapping;
    int queued[MAX_BUFFERS], queued_count;
    struct v4l2_buffer filled[MAX_BUFFERS];
    int filled_count;
    int is_streaming, is_gone, has_thread;
    // The error of VIDIOC_DQBUF while there are frames; 0 for none.
    int dequeue_error;
    unsigned generation;
    unsigned char *samples;
    size_t sample_bytes;
    pthread_t thread;
    pthread_mutex_t lock;
};

#pragma GCC visibility push(hidden)

// Reads the description of a node. Returns -1 if there is no node.
int fake_read_shape(const char *path, struct shape *shape);
// Returns whether a list has a number.
int fake_listed(int number, const int *list, int count);
// Returns the code of a pixel format with four letters.
uint32_t fake_code_of(const char *text);

// Draws the frame with a number in the format of the camera.
void fake_paint(struct camera *camera, unsigned number, unsigned char *out);
// Finds the nth image of a file of images. Returns its size; 0 if the file has none.
size_t fake_sample_at(
    struct camera *camera, unsigned number, int is_jpeg, unsigned char **start);

// The thread of a camera, which fills buffers until it is stopped.
void *fake_run(void *camera);
// Ends the thread.
void fake_stop(struct camera *camera);
// Unplugs a camera, whose lock is held.
void fake_vanish(struct camera *camera);

// Answers a request. Returns an error number, or 0.
int fake_answer(struct camera *camera, unsigned long request, void *argument);

// Counts a call. Returns the error with which it fails; 0 if it does not.
int fake_failure(void);

// Appends to the file that a variable names, if it is set.
void fake_append(const char *variable, const char *text);

#pragma GCC visibility pop
