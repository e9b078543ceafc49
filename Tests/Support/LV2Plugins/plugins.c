// SPDX-License-Identifier: Apache-2.0
//
// LV2 plug-ins for tests, in one library: each does one thing that a host must handle. plugins.ttl
// describes their ports.
//
//     cc -shared -fPIC -o plugins.so plugins.c
#include <lv2/atom/atom.h>
#include <lv2/buf-size/buf-size.h>
#include <lv2/core/lv2.h>
#include <lv2/options/options.h>
#include <lv2/parameters/parameters.h>
#include <lv2/urid/urid.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { most_ports = 10 };

typedef struct {
    float *ports[most_ports];
    bool is_active;
    LV2_URID sequence, chunk;
    int most_frames;
} Instance;

static atomic_int instances, active_instances;

/// The numbers of instances that exist, and that are active.
int playhead_test_instances(void) { return instances; }
int playhead_test_active_instances(void) { return active_instances; }

static void *new_instance(void) {
    Instance *instance = calloc(1, sizeof *instance);
    if (instance) instances++;
    return instance;
}

static LV2_Handle instantiate(
    const LV2_Descriptor *descriptor, double rate, const char *folder,
    const LV2_Feature *const *features) {
    (void)descriptor, (void)rate, (void)folder, (void)features;
    return new_instance();
}

static void connect_port(LV2_Handle handle, uint32_t port, void *location) {
    if (port < most_ports) ((Instance *)handle)->ports[port] = location;
}

static void activate(LV2_Handle handle) {
    ((Instance *)handle)->is_active = true;
    active_instances++;
}

static void deactivate(LV2_Handle handle) {
    ((Instance *)handle)->is_active = false;
    active_instances--;
}

static void cleanup(LV2_Handle handle) {
    instances--;
    free(handle);
}

static void copy(const float *from, float *to, uint32_t count, float factor) {
    for (uint32_t frame = 0; frame < count; frame++) to[frame] = from[frame] * factor;
}

// MARK: Plug-ins

/// Multiplies by its first port, and reports the number of frames. Silent while it is not active.
static void run_gain(LV2_Handle handle, uint32_t count) {
    Instance *instance = handle;
    float **ports = instance->ports;
    copy(ports[1], ports[2], count, instance->is_active ? *ports[0] : 0);
    *ports[3] = (float)count;
}

/// Exchanges two channels.
static void run_swap(LV2_Handle handle, uint32_t count) {
    float **ports = ((Instance *)handle)->ports;
    copy(ports[0], ports[3], count, 1);
    copy(ports[1], ports[2], count, 1);
}

/// Outputs a millionth of the frequency in its fourth port, and reports a delay.
static void run_parameters(LV2_Handle handle, uint32_t count) {
    float **ports = ((Instance *)handle)->ports;
    for (uint32_t frame = 0; frame < count; frame++) ports[8][frame] = *ports[3] / 1e6f;
    *ports[6] = *ports[5];
}

/// Outputs what is not a number while its third port is above 0.
static void run_nan(LV2_Handle handle, uint32_t count) {
    float **ports = ((Instance *)handle)->ports;
    copy(ports[0], ports[1], count, *ports[2] > 0 ? NAN : 1);
}

/// Passes samples on if its third port is not connected.
static void run_optional(LV2_Handle handle, uint32_t count) {
    float **ports = ((Instance *)handle)->ports;
    copy(ports[0], ports[1], count, ports[2] ? 0 : 1);
}

static void run_pass(LV2_Handle handle, uint32_t count) {
    float **ports = ((Instance *)handle)->ports;
    copy(ports[0], ports[1], count, 1);
}

/// Allocates memory, which it must not do.
static void run_allocating(LV2_Handle handle, uint32_t count) {
    void *volatile memory = malloc(64);
    free(memory);
    run_pass(handle, count);
}

static LV2_Handle fail(
    const LV2_Descriptor *descriptor, double rate, const char *folder,
    const LV2_Feature *const *features) {
    (void)descriptor, (void)rate, (void)folder, (void)features;
    return NULL;
}

// MARK: Features

static const void *feature(const LV2_Feature *const *features, const char *uri) {
    for (; *features; features++)
        if (!strcmp((*features)->URI, uri)) return (*features)->data ? (*features)->data : "";
    return NULL;
}

/// Returns an option's value, which has the given type; NULL if it is missing.
static const void *option(
    const LV2_Options_Option *options, const LV2_URID_Map *map, const char *key, const char *type) {
    for (; options->key; options++)
        if (options->key == map->map(map->handle, key))
            return options->context == LV2_OPTIONS_INSTANCE && options->subject == 0
                    && options->size == 4 && options->type == map->map(map->handle, type)
                ? options->value
                : NULL;
    return NULL;
}

/// Creates an instance only if all features and options are there, and agree.
static LV2_Handle instantiate_demanding(
    const LV2_Descriptor *descriptor, double rate, const char *folder,
    const LV2_Feature *const *features) {
    (void)descriptor, (void)folder;
    const LV2_URID_Map *map = feature(features, LV2_URID__map);
    const LV2_URID_Unmap *unmap = feature(features, LV2_URID__unmap);
    const LV2_Options_Option *options = feature(features, LV2_OPTIONS__options);
    if (!map || !unmap || !options || !feature(features, LV2_BUF_SIZE__boundedBlockLength))
        return NULL;
    char name[] = "urn:playhead:a-name";
    LV2_URID number = map->map(map->handle, name);
    if (!number || number != map->map(map->handle, "urn:playhead:a-name")) return NULL;
    if (strcmp(unmap->unmap(unmap->handle, number), name)) return NULL;
    if (unmap->unmap(unmap->handle, 0) || unmap->unmap(unmap->handle, 1 << 30)) return NULL;
    const int *least = option(options, map, LV2_BUF_SIZE__minBlockLength, LV2_ATOM__Int);
    const int *most = option(options, map, LV2_BUF_SIZE__maxBlockLength, LV2_ATOM__Int);
    const int *usual = option(options, map, LV2_BUF_SIZE__nominalBlockLength, LV2_ATOM__Int);
    const float *given = option(options, map, LV2_PARAMETERS__sampleRate, LV2_ATOM__Float);
    if (!least || !most || !usual || !given) return NULL;
    if (*least < 1 || *usual < *least || *usual > *most || *given != (float)rate) return NULL;
    Instance *instance = new_instance();
    if (!instance) return NULL;
    instance->most_frames = *most;
    instance->sequence = map->map(map->handle, LV2_ATOM__Sequence);
    instance->chunk = map->map(map->handle, LV2_ATOM__Chunk);
    return instance;
}

/// Passes samples on if the block is as short as promised, no event arrives, and there is space for
/// events, which it fills.
static void run_demanding(LV2_Handle handle, uint32_t count) {
    Instance *instance = handle;
    float **ports = instance->ports;
    LV2_Atom_Sequence *incoming = (LV2_Atom_Sequence *)ports[2];
    LV2_Atom *outgoing = (LV2_Atom *)ports[3];
    bool is_good = (int)count <= instance->most_frames
        && incoming->atom.type == instance->sequence
        && incoming->atom.size == sizeof(LV2_Atom_Sequence_Body) && incoming->body.unit == 0
        && outgoing->type == instance->chunk && outgoing->size >= 8192;
    copy(ports[0], ports[1], count, is_good ? 1 : 0);
    // A sequence that fills the buffer: the next block must find it empty again.
    memset(outgoing + 1, 0x55, outgoing->size);
    outgoing->size = 8;
    outgoing->type = instance->sequence;
    incoming->atom.size = 0;
}

#define PLUGIN(name, instantiate, run)                                                           \
    {                                                                                            \
        "urn:playhead:" name, instantiate, connect_port, activate, run, deactivate, cleanup, NULL \
    }

static const LV2_Descriptor descriptors[] = {
    PLUGIN("gain", instantiate, run_gain),
    PLUGIN("swap", instantiate, run_swap),
    PLUGIN("parameters", instantiate, run_parameters),
    PLUGIN("nan", instantiate, run_nan),
    PLUGIN("optional", instantiate, run_optional),
    PLUGIN("allocating", instantiate, run_allocating),
    PLUGIN("failing", fail, run_pass),
    PLUGIN("demanding", instantiate_demanding, run_demanding),
    PLUGIN("worker", instantiate, run_pass),
    PLUGIN("feature", instantiate, run_pass),
    PLUGIN("option", instantiate, run_pass),
    PLUGIN("cv", instantiate, run_pass),
    PLUGIN("uneven", instantiate, run_pass),
    PLUGIN("instrument", instantiate, run_pass),
    PLUGIN("holes", instantiate, run_pass),
};

LV2_SYMBOL_EXPORT const LV2_Descriptor *lv2_descriptor(uint32_t index) {
    return index < sizeof descriptors / sizeof *descriptors ? descriptors + index : NULL;
}
