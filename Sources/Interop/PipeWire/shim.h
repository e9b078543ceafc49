// SPDX-License-Identifier: Apache-2.0
// Video streams of PipeWire 0.3 and later. The library is loaded when a stream is opened, so that
// programs also run where it is missing. The types that are used are written here, because the
// library's headers need flags that the package manager refuses. They belong to its stable
// interface (pipewire/stream.h, pipewire/loop.h, spa/buffer/buffer.h, spa/buffer/meta.h).
#pragma once
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

struct pw_context;
struct pw_core;
struct pw_properties;
struct pw_stream;

/// Memory that PipeWire links into its lists of listeners.
struct ph_pw_hook {
    void *contents[6];
};

struct ph_pw_chunk {
    uint32_t offset, size;
    int32_t stride, flags;
};

struct ph_pw_data {
    uint32_t type, flags;
    int64_t descriptor;
    uint32_t map_offset, size;
    void *bytes;
    struct ph_pw_chunk *chunk;
};

struct ph_pw_meta {
    uint32_t type, size;
    void *bytes;
};

struct ph_pw_frame {
    uint32_t meta_count, data_count;
    struct ph_pw_meta *metas;
    struct ph_pw_data *datas;
};

struct ph_pw_buffer {
    struct ph_pw_frame *frame;
};

struct ph_pw_header {
    uint32_t flags, offset;
    int64_t time, decoding_offset;
    uint64_t sequence;
};

struct ph_pw_region {
    int32_t x, y;
    uint32_t width, height;
};

struct ph_pw_stream_events {
    uint32_t version;
    void (*destroy)(void *data);
    void (*state_changed)(void *data, int old, int state, const char *error);
    void (*control_info)(void);
    void (*io_changed)(void);
    void (*param_changed)(void *data, uint32_t identifier, const void *param);
    void (*add_buffer)(void *data, struct ph_pw_buffer *buffer);
    void (*remove_buffer)(void *data, struct ph_pw_buffer *buffer);
    void (*process)(void *data);
    void (*drained)(void);
    void (*command)(void);
    void (*trigger_done)(void *data);
};

struct ph_pw_interface {
    const char *type;
    uint32_t version;
    const void *functions;
    void *object;
};

/// The first methods of a connection and of its registry (pipewire/core.h).
struct ph_pw_core_methods {
    uint32_t version;
    void (*unused[5])(void);
    void *(*get_registry)(void *object, uint32_t version, size_t user_data_size);
};

struct ph_pw_registry_events {
    uint32_t version;
    void (*global)(
        void *data, uint32_t identifier, uint32_t permissions, const char *type, uint32_t version,
        const void *properties);
    void (*global_removed)(void *data, uint32_t identifier);
};

struct ph_pw_registry_methods {
    uint32_t version;
    int (*add_listener)(
        void *object, struct ph_pw_hook *, const struct ph_pw_registry_events *, void *data);
};

struct ph_pw_loop {
    void *system, *loop;
    struct ph_pw_interface *control;
};

struct ph_pw_loop_control {
    uint32_t version;
    int (*descriptor)(void *object);
    void (*add_hook)(void);
    void (*enter)(void *object);
    void (*leave)(void *object);
    int (*iterate)(void *object, int timeout);
};

/// The functions of the library that are used.
struct ph_pipewire {
    void (*initialize)(int *count, char ***arguments);
    struct ph_pw_loop *(*loop_new)(const void *properties);
    void (*loop_destroy)(struct ph_pw_loop *loop);
    struct pw_properties *(*properties_new_string)(const char *text);
    struct pw_context *(*context_new)(struct ph_pw_loop *, struct pw_properties *, size_t);
    void (*context_destroy)(struct pw_context *context);
    struct pw_core *(*context_connect_fd)(struct pw_context *, int, struct pw_properties *, size_t);
    int (*core_disconnect)(struct pw_core *core);
    struct pw_stream *(*stream_new)(struct pw_core *, const char *name, struct pw_properties *);
    void (*stream_destroy)(struct pw_stream *stream);
    void (*stream_add_listener)(
        struct pw_stream *, struct ph_pw_hook *, const struct ph_pw_stream_events *, void *data);
    int (*stream_connect)(
        struct pw_stream *, int direction, uint32_t target, int flags, const void **params,
        uint32_t count);
    int (*stream_update_params)(struct pw_stream *, const void **params, uint32_t count);
    struct ph_pw_buffer *(*stream_dequeue_buffer)(struct pw_stream *stream);
    int (*stream_queue_buffer)(struct pw_stream *, struct ph_pw_buffer *buffer);
    uint32_t (*stream_get_node_id)(struct pw_stream *stream);
    int (*stream_trigger_process)(struct pw_stream *stream);
};

/// Loads the library for the rest of the process. Returns false if it is missing or lacks a
/// function.
static inline bool ph_pipewire_load(struct ph_pipewire *functions) {
    void *library = dlopen("libpipewire-0.3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    // In the order of the structure's members.
    static const char *const names[] = {
        "pw_init", "pw_loop_new", "pw_loop_destroy", "pw_properties_new_string", "pw_context_new",
        "pw_context_destroy", "pw_context_connect_fd", "pw_core_disconnect", "pw_stream_new",
        "pw_stream_destroy", "pw_stream_add_listener", "pw_stream_connect",
        "pw_stream_update_params", "pw_stream_dequeue_buffer", "pw_stream_queue_buffer",
        "pw_stream_get_node_id", "pw_stream_trigger_process"};
    void *found[sizeof names / sizeof *names];
    _Static_assert(sizeof found == sizeof *functions, "a name for each function");
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
        found[index] = dlsym(library, names[index]);
        if (!found[index]) return false;
    }
    memcpy(functions, found, sizeof found);
    functions->initialize(NULL, NULL);
    return true;
}

/// Reports the objects of PipeWire that come and go, until the connection ends.
static inline void ph_pw_watch_registry(
    struct pw_core *core, struct ph_pw_hook *hook, const struct ph_pw_registry_events *events,
    void *data) {
    const struct ph_pw_interface *interface = (const struct ph_pw_interface *)core;
    interface = (const struct ph_pw_interface *)((const struct ph_pw_core_methods *)
        interface->functions)->get_registry(interface->object, 3, 0);
    if (!interface) return;
    ((const struct ph_pw_registry_methods *)interface->functions)
        ->add_listener(interface->object, hook, events, data);
}

static inline const struct ph_pw_loop_control *ph_pw_control(const struct ph_pw_loop *loop) {
    return (const struct ph_pw_loop_control *)loop->control->functions;
}

/// Returns the descriptor that is readable when the loop has something to do.
static inline int ph_pw_loop_descriptor(struct ph_pw_loop *loop) {
    return ph_pw_control(loop)->descriptor(loop->control->object);
}

/// Makes the calling thread that of the loop.
static inline void ph_pw_loop_enter(struct ph_pw_loop *loop) {
    ph_pw_control(loop)->enter(loop->control->object);
}

static inline void ph_pw_loop_leave(struct ph_pw_loop *loop) {
    ph_pw_control(loop)->leave(loop->control->object);
}

/// Handles what has happened, and waits at most `timeout` milliseconds for it.
static inline void ph_pw_loop_iterate(struct ph_pw_loop *loop, int timeout) {
    ph_pw_control(loop)->iterate(loop->control->object, timeout);
}

/// Returns the metadata of a type; NULL if the frame has none that is large enough.
static inline const void *ph_pw_metadata(
    const struct ph_pw_frame *frame, uint32_t type, size_t size) {
    for (uint32_t index = 0; index < frame->meta_count; index++)
        if (frame->metas[index].type == type && frame->metas[index].size >= size)
            return frame->metas[index].bytes;
    return NULL;
}

/// Creates a descriptor that one thread can use to wake another from poll(); -1 on failure.
static inline int ph_pw_wake_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
