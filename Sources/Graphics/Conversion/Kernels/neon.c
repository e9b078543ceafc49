// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

#if defined(__aarch64__)
#include <arm_neon.h>

// Products and sums are rounded separately, as in Swift and with AVX2, because the results are
// compared bit for bit.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off")
#endif

bool ph_kernels_are_supported(void) { return true; }

// Loads and stores use byte vectors, which may be at any address.

static uint8x16_t ph_kernels_load(const void *address) {
    return vld1q_u8((const uint8_t *)address);
}

static uint16x8_t ph_kernels_load_words(const void *address) {
    return vreinterpretq_u16_u8(ph_kernels_load(address));
}

static int16x8_t ph_kernels_load_signed(const void *address) {
    return vreinterpretq_s16_u8(ph_kernels_load(address));
}

static void ph_kernels_store_words(void *address, uint16x8_t words) {
    vst1q_u8((uint8_t *)address, vreinterpretq_u8_u16(words));
}

/// Returns the upper halves of the products. `sqdmulh` would take one instruction instead of three,
/// but it saturates if both factors are -32768.
static int16x8_t ph_kernels_upper_product(int16x8_t left, int16x8_t right) {
    int32x4_t low = vmull_s16(vget_low_s16(left), vget_low_s16(right));
    int32x4_t high = vmull_high_s16(left, right);
    return vuzp2q_s16(vreinterpretq_s16_s32(low), vreinterpretq_s16_s32(high));
}

void ph_kernels_filter_row(
    const uint8_t *samples, const int32_t *bases, const uint8_t *places, const uint16_t *weights,
    long count, uint16_t *line) {
    const uint16x8_t low = vdupq_n_u16(0xFF), half = vdupq_n_u16(128);
    for (long pixel = 0; pixel < count; pixel += 8) {
        uint16x8_t pairs = vreinterpretq_u16_u8(
            vqtbl1q_u8(ph_kernels_load(samples + bases[pixel / 8]),
                       ph_kernels_load(places + pixel * 2)));
        uint16x8_t left = vandq_u16(pairs, low), right = vshrq_n_u16(pairs, 8);
        uint16x8_t sum = vmlaq_u16(
            half, ph_kernels_load_words(weights + pixel), vsubq_u16(right, left));
        ph_kernels_store_words(
            line + pixel, vandq_u16(vaddq_u16(left, vshrq_n_u16(sum, 8)), low));
    }
}

void ph_kernels_filter_deep_row(
    const uint16_t *samples, const int32_t *bases, const uint8_t *places, const uint16_t *weights,
    long count, int32_t shift, uint16_t *line) {
    const int16x8_t sample = vdupq_n_s16(0x3FFF);
    const int32x4_t half = vdupq_n_s32(1 << (shift - 1)), shifts = vdupq_n_s32(-shift);
    for (long pixel = 0; pixel < count; pixel += 8) {
        const int32_t *base = bases + pixel / 4;
        uint16x4_t values[2];
        for (int group = 0; group < 2; group++) {
            const long place = pixel + group * 4;
            int16x8_t pairs = vandq_s16(
                vreinterpretq_s16_u8(
                    vqtbl1q_u8(ph_kernels_load(samples + base[group]),
                               ph_kernels_load(places + place * 4))),
                sample);
            int16x8_t by = ph_kernels_load_signed(weights + place * 2);
            int32x4_t sums = vpaddq_s32(
                vmull_s16(vget_low_s16(pairs), vget_low_s16(by)), vmull_high_s16(pairs, by));
            values[group] = vqmovun_s32(vshlq_s32(vaddq_s32(sums, half), shifts));
        }
        ph_kernels_store_words(line + pixel, vcombine_u16(values[0], values[1]));
    }
}

/// The eight vectors of ConversionCoefficients, in its order.
struct ph_kernels_coefficients {
    int16x8_t luma, third, first_in_green, first, second_in_green, first_offset, green_offset,
        third_offset;
};

static struct ph_kernels_coefficients ph_kernels_coefficients(const void *memory) {
    const uint8_t *vectors = (const uint8_t *)memory;
    int16x8_t each[8];
    for (int index = 0; index < 8; index++) {
        each[index] = ph_kernels_load_signed(vectors + index * 16);
    }
    return (struct ph_kernels_coefficients){
        each[0], each[1], each[2], each[3], each[4], each[5], each[6], each[7]};
}

/// The bytes of eight pixels, one vector for each channel.
struct ph_kernels_bytes {
    uint8x8_t one, two, three;
};

/// Converts eight pixels of signals: applies the matrix, rounds and clamps.
static struct ph_kernels_bytes ph_kernels_convert(
    int16x8_t luma, int16x8_t third, int16x8_t first, const struct ph_kernels_coefficients *by) {
    enum { fraction_bits = 5 };
    int16x8_t base = ph_kernels_upper_product(luma, by->luma);
    int16x8_t one = vaddq_s16(
        vaddq_s16(base, ph_kernels_upper_product(first, by->first)), by->first_offset);
    int16x8_t two = vaddq_s16(
        vaddq_s16(
            vaddq_s16(base, ph_kernels_upper_product(third, by->first_in_green)),
            ph_kernels_upper_product(first, by->second_in_green)),
        by->green_offset);
    int16x8_t three = vaddq_s16(
        vaddq_s16(base, ph_kernels_upper_product(third, by->third)), by->third_offset);
    return (struct ph_kernels_bytes){
        vqshrun_n_s16(one, fraction_bits), vqshrun_n_s16(two, fraction_bits),
        vqshrun_n_s16(three, fraction_bits)};
}

/// Stores sixteen pixels of four bytes each.
static void ph_kernels_store(
    struct ph_kernels_bytes early, struct ph_kernels_bytes late, uint8_t *pixels) {
    uint8x16x4_t bytes;
    bytes.val[0] = vcombine_u8(early.one, late.one);
    bytes.val[1] = vcombine_u8(early.two, late.two);
    bytes.val[2] = vcombine_u8(early.three, late.three);
    bytes.val[3] = vdupq_n_u8(0xFF);
    vst4q_u8(pixels, bytes);
}

static uint16x8_t ph_kernels_mixed(struct ph_kernels_lines lines, long pixel) {
    uint16x8_t upper = ph_kernels_load_words(lines.upper + pixel);
    uint16x8_t sum = vmlaq_n_u16(
        vdupq_n_u16(128), vsubq_u16(ph_kernels_load_words(lines.lower + pixel), upper),
        lines.weight);
    return vaddq_u16(upper, vshrq_n_u16(sum, 8));
}

/// Returns 8-bit chroma as a signal: the low byte shifted up, with 0 for grey.
static int16x8_t ph_kernels_chroma(uint16x8_t value) {
    return vreinterpretq_s16_u16(veorq_u16(vshlq_n_u16(value, 8), vdupq_n_u16(0x8000)));
}

void ph_kernels_make_row(
    struct ph_kernels_lines luma, struct ph_kernels_lines third, struct ph_kernels_lines first,
    const void *coefficients, long count, uint8_t *row) {
    const struct ph_kernels_coefficients by = ph_kernels_coefficients(coefficients);
    const uint16x8_t low = vdupq_n_u16(0xFF);
    for (long pixel = 0; pixel < count; pixel += 16) {
        struct ph_kernels_bytes bytes[2];
        for (int half = 0; half < 2; half++) {
            const long place = pixel + half * 8;
            bytes[half] = ph_kernels_convert(
                vreinterpretq_s16_u16(
                    vshlq_n_u16(vandq_u16(ph_kernels_mixed(luma, place), low), 7)),
                ph_kernels_chroma(ph_kernels_mixed(third, place)),
                ph_kernels_chroma(ph_kernels_mixed(first, place)), &by);
        }
        ph_kernels_store(bytes[0], bytes[1], row + pixel * 4);
    }
}

static uint16x8_t ph_kernels_mixed_deep(struct ph_kernels_lines lines, long pixel) {
    uint16x8_t upper = ph_kernels_load_words(lines.upper + pixel);
    int16x8_t difference = vreinterpretq_s16_u16(
        vshlq_n_u16(vsubq_u16(ph_kernels_load_words(lines.lower + pixel), upper), 1));
    int16x8_t product =
        ph_kernels_upper_product(difference, vdupq_n_s16((int16_t)lines.weight));
    return vaddq_u16(upper, vreinterpretq_u16_s16(product));
}

/// Returns 14-bit chroma as a signal.
static int16x8_t ph_kernels_deep_chroma(uint16x8_t value) {
    return vreinterpretq_s16_u16(veorq_u16(vshlq_n_u16(value, 2), vdupq_n_u16(0x8000)));
}

void ph_kernels_make_deep_row(
    struct ph_kernels_lines luma, struct ph_kernels_lines third, struct ph_kernels_lines first,
    const void *coefficients, long count, uint8_t *row) {
    const struct ph_kernels_coefficients by = ph_kernels_coefficients(coefficients);
    for (long pixel = 0; pixel < count; pixel += 16) {
        struct ph_kernels_bytes bytes[2];
        for (int half = 0; half < 2; half++) {
            const long place = pixel + half * 8;
            bytes[half] = ph_kernels_convert(
                vreinterpretq_s16_u16(vshlq_n_u16(ph_kernels_mixed_deep(luma, place), 1)),
                ph_kernels_deep_chroma(ph_kernels_mixed_deep(third, place)),
                ph_kernels_deep_chroma(ph_kernels_mixed_deep(first, place)), &by);
        }
        ph_kernels_store(bytes[0], bytes[1], row + pixel * 4);
    }
}

/// Returns the nearest integers. Halves are rounded to even integers.
static int32x4_t ph_kernels_whole(float32x4_t value) { return vcvtnq_s32_f32(value); }

/// Returns entries of a table one by one, because NEON has no gathering load.
static float32x4_t ph_kernels_look_up(const float *table, int32x4_t places) {
    float32x4_t values = vdupq_n_f32(table[vgetq_lane_s32(places, 0)]);
    values = vsetq_lane_f32(table[vgetq_lane_s32(places, 1)], values, 1);
    values = vsetq_lane_f32(table[vgetq_lane_s32(places, 2)], values, 2);
    return vsetq_lane_f32(table[vgetq_lane_s32(places, 3)], values, 3);
}

static int32x4_t ph_kernels_look_up_codes(const int32_t *table, int32x4_t places) {
    int32x4_t values = vdupq_n_s32(table[vgetq_lane_s32(places, 0)]);
    values = vsetq_lane_s32(table[vgetq_lane_s32(places, 1)], values, 1);
    values = vsetq_lane_s32(table[vgetq_lane_s32(places, 2)], values, 2);
    return vsetq_lane_s32(table[vgetq_lane_s32(places, 3)], values, 3);
}

static float32x4_t ph_kernels_gain(
    const float *table, float32x4_t light, const struct ph_kernels_tables *by) {
    float32x4_t root = vmulq_n_f32(
        vsqrtq_f32(vmaxq_f32(light, vdupq_n_f32(0))), by->light_steps);
    return ph_kernels_look_up(
        table, ph_kernels_whole(vminq_f32(root, vdupq_n_f32(by->most_root))));
}

/// Returns, for each lane, the sum of three products. The products are added one after the other,
/// as in Swift's loop.
static float32x4_t ph_kernels_weighted(
    const float32x4_t values[3], float first, float second, float third) {
    return vaddq_f32(
        vaddq_f32(vmulq_n_f32(values[0], first), vmulq_n_f32(values[1], second)),
        vmulq_n_f32(values[2], third));
}

void ph_kernels_make_row_by_light(
    const struct ph_kernels_tables *tables, const void *signals, long stride,
    const int32_t *dither, long count, uint32_t *row) {
    const struct ph_kernels_tables by = *tables;
    const float32x4_t zero = vdupq_n_f32(0), one = vdupq_n_f32(1);
    const int32x4_t shift = vdupq_n_s32(-by.fraction_bits);
    for (long pixel = 0; pixel < count; pixel += 4) {
        // The rows of the dither are eight pixels long.
        const int32x4_t noise = vld1q_s32(dither + (pixel & 4));
        float32x4_t lanes[3], values[3], light[3];
        for (int line = 0; line < 3; line++) {
            const uint8_t *place = (const uint8_t *)signals + line * stride + pixel * 2;
            lanes[line] = vcvtq_f32_s32(vmovl_s16(vreinterpret_s16_u8(vld1_u8(place))));
        }
        for (int channel = 0; channel < 3; channel++) {
            float32x4_t place = vaddq_f32(
                vdupq_n_f32(by.offset[channel]), vmulq_n_f32(lanes[0], by.luma[channel]));
            place = vaddq_f32(place, vmulq_n_f32(lanes[1], by.third[channel]));
            place = vaddq_f32(place, vmulq_n_f32(lanes[2], by.first[channel]));
            place = vminq_f32(vmaxq_f32(place, zero), vdupq_n_f32(by.last_place));
            values[channel] = ph_kernels_look_up(by.decoded, ph_kernels_whole(place));
        }
        for (int channel = 0; channel < 3; channel++) {
            light[channel] = ph_kernels_weighted(
                values, by.columns[0][channel], by.columns[1][channel], by.columns[2][channel]);
        }
        float32x4_t factor = one;
        if (by.system_gains) {
            factor = ph_kernels_gain(
                by.system_gains,
                ph_kernels_weighted(values, by.weights[0], by.weights[1], by.weights[2]), &by);
        }
        float32x4_t largest =
            vmulq_f32(vmaxq_f32(light[0], vmaxq_f32(light[1], light[2])), factor);
        factor = vmulq_f32(factor, ph_kernels_gain(by.gains, largest, &by));
        int32x4_t pixels = vdupq_n_s32((int32_t)0xFF000000);
        for (int channel = 0; channel < 3; channel++) {
            float32x4_t shown =
                vminq_f32(vmaxq_f32(vmulq_f32(light[channel], factor), zero), one);
            int32x4_t place =
                ph_kernels_whole(vmulq_n_f32(vsqrtq_f32(shown), by.light_steps));
            int32x4_t code = vshlq_s32(
                vaddq_s32(ph_kernels_look_up_codes(by.encoded, place), noise), shift);
            pixels = vorrq_s32(pixels, vshlq_s32(code, vdupq_n_s32(8 * channel)));
        }
        vst1q_u8((uint8_t *)(row + pixel), vreinterpretq_u8_s32(pixels));
    }
}
#endif
