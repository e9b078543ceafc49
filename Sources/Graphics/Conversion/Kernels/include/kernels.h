// SPDX-License-Identifier: Apache-2.0
// Loops over pixels, sixteen at a time, with AVX2 or NEON. Swift compiles its vectors for the
// baseline of x86-64. It has no attribute for a function that may use more, and on neither
// processor an intrinsic for the byte shuffle (`pshufb`, `tbl`), which picks samples out of a
// register instead of loading them one by one, or for the interleaving store (`st4`).
// ConversionKernels documents each computation, which it does for eight lanes.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Returns whether the processor and the system support these loops: on x86-64 with AVX2, and on
/// every 64-bit ARM. Only then may the others be called.
bool ph_kernels_are_supported(void);

/// Two lines of a plane, and the weight of the second.
struct ph_kernels_lines {
    const uint16_t *upper;
    const uint16_t *lower;
    uint16_t weight;
};

/// The contents of ColorTables; channels are in the order of the output.
struct ph_kernels_tables {
    /// The contributions of luma and of the two chromas to the index into `decoded`, and the index
    /// for zero.
    float luma[3], third[3], first[3], offset[3];
    float last_place;
    const float *decoded;
    /// The contributions of the light of each of the frame's channels to the target's.
    float columns[3][3];
    /// The weights of the frame's channels in brightness, and the gains of light for a brightness,
    /// or NULL.
    float weights[3];
    const float *system_gains;
    /// The gains of light for the largest channel.
    const float *gains;
    /// The number of entries of `gains` and `encoded` for a light of 1, and the last index of
    /// `gains`.
    float light_steps, most_root;
    const int32_t *encoded;
    /// The number of fraction bits of the values in `encoded`.
    int32_t fraction_bits;
};

/// Filters a row of 8-bit samples. Eight pixels each lie within 16 samples from `bases` on, at
/// `places`.
void ph_kernels_filter_row(
    const uint8_t *samples, const int32_t *bases, const uint8_t *places, const uint16_t *weights,
    long count, uint16_t *line);

/// Filters a row of samples of 9 to 14 bits, to 14 bits. Four pixels each lie within 8 samples from
/// `bases` on, at `places`; weights are those of the first and of the second sample, alternating.
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

/// Converts a row of signals to pixels by way of light, eight at a time.
void ph_kernels_make_row_by_light(
    const struct ph_kernels_tables *tables, const void *signals, long stride,
    const int32_t *dither, long count, uint32_t *row);
