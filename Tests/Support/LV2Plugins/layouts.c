// SPDX-License-Identifier: Apache-2.0
//
// Compiles only if the types of the shim have the layouts of LV2's and Lilv's own headers.
//
//     cc -fsyntax-only -I Sources/Interop/LV2 $(pkg-config --cflags lilv-0) layouts.c
#include <lilv/lilv.h>
#include <lv2/atom/atom.h>
#include <lv2/core/lv2.h>
#include <lv2/options/options.h>
#include <lv2/urid/urid.h>
#include <shim.h>

#define SAME_SIZE(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #ours)
#define SAME_PLACE(ours, theirs, our_member, their_member)                                       \
    _Static_assert(                                                                              \
        offsetof(ours, our_member) == offsetof(theirs, their_member)                             \
            && sizeof((ours){0}.our_member) == sizeof((theirs){0}.their_member),                 \
        #ours "." #our_member)

SAME_SIZE(struct ph_lv2_feature, LV2_Feature);
SAME_PLACE(struct ph_lv2_feature, LV2_Feature, uri, URI);
SAME_PLACE(struct ph_lv2_feature, LV2_Feature, data, data);

SAME_SIZE(struct ph_lv2_urid_map, LV2_URID_Map);
SAME_PLACE(struct ph_lv2_urid_map, LV2_URID_Map, handle, handle);
SAME_PLACE(struct ph_lv2_urid_map, LV2_URID_Map, map, map);
SAME_SIZE(struct ph_lv2_urid_unmap, LV2_URID_Unmap);
SAME_PLACE(struct ph_lv2_urid_unmap, LV2_URID_Unmap, handle, handle);
SAME_PLACE(struct ph_lv2_urid_unmap, LV2_URID_Unmap, unmap, unmap);

SAME_SIZE(struct ph_lv2_option, LV2_Options_Option);
SAME_PLACE(struct ph_lv2_option, LV2_Options_Option, context, context);
SAME_PLACE(struct ph_lv2_option, LV2_Options_Option, subject, subject);
SAME_PLACE(struct ph_lv2_option, LV2_Options_Option, key, key);
SAME_PLACE(struct ph_lv2_option, LV2_Options_Option, size, size);
SAME_PLACE(struct ph_lv2_option, LV2_Options_Option, type, type);
SAME_PLACE(struct ph_lv2_option, LV2_Options_Option, value, value);

SAME_SIZE(struct ph_lv2_sequence, LV2_Atom_Sequence);
SAME_PLACE(struct ph_lv2_sequence, LV2_Atom_Sequence, size, atom.size);
SAME_PLACE(struct ph_lv2_sequence, LV2_Atom_Sequence, type, atom.type);
SAME_PLACE(struct ph_lv2_sequence, LV2_Atom_Sequence, unit, body.unit);

SAME_SIZE(struct ph_lv2_descriptor, LV2_Descriptor);
SAME_PLACE(struct ph_lv2_descriptor, LV2_Descriptor, uri, URI);
SAME_PLACE(struct ph_lv2_descriptor, LV2_Descriptor, connect_port, connect_port);
SAME_PLACE(struct ph_lv2_descriptor, LV2_Descriptor, activate, activate);
SAME_PLACE(struct ph_lv2_descriptor, LV2_Descriptor, run, run);
SAME_PLACE(struct ph_lv2_descriptor, LV2_Descriptor, deactivate, deactivate);
SAME_PLACE(struct ph_lv2_descriptor, LV2_Descriptor, cleanup, cleanup);
SAME_PLACE(struct ph_lv2_descriptor, LV2_Descriptor, extension_data, extension_data);

SAME_SIZE(struct ph_lilv_instance, LilvInstance);
SAME_PLACE(struct ph_lilv_instance, LilvInstance, descriptor, lv2_descriptor);
SAME_PLACE(struct ph_lilv_instance, LilvInstance, handle, lv2_handle);

// Functions: the numbers of their parameters, and the sizes of their results. The types behind
// pointers cannot be compared, because Lilv declares its collections as void.
#define RESULT(name, ...) _Static_assert(                                                        \
    sizeof(((struct ph_lilv *)0)->name(__VA_ARGS__)) == sizeof(lilv_##name(__VA_ARGS__)), #name)
RESULT(plugin_get_num_ports, NULL);
RESULT(plugin_get_latency_port_index, NULL);
RESULT(plugin_has_latency, NULL);
RESULT(plugin_has_feature, NULL, NULL);
RESULT(plugin_get_name, NULL);
RESULT(plugin_get_author_name, NULL);
RESULT(plugin_instantiate, NULL, 48000.0, NULL);
RESULT(port_is_a, NULL, NULL, NULL);
RESULT(port_has_property, NULL, NULL, NULL);
RESULT(port_get, NULL, NULL, NULL);
RESULT(port_get_name, NULL, NULL);
RESULT(port_get_symbol, NULL, NULL);
RESULT(world_get, NULL, NULL, NULL, NULL);
RESULT(node_as_float, NULL);
RESULT(node_as_bool, NULL);
RESULT(node_is_bool, NULL);
RESULT(node_as_string, NULL);
RESULT(new_uri, NULL, NULL);
RESULT(new_string, NULL, NULL);
RESULT(plugins_begin, NULL);
RESULT(plugins_next, NULL, NULL);
RESULT(plugins_is_end, NULL, NULL);
RESULT(plugins_get, NULL, NULL);
RESULT(plugins_get_by_uri, NULL, NULL);
RESULT(nodes_begin, NULL);
RESULT(nodes_get, NULL, NULL);
RESULT(nodes_next, NULL, NULL);
RESULT(nodes_is_end, NULL, NULL);
RESULT(scale_points_begin, NULL);
RESULT(scale_points_get, NULL, NULL);
RESULT(scale_points_next, NULL, NULL);
RESULT(scale_points_is_end, NULL, NULL);
RESULT(scale_point_get_label, NULL);
RESULT(scale_point_get_value, NULL);
