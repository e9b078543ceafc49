// SPDX-License-Identifier: Apache-2.0
// sd-bus, D-Bus of libsystemd.
#pragma once
#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <systemd/sd-bus.h>

/// A descriptor by which one thread wakes another from poll(), or -1.
static inline int ph_bus_wake_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// Appends text, or an object's path.
static inline int ph_bus_append_text(sd_bus_message *message, char type, const char *text) {
    return sd_bus_message_append_basic(message, type, text);
}

/// Replies to a call with an error of a name.
static inline int ph_bus_reply_error(sd_bus_message *call, const char *name, const char *text) {
    const sd_bus_error error = SD_BUS_ERROR_MAKE_CONST(name, text);
    return sd_bus_reply_method_error(call, &error);
}
