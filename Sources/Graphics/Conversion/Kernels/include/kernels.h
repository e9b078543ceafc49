// SPDX-License-Identifier: Apache-2.0
// Loops over pixels, sixteen at a time, with AVX2 or NEON. They are in C because Swift compiles its
// vectors for the baseline of x86-64 and has no attribute for a function that may use more. Swift
// also has no intrinsic for the byte shuffle (`pshufb`, `tbl`), which picks samples out of a
// register instead of loading them one by one, or for the interleaving store (`st4`).
// ConversionKernels documents each computation, which it performs for eight lanes.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Returns whether the processor and the system support these loops: on x86-64 if there is AVX2,
/// and on every 64-bit ARM. If they do not, no other function may be called.
bool ph_kernels_are_supported(void);

/// Two lines of a plane, and the weight of the second line.
struct ph_kernels_lines {
    const uint16_t *upper;
    const uint16_t *lower;
    uint16_t weight;
};

/// The contents of ColorTables. Channels are in the order of the output.
struct ph_kernels_tables {
    /// The four terms whose sum is the index into `decoded`: the terms for luma, for the chroma of
    /// the third channel and for the chroma of the first channel, and the constant term.
    float luma[3], third[3], first[3], offset[3];
    float last_place;
    const float *decoded;
    /// The contribution of each of the frame's channels, in linear light, to the target's channels.
    float columns[3][3];
    /// For HLG: the weights of the frame's channels in the brightness of a pixel, and a table of
    /// the gain that is applied to light, indexed by that brightness. For other curves, the table
    /// is NULL.
    float weights[3];
    const float *system_gains;
    /// The gain that is applied to light, indexed by the largest channel.
    const float *gains;
    /// The number of entries of `gains` and `encoded` for light from 0 to 1, and the last index of
    /// `gains`.
    float light_steps, most_root;
    const int32_t *encoded;
    /// The number of fraction bits of the values in `encoded`.
    int32_t fraction_bits;
};

/// Filters a row of 8-bit samples. The samples of every eight pixels are loaded as one group: 16
/// samples that start at an entry of `bases`. The bytes of `places` select the pixels' samples in
/// the group.
void ph_kernels_filter_row(
    const uint8_t *samples, const int32_t *bases, const uint8_t *places, const uint16_t *weights,
    long count, uint16_t *line);

/// Filters a row of samples of 9 to 14 bits. The output has 14 bits. The samples of every four
/// pixels are loaded as one group: 8 samples that start at an entry of `bases`. The bytes of
/// `places` select the pixels' samples in the group. `weights` alternates between the weights of
/// the first and of the second sample.
void ph_kernels_filter_deep_row(
    const uint16_t *samples, const int32_t *bases, const uint8_t *places, const uint16_t *weights,
    long count, int32_t shift, uint16_t *line);

/// Converts lines of 8-bit values to a row of pixels.
void ph_kernels_make_row(
    struct ph_kernels_lines luma, struct ph_kernels_lines third, struct ph_kernels_lines first,
    const void *coefficients, long count, uint8_t *row);

/// Converts lines of 14-bit values to a row of pixels.
void ph_kernels_make_deep_row(
    struct ph_kernels_lines luma, struct ph_kernels_lines third, struct ph_kernels_lines first,
    const void *coefficients, long count, uint8_t *row);

/// Converts a row of signals to pixels through linear light, eight at a time.
void ph_kernels_make_row_by_light(
    const struct ph_kernels_tables *tables, const void *signals, long stride,
    const int32_t *dither, long count, uint32_t *row);

/// Returns whether the processor and the system support ph_kernels_apply_curves: on x86-64 if there
/// is AVX-512 VBMI, which looks bytes up in registers. It is independent of the other loops.
bool ph_kernels_have_byte_tables(void);

/// Replaces each of the first three bytes of a pixel by the entry of its curve, and the fourth by
/// 255. `curves` has 256 bytes for each of the three.
void ph_kernels_apply_curves(const uint8_t *curves, long count, uint8_t *pixels);
