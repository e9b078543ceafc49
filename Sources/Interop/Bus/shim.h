// SPDX-License-Identifier: Apache-2.0
// sd-bus, the D-Bus library in libsystemd.
#pragma once
#if !__has_include(<systemd/sd-bus.h>)
#error "libsystemd is missing: apt install libsystemd-dev, or Scripts/install-dependencies"
#endif
#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <systemd/sd-bus.h>

/// Creates a descriptor that one thread can use to wake another from poll(); -1 on failure.
static inline int ph_bus_wake_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// Appends a string or an object path to a message.
static inline int ph_bus_append_text(sd_bus_message *message, char type, const char *text) {
    return sd_bus_message_append_basic(message, type, text);
}

/// Replies to a call with a named error.
static inline int ph_bus_reply_error(sd_bus_message *call, const char *name, const char *text) {
    const sd_bus_error error = SD_BUS_ERROR_MAKE_CONST(name, text);
    return sd_bus_reply_method_error(call, &error);
}
