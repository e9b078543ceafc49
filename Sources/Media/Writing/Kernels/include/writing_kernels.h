// SPDX-License-Identifier: Apache-2.0
// The conversion of drawn frames for encoders, sixteen pixels at a time, with AVX2. It is in C
// because Swift compiles its vectors for the baseline of x86-64 and has no attribute for a function
// that may use more. FastRGBConverter documents the computation and performs it for eight lanes.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Returns whether the processor and the system support these loops. If they do not, no other
/// function may be called.
bool ph_writing_kernels_are_supported(void);

/// The numbers of fraction bits of the weights.
enum { ph_luma_weight_bits = 15, ph_chroma_weight_bits = 14 };

/// The weights of the four bytes of a pixel, in fixed point, and the codes of black and of grey.
struct ph_rgb_weights {
    int16_t luma[4], cb[4], cr[4];
    int32_t black, zero;
};

/// Converts two rows of pixels, of four bytes each, to two rows of luma and one row of each chroma
/// of 8-bit 4:2:0. Chroma has (width + 1) / 2 samples.
void ph_convert_rgb_rows(
    const uint8_t *upper, const uint8_t *lower, long width, const struct ph_rgb_weights *weights,
    uint8_t *upper_luma, uint8_t *lower_luma, uint8_t *cb, uint8_t *cr);
