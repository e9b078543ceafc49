// SPDX-License-Identifier: Apache-2.0
#include "writing_kernels.h"

/// The numbers of fraction bits of sums: chroma adds up two rows, and columns with the weights 1, 2
/// and 1.
enum { luma_bits = ph_luma_weight_bits, chroma_bits = ph_chroma_weight_bits + 3 };

/// Returns the sum of the bytes of a pixel, weighted.
static int32_t ph_weighted(const int32_t bytes[4], const int16_t weights[4]) {
    return bytes[0] * weights[0] + bytes[1] * weights[1] + bytes[2] * weights[2]
        + bytes[3] * weights[3];
}

static uint8_t ph_luma(const uint8_t *pixel, const struct ph_rgb_weights *by) {
    const int32_t bytes[4] = {pixel[0], pixel[1], pixel[2], pixel[3]};
    return (uint8_t)((ph_weighted(bytes, by->luma) + by->black * (1 << luma_bits)
                      + (1 << (luma_bits - 1))) >> luma_bits);
}

static uint8_t ph_chroma(
    const int32_t sums[4], const int16_t weights[4], const struct ph_rgb_weights *by) {
    // In full range, the chroma of a saturated colour extends half a code beyond the last code.
    int32_t code = (ph_weighted(sums, weights) + by->zero * (1 << chroma_bits)
                    + (1 << (chroma_bits - 1))) >> chroma_bits;
    return (uint8_t)(code < 0 ? 0 : code > 255 ? 255 : code);
}

/// Converts the pixels from `first` on, which is even.
static void ph_convert_rest(
    const uint8_t *upper, const uint8_t *lower, long first, long width,
    const struct ph_rgb_weights *by, uint8_t *upper_luma, uint8_t *lower_luma, uint8_t *cb,
    uint8_t *cr) {
    for (long x = first; x < width; x++) {
        upper_luma[x] = ph_luma(upper + x * 4, by);
        lower_luma[x] = ph_luma(lower + x * 4, by);
        if (x % 2) continue;
        // The first and the last column are repeated.
        const long before = x > 0 ? x - 1 : x, after = x + 1 < width ? x + 1 : x;
        int32_t sums[4];
        for (int byte = 0; byte < 4; byte++) {
            sums[byte] = upper[before * 4 + byte] + lower[before * 4 + byte]
                + 2 * (upper[x * 4 + byte] + lower[x * 4 + byte]) + upper[after * 4 + byte]
                + lower[after * 4 + byte];
        }
        cb[x / 2] = ph_chroma(sums, by->cb, by);
        cr[x / 2] = ph_chroma(sums, by->cr, by);
    }
}

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define PH_AVX2 __attribute__((target("avx2")))

bool ph_writing_kernels_are_supported(void) { return __builtin_cpu_supports("avx2"); }

/// The weights of the bytes 0 and 2, and of the bytes 1 and 3, in each lane of 32 bits.
struct ph_weight_pair {
    __m256i even, odd;
};

static PH_AVX2 struct ph_weight_pair ph_pair(const int16_t weights[4]) {
    int32_t even, odd;
    memcpy(&even, (const int16_t[2]){weights[0], weights[2]}, sizeof even);
    memcpy(&odd, (const int16_t[2]){weights[1], weights[3]}, sizeof odd);
    return (struct ph_weight_pair){_mm256_set1_epi32(even), _mm256_set1_epi32(odd)};
}

/// Eight pixels: the bytes 0 and 2, and the bytes 1 and 3, with 16 bits each.
struct ph_pixels {
    __m256i even, odd;
};

static PH_AVX2 struct ph_pixels ph_split(__m256i pixels) {
    return (struct ph_pixels){
        _mm256_and_si256(pixels, _mm256_set1_epi16(0xFF)), _mm256_srli_epi16(pixels, 8)};
}

static PH_AVX2 struct ph_pixels ph_load(const uint8_t *pixels) {
    return ph_split(_mm256_loadu_si256((const __m256i *)pixels));
}

/// Loads the pixels that begin one before the first of a row, which is repeated.
static PH_AVX2 struct ph_pixels ph_load_first(const uint8_t *pixels) {
    return ph_split(_mm256_permutevar8x32_epi32(
        _mm256_loadu_si256((const __m256i *)pixels), _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6)));
}

static PH_AVX2 struct ph_pixels ph_sum(struct ph_pixels one, struct ph_pixels two) {
    return (struct ph_pixels){
        _mm256_add_epi16(one.even, two.even), _mm256_add_epi16(one.odd, two.odd)};
}

static PH_AVX2 __m256i ph_apply(
    struct ph_pixels pixels, struct ph_weight_pair by, __m256i offset, int shift) {
    return _mm256_srai_epi32(
        _mm256_add_epi32(
            _mm256_add_epi32(
                _mm256_madd_epi16(pixels.even, by.even), _mm256_madd_epi16(pixels.odd, by.odd)),
            offset),
        shift);
}

/// Adds the upper lane of each 64 bits to the lower one, and returns the lower ones of two vectors.
/// Their order is 0, 1, 4, 5, 2, 3, 6, 7.
static PH_AVX2 __m256i ph_add_neighbors(__m256i early, __m256i late) {
    early = _mm256_add_epi16(early, _mm256_srli_epi64(early, 32));
    late = _mm256_add_epi16(late, _mm256_srli_epi64(late, 32));
    return _mm256_castps_si256(_mm256_shuffle_ps(
        _mm256_castsi256_ps(early), _mm256_castsi256_ps(late), _MM_SHUFFLE(2, 0, 2, 0)));
}

PH_AVX2 void ph_convert_rgb_rows(
    const uint8_t *upper, const uint8_t *lower, long width, const struct ph_rgb_weights *weights,
    uint8_t *upper_luma, uint8_t *lower_luma, uint8_t *cb, uint8_t *cr) {
    const struct ph_weight_pair luma = ph_pair(weights->luma), blue = ph_pair(weights->cb),
                                red = ph_pair(weights->cr);
    const __m256i black = _mm256_set1_epi32(
        weights->black * (1 << luma_bits) + (1 << (luma_bits - 1)));
    const __m256i zero = _mm256_set1_epi32(
        weights->zero * (1 << chroma_bits) + (1 << (chroma_bits - 1)));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    long x = 0;
    for (; x + 16 <= width; x += 16) {
        struct ph_pixels sums[2];
        __m256i codes[2][2];
        for (int half = 0; half < 2; half++) {
            const long place = (x + half * 8) * 4;
            struct ph_pixels above = ph_load(upper + place), below = ph_load(lower + place);
            codes[0][half] = ph_apply(above, luma, black, luma_bits);
            codes[1][half] = ph_apply(below, luma, black, luma_bits);
            struct ph_pixels before =
                place > 0 ? ph_sum(ph_load(upper + place - 4), ph_load(lower + place - 4))
                          : ph_sum(ph_load_first(upper), ph_load_first(lower));
            sums[half] = ph_sum(before, ph_sum(above, below));
        }
        // Each half of a register is packed by itself.
        __m256i rows = _mm256_permutevar8x32_epi32(
            _mm256_packus_epi16(
                _mm256_packs_epi32(codes[0][0], codes[0][1]),
                _mm256_packs_epi32(codes[1][0], codes[1][1])),
            order);
        _mm_storeu_si128((__m128i *)(upper_luma + x), _mm256_castsi256_si128(rows));
        _mm_storeu_si128((__m128i *)(lower_luma + x), _mm256_extracti128_si256(rows, 1));
        struct ph_pixels columns = {
            ph_add_neighbors(sums[0].even, sums[1].even),
            ph_add_neighbors(sums[0].odd, sums[1].odd)};
        __m256i both = _mm256_packs_epi32(
            ph_apply(columns, blue, zero, chroma_bits), ph_apply(columns, red, zero, chroma_bits));
        both = _mm256_packus_epi16(both, both);
        __m128i chroma = _mm_unpacklo_epi16(
            _mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
        _mm_storel_epi64((__m128i *)(cb + x / 2), chroma);
        _mm_storel_epi64((__m128i *)(cr + x / 2), _mm_unpackhi_epi64(chroma, chroma));
    }
    ph_convert_rest(upper, lower, x, width, weights, upper_luma, lower_luma, cb, cr);
}
#else

// Swift's vectors are as wide as those of other processors.

bool ph_writing_kernels_are_supported(void) { return false; }

void ph_convert_rgb_rows(
    const uint8_t *upper, const uint8_t *lower, long width, const struct ph_rgb_weights *weights,
    uint8_t *upper_luma, uint8_t *lower_luma, uint8_t *cb, uint8_t *cr) {
    ph_convert_rest(upper, lower, 0, width, weights, upper_luma, lower_luma, cb, cr);
}
#endif
