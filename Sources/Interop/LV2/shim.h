// SPDX-License-Identifier: Apache-2.0
// LV2 plug-ins, found and loaded by Lilv 0.24 and later. The library is loaded on first use, so
// that programs also run where it is missing, and building needs none of its headers. The types
// that are used are written here: they belong to the stable interfaces of LV2 (lv2/core/lv2.h,
// lv2/urid/urid.h, lv2/options/options.h, lv2/atom/atom.h) and of Lilv (lilv/lilv.h).
#pragma once
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// MARK: LV2

struct ph_lv2_feature {
    const char *uri;
    void *data;
};

struct ph_lv2_urid_map {
    void *handle;
    uint32_t (*map)(void *handle, const char *uri);
};

struct ph_lv2_urid_unmap {
    void *handle;
    const char *(*unmap)(void *handle, uint32_t identifier);
};

/// An option of an instance; `context` and `subject` are 0. A list ends with zeros.
struct ph_lv2_option {
    int context;
    uint32_t subject, key, size, type;
    const void *value;
};

/// An event port's buffer: an atom that is a sequence without events.
struct ph_lv2_sequence {
    uint32_t size, type, unit, padding;
};

struct ph_lv2_descriptor {
    const char *uri;
    void *(*instantiate)(void);
    void (*connect_port)(void *handle, uint32_t port, void *location);
    void (*activate)(void *handle);
    void (*run)(void *handle, uint32_t frame_count);
    void (*deactivate)(void *handle);
    void (*cleanup)(void *handle);
    const void *(*extension_data)(const char *uri);
};

// MARK: Lilv

struct ph_lilv_world;
struct ph_lilv_plugins;
struct ph_lilv_plugin;
struct ph_lilv_port;
struct ph_lilv_points;
struct ph_lilv_point;
struct ph_lilv_nodes;
struct ph_lilv_node;
struct ph_lilv_iterator;

struct ph_lilv_instance {
    const struct ph_lv2_descriptor *descriptor;
    void *handle;
    void *internals;
};

/// The functions of the library that are used: result, name without `lilv_`, parameters.
#define PH_LILV_FUNCTIONS(F)                                                                    \
    F(struct ph_lilv_world *, world_new, (void))                                                \
    F(void, world_free, (struct ph_lilv_world *))                                               \
    F(void, world_set_option,                                                                   \
      (struct ph_lilv_world *, const char *uri, const struct ph_lilv_node *))                   \
    F(void, world_load_all, (struct ph_lilv_world *))                                           \
    F(const struct ph_lilv_plugins *, world_get_all_plugins, (const struct ph_lilv_world *))    \
    F(struct ph_lilv_node *, world_get,                                                         \
      (struct ph_lilv_world *, const struct ph_lilv_node *subject,                              \
       const struct ph_lilv_node *predicate, const struct ph_lilv_node *object))                \
    F(struct ph_lilv_iterator *, plugins_begin, (const struct ph_lilv_plugins *))               \
    F(struct ph_lilv_iterator *, plugins_next,                                                  \
      (const struct ph_lilv_plugins *, struct ph_lilv_iterator *))                              \
    F(bool, plugins_is_end, (const struct ph_lilv_plugins *, struct ph_lilv_iterator *))        \
    F(const struct ph_lilv_plugin *, plugins_get,                                               \
      (const struct ph_lilv_plugins *, struct ph_lilv_iterator *))                              \
    F(const struct ph_lilv_plugin *, plugins_get_by_uri,                                        \
      (const struct ph_lilv_plugins *, const struct ph_lilv_node *uri))                         \
    F(const struct ph_lilv_node *, plugin_get_uri, (const struct ph_lilv_plugin *))             \
    F(struct ph_lilv_node *, plugin_get_name, (const struct ph_lilv_plugin *))                  \
    F(struct ph_lilv_node *, plugin_get_author_name, (const struct ph_lilv_plugin *))           \
    F(struct ph_lilv_nodes *, plugin_get_required_features, (const struct ph_lilv_plugin *))    \
    F(struct ph_lilv_nodes *, plugin_get_value,                                                 \
      (const struct ph_lilv_plugin *, const struct ph_lilv_node *predicate))                    \
    F(bool, plugin_has_feature,                                                                 \
      (const struct ph_lilv_plugin *, const struct ph_lilv_node *feature))                      \
    F(bool, plugin_has_latency, (const struct ph_lilv_plugin *))                                \
    F(uint32_t, plugin_get_latency_port_index, (const struct ph_lilv_plugin *))                 \
    F(uint32_t, plugin_get_num_ports, (const struct ph_lilv_plugin *))                          \
    F(const struct ph_lilv_port *, plugin_get_port_by_index,                                    \
      (const struct ph_lilv_plugin *, uint32_t index))                                          \
    F(struct ph_lilv_instance *, plugin_instantiate,                                            \
      (const struct ph_lilv_plugin *, double sample_rate,                                       \
       const struct ph_lv2_feature *const *features))                                           \
    F(void, instance_free, (struct ph_lilv_instance *))                                         \
    F(const struct ph_lilv_node *, port_get_symbol,                                             \
      (const struct ph_lilv_plugin *, const struct ph_lilv_port *))                             \
    F(struct ph_lilv_node *, port_get_name,                                                     \
      (const struct ph_lilv_plugin *, const struct ph_lilv_port *))                             \
    F(void, port_get_range,                                                                     \
      (const struct ph_lilv_plugin *, const struct ph_lilv_port *,                              \
       struct ph_lilv_node **initial, struct ph_lilv_node **minimum,                            \
       struct ph_lilv_node **maximum))                                                          \
    F(bool, port_is_a,                                                                          \
      (const struct ph_lilv_plugin *, const struct ph_lilv_port *,                              \
       const struct ph_lilv_node *port_class))                                                  \
    F(bool, port_has_property,                                                                  \
      (const struct ph_lilv_plugin *, const struct ph_lilv_port *,                              \
       const struct ph_lilv_node *property))                                                    \
    F(struct ph_lilv_node *, port_get,                                                          \
      (const struct ph_lilv_plugin *, const struct ph_lilv_port *,                              \
       const struct ph_lilv_node *predicate))                                                   \
    F(struct ph_lilv_nodes *, port_get_value,                                                   \
      (const struct ph_lilv_plugin *, const struct ph_lilv_port *,                              \
       const struct ph_lilv_node *predicate))                                                   \
    F(struct ph_lilv_points *, port_get_scale_points,                                           \
      (const struct ph_lilv_plugin *, const struct ph_lilv_port *))                             \
    F(struct ph_lilv_iterator *, scale_points_begin, (const struct ph_lilv_points *))           \
    F(struct ph_lilv_iterator *, scale_points_next,                                             \
      (const struct ph_lilv_points *, struct ph_lilv_iterator *))                               \
    F(bool, scale_points_is_end, (const struct ph_lilv_points *, struct ph_lilv_iterator *))    \
    F(const struct ph_lilv_point *, scale_points_get,                                           \
      (const struct ph_lilv_points *, struct ph_lilv_iterator *))                               \
    F(void, scale_points_free, (struct ph_lilv_points *))                                       \
    F(const struct ph_lilv_node *, scale_point_get_label, (const struct ph_lilv_point *))       \
    F(const struct ph_lilv_node *, scale_point_get_value, (const struct ph_lilv_point *))       \
    F(struct ph_lilv_iterator *, nodes_begin, (const struct ph_lilv_nodes *))                   \
    F(struct ph_lilv_iterator *, nodes_next,                                                    \
      (const struct ph_lilv_nodes *, struct ph_lilv_iterator *))                                \
    F(bool, nodes_is_end, (const struct ph_lilv_nodes *, struct ph_lilv_iterator *))            \
    F(const struct ph_lilv_node *, nodes_get,                                                   \
      (const struct ph_lilv_nodes *, struct ph_lilv_iterator *))                                \
    F(void, nodes_free, (struct ph_lilv_nodes *))                                               \
    F(struct ph_lilv_node *, new_uri, (struct ph_lilv_world *, const char *uri))                \
    F(struct ph_lilv_node *, new_string, (struct ph_lilv_world *, const char *text))            \
    F(void, node_free, (struct ph_lilv_node *))                                                 \
    F(const char *, node_as_string, (const struct ph_lilv_node *))                              \
    F(float, node_as_float, (const struct ph_lilv_node *))                                      \
    F(bool, node_is_bool, (const struct ph_lilv_node *))                                        \
    F(bool, node_as_bool, (const struct ph_lilv_node *))

struct ph_lilv {
#define PH_LILV_MEMBER(result, name, parameters) result(*name) parameters;
    PH_LILV_FUNCTIONS(PH_LILV_MEMBER)
#undef PH_LILV_MEMBER
};

/// Loads the library for the rest of the process. Returns false if it is missing or lacks a
/// function.
static inline bool ph_lilv_load(struct ph_lilv *functions, const char *file) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
#define PH_LILV_NAME(result, name, parameters) "lilv_" #name,
    static const char *const names[] = {PH_LILV_FUNCTIONS(PH_LILV_NAME)};
#undef PH_LILV_NAME
    void *found[sizeof names / sizeof *names];
    _Static_assert(sizeof found == sizeof *functions, "a name for each function");
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
        found[index] = dlsym(library, names[index]);
        if (!found[index]) return false;
    }
    memcpy(functions, found, sizeof found);
    return true;
}
