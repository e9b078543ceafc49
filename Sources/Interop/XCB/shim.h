// SPDX-License-Identifier: Apache-2.0
#pragma once
#if !__has_include(<xcb/present.h>)
#error "libxcb-present is missing: apt install libxcb-present-dev, or Scripts/install-dependencies"
#endif
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <xcb/present.h>
#include <xcb/xcb.h>

/// Returns the major opcode of the Present extension, or 0 if the server lacks it. Waits for the
/// server.
static inline uint8_t ph_present_opcode(xcb_connection_t *connection) {
    const xcb_query_extension_reply_t *extension =
        xcb_get_extension_data(connection, &xcb_present_id);
    if (!extension || !extension->present) return 0;
    xcb_present_query_version_reply_t *version = xcb_present_query_version_reply(
        connection, xcb_present_query_version(connection, 1, 0), NULL);
    if (!version) return 0;
    free(version);
    return extension->major_opcode;
}

/// Returns whether `event` is the reply to a NotifyMSC request. If so, sets the serial of the
/// request, and the time of the vsync, in microseconds, and its count.
static inline bool ph_present_is_vsync(
    const xcb_generic_event_t *event, uint8_t opcode, uint32_t *serial, uint64_t *ust,
    uint64_t *msc
) {
    if ((event->response_type & 0x7f) != XCB_GE_GENERIC) return false;
    const xcb_present_complete_notify_event_t *complete =
        (const xcb_present_complete_notify_event_t *)event;
    if (complete->extension != opcode) return false;
    if (complete->event_type != XCB_PRESENT_COMPLETE_NOTIFY) return false;
    if (complete->kind != XCB_PRESENT_COMPLETE_KIND_NOTIFY_MSC) return false;
    *serial = complete->serial;
    *ust = complete->ust;
    *msc = complete->msc;
    return true;
}

/// Creates a descriptor that one thread can use to wake another from poll(); -1 on failure.
static inline int ph_wake_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
