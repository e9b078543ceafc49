// SPDX-License-Identifier: Apache-2.0
#pragma once
#if !__has_include(<xcb/randr.h>) || !__has_include(<xcb/xfixes.h>)
#error "libxcb-randr or libxcb-xfixes is missing: run Scripts/install-dependencies"
#endif
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <xcb/randr.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>
#include <xcb/xfixes.h>

// MIT-SHM, Composite and Damage: the requests that a capture sends, by their protocols
// (xorgproto: shmproto.h, compositeproto.h, damageproto.h). Their client libraries would be three
// packages more on systems that split libxcb, for ten requests.

static xcb_extension_t ph_shm_id = {"MIT-SHM", 0};
static xcb_extension_t ph_composite_id = {"Composite", 0};
static xcb_extension_t ph_damage_id = {"DAMAGE", 0};

/// Sends a request and returns its sequence number. libxcb fills in the header.
static inline unsigned int ph_x_send(
    xcb_connection_t *connection, xcb_extension_t *extension, uint8_t opcode, bool isVoid,
    void *request, size_t size
) {
    xcb_protocol_request_t protocol = {
        .count = 2, .ext = extension, .opcode = opcode, .isvoid = isVoid};
    struct iovec parts[4];
    parts[2].iov_base = request;
    parts[2].iov_len = size;
    parts[3].iov_base = 0;
    parts[3].iov_len = -size & 3;
    return xcb_send_request(connection, XCB_REQUEST_CHECKED, parts + 2, &protocol);
}

/// Sends a request without a reply, and waits until the server has performed or refused it.
static inline bool ph_x_perform(
    xcb_connection_t *connection, xcb_extension_t *extension, uint8_t opcode, void *request,
    size_t size
) {
    xcb_void_cookie_t cookie = {ph_x_send(connection, extension, opcode, true, request, size)};
    xcb_generic_error_t *error = xcb_request_check(connection, cookie);
    free(error);
    return !error;
}

/// Asks for the version of an extension, which the server must know before other requests of it.
/// Returns whether the server has it.
static inline bool ph_x_has(
    xcb_connection_t *connection, xcb_extension_t *extension, uint32_t major, uint32_t minor,
    bool statesVersion
) {
    const xcb_query_extension_reply_t *found = xcb_get_extension_data(connection, extension);
    if (!found || !found->present) return false;
    struct {
        uint8_t header[4];
        uint32_t major, minor;
    } request = {{0}, major, minor};
    unsigned int sequence = ph_x_send(
        connection, extension, 0, false, &request, statesVersion ? sizeof request : 4);
    void *reply = xcb_wait_for_reply(connection, sequence, NULL);
    free(reply);
    return reply;
}

static inline bool ph_shm_exists(xcb_connection_t *connection) {
    return ph_x_has(connection, &ph_shm_id, 0, 0, false);
}
static inline bool ph_composite_exists(xcb_connection_t *connection) {
    // 0.2 is the first version with NameWindowPixmap.
    return ph_x_has(connection, &ph_composite_id, 0, 2, true);
}
static inline bool ph_damage_exists(xcb_connection_t *connection) {
    return ph_x_has(connection, &ph_damage_id, 1, 1, true);
}

/// Returns whether the server has RandR 1.5, which lists monitors.
static inline bool ph_randr_exists(xcb_connection_t *connection) {
    const xcb_query_extension_reply_t *found = xcb_get_extension_data(connection, &xcb_randr_id);
    if (!found || !found->present) return false;
    xcb_randr_query_version_reply_t *version = xcb_randr_query_version_reply(
        connection, xcb_randr_query_version(connection, 1, 5), NULL);
    bool isNew = version && (version->major_version > 1 || version->minor_version >= 5);
    free(version);
    return isNew;
}

/// Asks for events when monitors change.
static inline void ph_randr_select(xcb_connection_t *connection, xcb_window_t root) {
    if (ph_randr_exists(connection))
        xcb_randr_select_input(
            connection, root,
            XCB_RANDR_NOTIFY_MASK_SCREEN_CHANGE | XCB_RANDR_NOTIFY_MASK_CRTC_CHANGE);
}

/// Returns whether an event reports a change of monitors.
static inline bool ph_randr_is_notice(xcb_connection_t *connection, xcb_generic_event_t *event) {
    const xcb_query_extension_reply_t *found = xcb_get_extension_data(connection, &xcb_randr_id);
    uint8_t type = event->response_type & 0x7f;
    return found && found->present
        && (type == found->first_event + XCB_RANDR_SCREEN_CHANGE_NOTIFY
            || type == found->first_event + XCB_RANDR_NOTIFY);
}

/// Attaches a shared memory segment of the system to the server.
static inline bool ph_shm_attach(xcb_connection_t *connection, uint32_t segment, int identifier) {
    struct {
        uint8_t header[4];
        uint32_t segment, identifier;
        uint8_t isReadOnly, padding[3];
    } request = {{0}, segment, (uint32_t)identifier, 0, {0}};
    return ph_x_perform(connection, &ph_shm_id, 1, &request, sizeof request);
}

static inline bool ph_shm_detach(xcb_connection_t *connection, uint32_t segment) {
    struct {
        uint8_t header[4];
        uint32_t segment;
    } request = {{0}, segment};
    return ph_x_perform(connection, &ph_shm_id, 2, &request, sizeof request);
}

/// Copies a part of a drawable into the segment, and waits for it.
static inline bool ph_shm_get_image(
    xcb_connection_t *connection, xcb_drawable_t drawable, int16_t x, int16_t y, uint16_t width,
    uint16_t height, uint32_t segment
) {
    struct {
        uint8_t header[4];
        uint32_t drawable;
        int16_t x, y;
        uint16_t width, height;
        uint32_t planes;
        uint8_t format, padding[3];
        uint32_t segment, offset;
    } request = {{0},        drawable, x, y, width, height, ~0u, XCB_IMAGE_FORMAT_Z_PIXMAP, {0},
                 segment, 0};
    unsigned int sequence =
        ph_x_send(connection, &ph_shm_id, 4, false, &request, sizeof request);
    void *reply = xcb_wait_for_reply(connection, sequence, NULL);
    free(reply);
    return reply;
}

/// Keeps the contents of a window in memory of its own, also where other windows cover it.
static inline bool ph_composite_redirect(xcb_connection_t *connection, xcb_window_t window) {
    struct {
        uint8_t header[4];
        uint32_t window;
        uint8_t isManual, padding[3];
    } request = {{0}, window, 0, {0}};
    return ph_x_perform(connection, &ph_composite_id, 1, &request, sizeof request);
}

/// Names the memory of a redirected window, as it is until the window is resized or mapped.
static inline bool ph_composite_name(
    xcb_connection_t *connection, xcb_window_t window, xcb_pixmap_t pixmap
) {
    struct {
        uint8_t header[4];
        uint32_t window, pixmap;
    } request = {{0}, window, pixmap};
    return ph_x_perform(connection, &ph_composite_id, 6, &request, sizeof request);
}

/// Asks for an event whenever the bounding box of what was drawn grows.
static inline bool ph_damage_create(
    xcb_connection_t *connection, uint32_t damage, xcb_drawable_t drawable
) {
    struct {
        uint8_t header[4];
        uint32_t damage, drawable;
        uint8_t level, padding[3];
    } request = {{0}, damage, drawable, 2, {0}};
    return ph_x_perform(connection, &ph_damage_id, 1, &request, sizeof request);
}

/// Forgets what was drawn so far, so that the next drawing is an event. Does not wait.
static inline void ph_damage_forget(xcb_connection_t *connection, uint32_t damage) {
    struct {
        uint8_t header[4];
        uint32_t damage, repair, parts;
    } request = {{0}, damage, 0, 0};
    xcb_discard_reply(
        connection, ph_x_send(connection, &ph_damage_id, 3, true, &request, sizeof request));
}

/// Returns whether an event reports drawing. If so, sets its bounding box in the drawable.
static inline bool ph_damage_is_notice(
    xcb_connection_t *connection, const xcb_generic_event_t *event, xcb_rectangle_t *area
) {
    const xcb_query_extension_reply_t *found = xcb_get_extension_data(connection, &ph_damage_id);
    if (!found || (event->response_type & 0x7f) != found->first_event) return false;
    const struct {
        uint8_t type, level;
        uint16_t sequence;
        uint32_t drawable, damage, time;
        xcb_rectangle_t area, geometry;
    } *notice = (const void *)event;
    *area = notice->area;
    return true;
}

/// Returns the type of an event without the bit of events that a client sent.
static inline uint8_t ph_x_event_type(const xcb_generic_event_t *event) {
    return event->response_type & 0x7f;
}

static inline xcb_window_t ph_x_configured_window(
    const xcb_generic_event_t *event, uint16_t *width, uint16_t *height
) {
    const xcb_configure_notify_event_t *notice = (const xcb_configure_notify_event_t *)event;
    *width = notice->width;
    *height = notice->height;
    return notice->window;
}

static inline xcb_window_t ph_x_destroyed_window(const xcb_generic_event_t *event) {
    return ((const xcb_destroy_notify_event_t *)event)->window;
}

/// Returns the first root window of a connection with its size and depth.
static inline xcb_screen_t *ph_x_screen(xcb_connection_t *connection, int number) {
    xcb_screen_iterator_t screens = xcb_setup_roots_iterator(xcb_get_setup(connection));
    while (number > 0 && screens.rem > 1) {
        xcb_screen_next(&screens);
        number -= 1;
    }
    return screens.data;
}

/// Returns the bits of a pixel at a depth; 0 if the server has none.
static inline int ph_x_bits_per_pixel(xcb_connection_t *connection, int depth) {
    xcb_format_iterator_t formats = xcb_setup_pixmap_formats_iterator(xcb_get_setup(connection));
    for (; formats.rem; xcb_format_next(&formats))
        if (formats.data->depth == depth) return formats.data->bits_per_pixel;
    return 0;
}

static inline bool ph_x_is_little_endian(xcb_connection_t *connection) {
    return xcb_get_setup(connection)->image_byte_order == XCB_IMAGE_ORDER_LSB_FIRST;
}

/// Creates a descriptor that one thread can use to wake another from poll(); -1 on failure.
static inline int ph_screen_wake_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// Creates a private segment of shared memory; -1 on failure.
static inline int ph_shm_create(size_t size) { return shmget(IPC_PRIVATE, size, IPC_CREAT | 0600); }

/// Maps a segment; NULL on failure.
static inline void *ph_shm_map(int identifier) {
    void *address = shmat(identifier, NULL, 0);
    return address == (void *)-1 ? NULL : address;
}

/// Frees a segment once no process has it mapped.
static inline void ph_shm_remove(int identifier) { shmctl(identifier, IPC_RMID, NULL); }
static inline void ph_shm_unmap(void *address) { shmdt(address); }
