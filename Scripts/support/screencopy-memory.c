// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into xdg-desktop-portal-wlr, reports a format for the memory of graphics devices to it.
// Without one, version 0.7 refuses compositors without such a device (its issue 289), although it
// then uses the frames in memory that they offer.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

typedef void (*buffer_event)(
    void *, void *, uint32_t format, uint32_t width, uint32_t height, uint32_t stride);
typedef void (*device_event)(void *, void *, uint32_t format, uint32_t width, uint32_t height);

// The events of zwlr_screencopy_frame_v1: buffer, flags, ready, failed, damage, linux_dmabuf,
// buffer_done.
static void (*events[7])(void);
static buffer_event real;

static void buffer(
    void *data, void *frame, uint32_t format, uint32_t width, uint32_t height, uint32_t stride) {
    real(data, frame, format, width, height, stride);
    ((device_event)events[5])(data, frame, 0x34325258 /* XR24 */, width, height);
}

int wl_proxy_add_listener(void *proxy, void (**functions)(void), void *data) {
    int (*next)(void *, void *, void *) =
        (int (*)(void *, void *, void *))dlsym(RTLD_NEXT, "wl_proxy_add_listener");
    const char *(*type)(void *) = (const char *(*)(void *))dlsym(RTLD_NEXT, "wl_proxy_get_class");
    if (strcmp(type(proxy), "zwlr_screencopy_frame_v1")) return next(proxy, functions, data);
    memcpy(events, functions, sizeof events);
    real = (buffer_event)events[0];
    events[0] = (void (*)(void))buffer;
    return next(proxy, events, data);
}
