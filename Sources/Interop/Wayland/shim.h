// SPDX-License-Identifier: Apache-2.0
// Requests to a Wayland compositor: for a list of its features, for the times at which it presents
// a window's frames, and to keep the screen on. The protocols are presentation-time and
// idle-inhibit, version 1. Their tables are written here, because wayland-scanner, which makes them
// from the protocols' descriptions, cannot run within a Swift package.
#pragma once
#if !__has_include(<wayland-client.h>)
#error "libwayland is missing: apt install libwayland-dev, or Scripts/install-dependencies"
#endif
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include <wayland-client.h>

/// A search for a global of the compositor.
struct ph_search {
    const struct wl_interface *interface;
    struct wl_proxy *found;
};

static inline void ph_registry_global(
    void *data, struct wl_registry *registry, uint32_t name, const char *interface,
    uint32_t version) {
    (void)version;
    struct ph_search *search = (struct ph_search *)data;
    if (search->found || strcmp(interface, search->interface->name)) return;
    search->found = (struct wl_proxy *)wl_registry_bind(registry, name, search->interface, 1);
}

static inline void ph_registry_removed(void *data, struct wl_registry *registry, uint32_t name) {
    (void)data, (void)registry, (void)name;
}

static const struct wl_registry_listener ph_registry_listener = {
    ph_registry_global, ph_registry_removed};

/// Returns a global of the compositor, with its events on a queue; NULL if it is missing. Waits for
/// the compositor.
static inline struct wl_proxy *ph_bind(
    struct wl_display *display, struct wl_event_queue *queue,
    const struct wl_interface *interface) {
    struct wl_display *wrapper =
        queue ? (struct wl_display *)wl_proxy_create_wrapper(display) : NULL;
    if (!wrapper) return NULL;
    wl_proxy_set_queue((struct wl_proxy *)wrapper, queue);
    struct wl_registry *registry = wl_display_get_registry(wrapper);
    wl_proxy_wrapper_destroy(wrapper);
    if (!registry) return NULL;
    struct ph_search search = {interface, NULL};
    wl_registry_add_listener(registry, &ph_registry_listener, &search);
    wl_display_roundtrip_queue(display, queue);
    wl_registry_destroy(registry);
    return search.found;
}

/// Bits that state what a compositor offers.
#define PH_COMPOSITOR_SEAT 1
#define PH_COMPOSITOR_DECORATIONS 2

static inline void ph_compositor_global(
    void *data, struct wl_registry *registry, uint32_t name, const char *interface,
    uint32_t version) {
    (void)registry, (void)name, (void)version;
    if (!strcmp(interface, wl_seat_interface.name)) *(int *)data |= PH_COMPOSITOR_SEAT;
    if (!strcmp(interface, "zxdg_decoration_manager_v1"))
        *(int *)data |= PH_COMPOSITOR_DECORATIONS;
}

static const struct wl_registry_listener ph_compositor_listener = {
    ph_compositor_global, ph_registry_removed};

/// Connects to a compositor, and returns what it offers; -1 if that is impossible. NULL is the
/// compositor that the environment names. Waits for the compositor.
static inline int ph_compositor_offers(const char *name) {
    struct wl_display *display = wl_display_connect(name);
    if (!display) return -1;
    int offers = 0;
    struct wl_registry *registry = wl_display_get_registry(display);
    if (registry) wl_registry_add_listener(registry, &ph_compositor_listener, &offers);
    if (!registry || wl_display_roundtrip(display) < 0) offers = -1;
    if (registry) wl_registry_destroy(registry);
    wl_display_disconnect(display);
    return offers;
}

static const struct wl_interface ph_feedback_interface;
static const struct wl_interface *ph_feedback_arguments[] = {
    &wl_surface_interface, &ph_feedback_interface};
static const struct wl_interface *ph_output_arguments[] = {&wl_output_interface};
static const struct wl_interface *ph_number_arguments[7] = {NULL};
static const struct wl_message ph_presentation_requests[] = {
    {"destroy", "", ph_number_arguments}, {"feedback", "on", ph_feedback_arguments}};
static const struct wl_message ph_presentation_events[] = {
    {"clock_id", "u", ph_number_arguments}};
static const struct wl_message ph_feedback_events[] = {
    {"sync_output", "o", ph_output_arguments},
    {"presented", "uuuuuuu", ph_number_arguments},
    {"discarded", "", ph_number_arguments}};
static const struct wl_interface ph_presentation_interface = {
    "wp_presentation", 1, 2, ph_presentation_requests, 1, ph_presentation_events};
static const struct wl_interface ph_feedback_interface = {
    "wp_presentation_feedback", 1, 0, NULL, 3, ph_feedback_events};

/// The number of frames that may wait for the compositor's answer.
#define PH_PENDING 16

/// The presentation of one surface. It has a queue of its own, so that GLFW does not handle its
/// events.
struct ph_presentation {
    struct wl_display *display;
    struct wl_surface *surface;
    struct wl_event_queue *queue;
    struct wl_proxy *presentation;
    /// The clock of the compositor's times.
    clockid_t clock;
    /// Requests without an answer; NULL for a free place. The thread that swaps fills places, and
    /// the thread that handles events frees them.
    struct wl_proxy *pending[PH_PENDING];
    int wake_descriptor;
    /// The latest answer, for the thread that handles events.
    int64_t time;
    uint32_t refresh;
    bool has_time;
    /// The output that is synchronised to; NULL if none is known. Any thread.
    struct wl_output *output;
};

static inline void ph_presentation_forget(struct ph_presentation *self, void *feedback) {
    for (int index = 0; index < PH_PENDING; index++) {
        if (__atomic_load_n(&self->pending[index], __ATOMIC_ACQUIRE) != feedback) continue;
        wl_proxy_destroy((struct wl_proxy *)feedback);
        __atomic_store_n(&self->pending[index], NULL, __ATOMIC_RELEASE);
        return;
    }
}

static inline void ph_feedback_output(void *data, void *feedback, struct wl_output *output) {
    (void)feedback;
    __atomic_store_n(&((struct ph_presentation *)data)->output, output, __ATOMIC_RELEASE);
}

static inline int64_t ph_nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline void ph_feedback_presented(
    void *data, void *feedback, uint32_t seconds_high, uint32_t seconds_low, uint32_t nanoseconds,
    uint32_t refresh, uint32_t count_high, uint32_t count_low, uint32_t flags) {
    (void)count_high, (void)count_low, (void)flags;
    struct ph_presentation *self = (struct ph_presentation *)data;
    int64_t seconds = (int64_t)((uint64_t)seconds_high << 32 | seconds_low);
    self->time = seconds * 1000000000 + nanoseconds;
    if (self->clock != CLOCK_MONOTONIC)
        self->time += ph_nanoseconds(CLOCK_MONOTONIC) - ph_nanoseconds(self->clock);
    self->refresh = refresh;
    self->has_time = true;
    ph_presentation_forget(self, feedback);
}

static inline void ph_feedback_discarded(void *data, void *feedback) {
    ph_presentation_forget((struct ph_presentation *)data, feedback);
}

static void (*const ph_feedback_listener[])(void) = {
    (void (*)(void))ph_feedback_output, (void (*)(void))ph_feedback_presented,
    (void (*)(void))ph_feedback_discarded};

static inline void ph_presentation_clock(void *data, void *presentation, uint32_t clock) {
    (void)presentation;
    ((struct ph_presentation *)data)->clock = (clockid_t)clock;
}

static void (*const ph_presentation_listener[])(void) = {
    (void (*)(void))ph_presentation_clock};

/// Releases everything. No other thread may use it.
static inline void ph_presentation_destroy(struct ph_presentation *self) {
    for (int index = 0; index < PH_PENDING; index++)
        if (self->pending[index]) wl_proxy_destroy(self->pending[index]);
    if (self->presentation) {
        wl_proxy_marshal(self->presentation, 0);
        wl_proxy_destroy(self->presentation);
    }
    if (self->queue) wl_event_queue_destroy(self->queue);
    if (self->wake_descriptor >= 0) close(self->wake_descriptor);
    free(self);
}

/// Returns the presentation of a surface; NULL if the compositor does not report it. Waits for the
/// compositor.
static inline struct ph_presentation *ph_presentation_create(void *display, void *surface) {
    struct ph_presentation *self =
        (struct ph_presentation *)calloc(1, sizeof(struct ph_presentation));
    if (!self) return NULL;
    self->display = (struct wl_display *)display;
    self->surface = (struct wl_surface *)surface;
    self->clock = CLOCK_MONOTONIC;
    self->wake_descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    self->queue = wl_display_create_queue(self->display);
    self->presentation = ph_bind(self->display, self->queue, &ph_presentation_interface);
    if (self->presentation) {
        wl_proxy_add_listener(
            self->presentation, (void (**)(void))ph_presentation_listener, self);
        // The compositor names the clock.
        wl_display_roundtrip_queue(self->display, self->queue);
    }
    if (self->presentation && self->wake_descriptor >= 0) return self;
    ph_presentation_destroy(self);
    return NULL;
}

/// Requests the time at which the next commit of the surface is presented. The thread that commits.
static inline void ph_presentation_request(struct ph_presentation *self) {
    for (int index = 0; index < PH_PENDING; index++) {
        if (__atomic_load_n(&self->pending[index], __ATOMIC_ACQUIRE)) continue;
        struct wl_proxy *feedback = wl_proxy_marshal_constructor(
            self->presentation, 1, &ph_feedback_interface, self->surface, NULL);
        if (!feedback) return;
        wl_proxy_add_listener(feedback, (void (**)(void))ph_feedback_listener, self);
        __atomic_store_n(&self->pending[index], feedback, __ATOMIC_RELEASE);
        return;
    }
}

/// Returns the output to which the last presented frame was synchronised; NULL if it is not known.
/// Any thread.
static inline void *ph_presentation_output(const struct ph_presentation *self) {
    return __atomic_load_n(&self->output, __ATOMIC_ACQUIRE);
}

/// Takes the latest answer of the compositor. The thread that handles events.
static inline bool ph_presentation_take(
    struct ph_presentation *self, int64_t *time, uint32_t *refresh) {
    wl_display_dispatch_queue_pending(self->display, self->queue);
    if (!self->has_time) return false;
    self->has_time = false;
    *time = self->time;
    *refresh = self->refresh;
    return true;
}

/// Waits for an answer, for `ph_presentation_wake`, or until the time has passed. The thread that
/// handles events.
static inline void ph_presentation_wait(struct ph_presentation *self, int64_t nanoseconds) {
    if (wl_display_prepare_read_queue(self->display, self->queue) != 0) return;
    wl_display_flush(self->display);
    struct pollfd descriptors[] = {
        {self->wake_descriptor, POLLIN, 0}, {wl_display_get_fd(self->display), POLLIN, 0}};
    // A lost connection is always readable.
    nfds_t count = wl_display_get_error(self->display) ? 1 : 2;
    struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    int ready = ppoll(descriptors, count, &limit, NULL);
    if (ready > 0 && count == 2 && descriptors[1].revents) {
        wl_display_read_events(self->display);
    } else {
        wl_display_cancel_read(self->display);
    }
}

/// Ends a wait, and all later ones. Any thread.
static inline void ph_presentation_wake(struct ph_presentation *self) {
    uint64_t one = 1;
    ssize_t written = write(self->wake_descriptor, &one, sizeof one);
    (void)written;
}

static const struct wl_interface ph_inhibitor_interface;
static const struct wl_interface *ph_inhibitor_arguments[] = {
    &ph_inhibitor_interface, &wl_surface_interface};
static const struct wl_message ph_idle_requests[] = {
    {"destroy", "", ph_number_arguments}, {"create_inhibitor", "no", ph_inhibitor_arguments}};
static const struct wl_message ph_inhibitor_requests[] = {{"destroy", "", ph_number_arguments}};
static const struct wl_interface ph_idle_interface = {
    "zwp_idle_inhibit_manager_v1", 1, 2, ph_idle_requests, 0, NULL};
static const struct wl_interface ph_inhibitor_interface = {
    "zwp_idle_inhibitor_v1", 1, 1, ph_inhibitor_requests, 0, NULL};

/// The idle state of the outputs that show a surface. One thread at a time.
struct ph_idle {
    struct wl_display *display;
    struct wl_surface *surface;
    struct wl_event_queue *queue;
    struct wl_proxy *manager;
    /// The object that keeps the outputs on; NULL while they may become idle.
    struct wl_proxy *inhibitor;
};

/// Sets whether the outputs that show the surface stay on.
static inline void ph_idle_inhibit(struct ph_idle *self, bool is_inhibited) {
    if (is_inhibited == (self->inhibitor != NULL)) return;
    if (is_inhibited) {
        self->inhibitor = wl_proxy_marshal_constructor(
            self->manager, 1, &ph_inhibitor_interface, NULL, self->surface);
    } else {
        wl_proxy_marshal(self->inhibitor, 0);
        wl_proxy_destroy(self->inhibitor);
        self->inhibitor = NULL;
    }
    wl_display_flush(self->display);
}

/// Releases everything. The outputs may become idle.
static inline void ph_idle_destroy(struct ph_idle *self) {
    if (self->manager) {
        ph_idle_inhibit(self, false);
        wl_proxy_marshal(self->manager, 0);
        wl_proxy_destroy(self->manager);
    }
    if (self->queue) wl_event_queue_destroy(self->queue);
    free(self);
}

/// Returns the idle state of a surface's outputs; NULL if the compositor keeps it to itself. Waits
/// for the compositor.
static inline struct ph_idle *ph_idle_create(void *display, void *surface) {
    struct ph_idle *self = (struct ph_idle *)calloc(1, sizeof(struct ph_idle));
    if (!self) return NULL;
    self->display = (struct wl_display *)display;
    self->surface = (struct wl_surface *)surface;
    self->queue = wl_display_create_queue(self->display);
    self->manager = ph_bind(self->display, self->queue, &ph_idle_interface);
    if (self->manager) return self;
    ph_idle_destroy(self);
    return NULL;
}
