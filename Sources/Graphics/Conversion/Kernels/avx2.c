// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

bool ph_kernels_are_supported(void) { return __builtin_cpu_supports("avx2"); }

#define PH_AVX2 __attribute__((target("avx2")))

static PH_AVX2 __m256i ph_kernels_load(const void *address) {
    return _mm256_loadu_si256((const __m256i *)address);
}

/// Returns 32 bytes: 16 from each of two addresses.
static PH_AVX2 __m256i ph_kernels_load_two(const void *lower, const void *upper) {
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)lower)),
        _mm_loadu_si128((const __m128i *)upper), 1);
}

PH_AVX2 void ph_kernels_filter_row(
    const uint8_t *samples, const int32_t *bases, const uint8_t *places, const uint16_t *weights,
    long count, uint16_t *line) {
    const __m256i low = _mm256_set1_epi16(0xFF), half = _mm256_set1_epi16(128);
    for (long pixel = 0; pixel < count; pixel += 16) {
        const int32_t *base = bases + pixel / 8;
        __m256i pairs = _mm256_shuffle_epi8(
            ph_kernels_load_two(samples + base[0], samples + base[1]),
            ph_kernels_load(places + pixel * 2));
        __m256i left = _mm256_and_si256(pairs, low), right = _mm256_srli_epi16(pairs, 8);
        __m256i product = _mm256_mullo_epi16(
            ph_kernels_load(weights + pixel), _mm256_sub_epi16(right, left));
        __m256i step = _mm256_srli_epi16(_mm256_add_epi16(product, half), 8);
        _mm256_storeu_si256(
            (__m256i *)(line + pixel), _mm256_and_si256(_mm256_add_epi16(left, step), low));
    }
}

PH_AVX2 void ph_kernels_filter_deep_row(
    const uint16_t *samples, const int32_t *bases, const uint8_t *places, const uint16_t *weights,
    long count, int32_t shift, uint16_t *line) {
    const __m256i sample = _mm256_set1_epi16(0x3FFF), half = _mm256_set1_epi32(1 << (shift - 1));
    const __m128i shifts = _mm_cvtsi32_si128(shift);
    for (long pixel = 0; pixel < count; pixel += 8) {
        const int32_t *base = bases + pixel / 4;
        __m256i pairs = _mm256_and_si256(
            _mm256_shuffle_epi8(
                ph_kernels_load_two(samples + base[0], samples + base[1]),
                ph_kernels_load(places + pixel * 4)),
            sample);
        __m256i sums = _mm256_madd_epi16(pairs, ph_kernels_load(weights + pixel * 2));
        __m256i values = _mm256_sra_epi32(_mm256_add_epi32(sums, half), shifts);
        _mm_storeu_si128(
            (__m128i *)(line + pixel),
            _mm_packus_epi32(
                _mm256_castsi256_si128(values), _mm256_extracti128_si256(values, 1)));
    }
}

/// The eight vectors of ConversionCoefficients, in its order.
struct ph_kernels_coefficients {
    __m256i luma, third, first_in_green, first, second_in_green, first_offset, green_offset,
        third_offset;
};

static PH_AVX2 struct ph_kernels_coefficients ph_kernels_coefficients(const void *memory) {
    const __m128i *vectors = (const __m128i *)memory;
    __m256i each[8];
    for (int index = 0; index < 8; index++) {
        each[index] = _mm256_broadcastsi128_si256(_mm_loadu_si128(vectors + index));
    }
    return (struct ph_kernels_coefficients){
        each[0], each[1], each[2], each[3], each[4], each[5], each[6], each[7]};
}

/// Converts sixteen pixels of signals: applies the matrix, rounds, clamps, and packs four bytes for
/// each.
static PH_AVX2 void ph_kernels_store(
    __m256i luma, __m256i third, __m256i first, const struct ph_kernels_coefficients *by,
    uint8_t *pixels) {
    const int fraction_bits = 5;
    __m256i base = _mm256_mulhi_epi16(luma, by->luma);
    __m256i one = _mm256_add_epi16(
        _mm256_add_epi16(base, _mm256_mulhi_epi16(first, by->first)), by->first_offset);
    __m256i two = _mm256_add_epi16(
        _mm256_add_epi16(
            _mm256_add_epi16(base, _mm256_mulhi_epi16(third, by->first_in_green)),
            _mm256_mulhi_epi16(first, by->second_in_green)),
        by->green_offset);
    __m256i three = _mm256_add_epi16(
        _mm256_add_epi16(base, _mm256_mulhi_epi16(third, by->third)), by->third_offset);
    // Each half of a register is packed by itself; values that are packed together are unpacked
    // together.
    __m256i ones_and_threes = _mm256_packus_epi16(
        _mm256_srai_epi16(one, fraction_bits), _mm256_srai_epi16(three, fraction_bits));
    __m256i twos_and_alphas = _mm256_packus_epi16(
        _mm256_srai_epi16(two, fraction_bits), _mm256_set1_epi16(0xFF));
    __m256i low = _mm256_unpacklo_epi8(ones_and_threes, twos_and_alphas);
    __m256i high = _mm256_unpackhi_epi8(ones_and_threes, twos_and_alphas);
    __m256i early = _mm256_unpacklo_epi16(low, high), late = _mm256_unpackhi_epi16(low, high);
    _mm256_storeu_si256((__m256i *)pixels, _mm256_permute2x128_si256(early, late, 0x20));
    _mm256_storeu_si256((__m256i *)(pixels + 32), _mm256_permute2x128_si256(early, late, 0x31));
}

static PH_AVX2 __m256i ph_kernels_mixed(struct ph_kernels_lines lines, long pixel) {
    __m256i upper = ph_kernels_load(lines.upper + pixel);
    __m256i product = _mm256_mullo_epi16(
        _mm256_set1_epi16((int16_t)lines.weight),
        _mm256_sub_epi16(ph_kernels_load(lines.lower + pixel), upper));
    return _mm256_add_epi16(
        upper, _mm256_srli_epi16(_mm256_add_epi16(product, _mm256_set1_epi16(128)), 8));
}

PH_AVX2 void ph_kernels_make_row(
    struct ph_kernels_lines luma, struct ph_kernels_lines third, struct ph_kernels_lines first,
    const void *coefficients, long count, uint8_t *row) {
    const struct ph_kernels_coefficients by = ph_kernels_coefficients(coefficients);
    const __m256i low = _mm256_set1_epi16(0xFF), sign = _mm256_set1_epi16((int16_t)0x8000);
    for (long pixel = 0; pixel < count; pixel += 16) {
        ph_kernels_store(
            _mm256_slli_epi16(_mm256_and_si256(ph_kernels_mixed(luma, pixel), low), 7),
            _mm256_xor_si256(_mm256_slli_epi16(ph_kernels_mixed(third, pixel), 8), sign),
            _mm256_xor_si256(_mm256_slli_epi16(ph_kernels_mixed(first, pixel), 8), sign), &by,
            row + pixel * 4);
    }
}

static PH_AVX2 __m256i ph_kernels_mixed_deep(struct ph_kernels_lines lines, long pixel) {
    __m256i upper = ph_kernels_load(lines.upper + pixel);
    __m256i difference =
        _mm256_slli_epi16(_mm256_sub_epi16(ph_kernels_load(lines.lower + pixel), upper), 1);
    return _mm256_add_epi16(
        upper, _mm256_mulhi_epi16(difference, _mm256_set1_epi16((int16_t)lines.weight)));
}

PH_AVX2 void ph_kernels_make_deep_row(
    struct ph_kernels_lines luma, struct ph_kernels_lines third, struct ph_kernels_lines first,
    const void *coefficients, long count, uint8_t *row) {
    const struct ph_kernels_coefficients by = ph_kernels_coefficients(coefficients);
    const __m256i sign = _mm256_set1_epi16((int16_t)0x8000);
    for (long pixel = 0; pixel < count; pixel += 16) {
        ph_kernels_store(
            _mm256_slli_epi16(ph_kernels_mixed_deep(luma, pixel), 1),
            _mm256_xor_si256(_mm256_slli_epi16(ph_kernels_mixed_deep(third, pixel), 2), sign),
            _mm256_xor_si256(_mm256_slli_epi16(ph_kernels_mixed_deep(first, pixel), 2), sign), &by,
            row + pixel * 4);
    }
}

static PH_AVX2 __m256 ph_kernels_gain(
    const float *table, __m256 light, const struct ph_kernels_tables *by) {
    __m256 root = _mm256_mul_ps(
        _mm256_sqrt_ps(_mm256_max_ps(light, _mm256_setzero_ps())),
        _mm256_set1_ps(by->light_steps));
    __m256i place = _mm256_cvtps_epi32(_mm256_min_ps(root, _mm256_set1_ps(by->most_root)));
    return _mm256_i32gather_ps(table, place, 4);
}

/// Returns, for each lane, the sum of three products. The products are added one after the other,
/// as in Swift's loop.
static PH_AVX2 __m256 ph_kernels_weighted(
    const __m256 values[3], float first, float second, float third) {
    return _mm256_add_ps(
        _mm256_add_ps(
            _mm256_mul_ps(_mm256_set1_ps(first), values[0]),
            _mm256_mul_ps(_mm256_set1_ps(second), values[1])),
        _mm256_mul_ps(_mm256_set1_ps(third), values[2]));
}

PH_AVX2 void ph_kernels_make_row_by_light(
    const struct ph_kernels_tables *tables, const void *signals, long stride,
    const int32_t *dither, long count, uint32_t *row) {
    const struct ph_kernels_tables by = *tables;
    const __m256 zero = _mm256_setzero_ps(), one = _mm256_set1_ps(1);
    const __m256i noise = _mm256_loadu_si256((const __m256i *)dither);
    const __m128i shift = _mm_cvtsi32_si128(by.fraction_bits);
    for (long pixel = 0; pixel < count; pixel += 8) {
        __m256 lanes[3], values[3], light[3];
        for (int line = 0; line < 3; line++) {
            const uint8_t *place = (const uint8_t *)signals + line * stride + pixel * 2;
            lanes[line] = _mm256_cvtepi32_ps(
                _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)place)));
        }
        for (int channel = 0; channel < 3; channel++) {
            __m256 place = _mm256_add_ps(
                _mm256_set1_ps(by.offset[channel]),
                _mm256_mul_ps(_mm256_set1_ps(by.luma[channel]), lanes[0]));
            place = _mm256_add_ps(
                place, _mm256_mul_ps(_mm256_set1_ps(by.third[channel]), lanes[1]));
            place = _mm256_add_ps(
                place, _mm256_mul_ps(_mm256_set1_ps(by.first[channel]), lanes[2]));
            place = _mm256_min_ps(_mm256_max_ps(place, zero), _mm256_set1_ps(by.last_place));
            values[channel] = _mm256_i32gather_ps(by.decoded, _mm256_cvtps_epi32(place), 4);
        }
        for (int channel = 0; channel < 3; channel++) {
            light[channel] = ph_kernels_weighted(
                values, by.columns[0][channel], by.columns[1][channel], by.columns[2][channel]);
        }
        __m256 factor = one;
        if (by.system_gains) {
            factor = ph_kernels_gain(
                by.system_gains,
                ph_kernels_weighted(values, by.weights[0], by.weights[1], by.weights[2]), &by);
        }
        __m256 largest = _mm256_mul_ps(
            _mm256_max_ps(light[0], _mm256_max_ps(light[1], light[2])), factor);
        factor = _mm256_mul_ps(factor, ph_kernels_gain(by.gains, largest, &by));
        __m256i pixels = _mm256_set1_epi32((int32_t)0xFF000000);
        for (int channel = 0; channel < 3; channel++) {
            __m256 shown = _mm256_min_ps(
                _mm256_max_ps(_mm256_mul_ps(light[channel], factor), zero), one);
            __m256i place = _mm256_cvtps_epi32(
                _mm256_mul_ps(_mm256_sqrt_ps(shown), _mm256_set1_ps(by.light_steps)));
            __m256i code = _mm256_sra_epi32(
                _mm256_add_epi32(_mm256_i32gather_epi32(by.encoded, place, 4), noise), shift);
            pixels = _mm256_or_si256(pixels, _mm256_slli_epi32(code, 8 * channel));
        }
        _mm256_storeu_si256((__m256i *)(row + pixel), pixels);
    }
}
#endif
