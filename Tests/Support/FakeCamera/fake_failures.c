// SPDX-License-Identifier: Apache-2.0

// Failures of any call, on request.
#include "fake_camera.h"
#include <limits.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// The calls of the process on cameras: open, ioctl and mmap. `first` and `last` are the numbers of
// those that fail with `error`.
static struct { long count, first, last; int error; } failures;

// Makes calls fail with an error, from the `first`th after this call on: `count` of them, or all if
// it is 0. With ENODEV, the camera is gone for all who have it open. 0 for `first` ends failures.
void fake_camera_fail(long first, long count, int error) {
    pthread_mutex_lock(&lock);
    failures.count = 0;
    failures.first = first;
    failures.last = count ? first + count - 1 : LONG_MAX;
    failures.error = error;
    pthread_mutex_unlock(&lock);
}

// Returns the number of calls since the last call of `fake_camera_fail`.
long fake_camera_calls(void) {
    pthread_mutex_lock(&lock);
    long count = failures.count;
    pthread_mutex_unlock(&lock);
    return count;
}

// Counts a call. Returns the error with which it fails; 0 if it does not.
int fake_failure(void) {
    pthread_mutex_lock(&lock);
    long number = ++failures.count;
    int fails = failures.first && number >= failures.first && number <= failures.last;
    int error = fails ? failures.error : 0;
    pthread_mutex_unlock(&lock);
    return error;
}
