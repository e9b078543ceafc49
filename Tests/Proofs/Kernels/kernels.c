// SPDX-License-Identifier: Apache-2.0
//
// Compares the loops of Sources/Graphics/Conversion/Kernels with a loop over single pixels, and
// prints a digest of all results, which is the same on every processor. Scripts/prove/arm64 builds
// and runs it.
//
//     kernels [WIDTHS]      WIDTHS: from 1 to this number of pixels; 200 by default
//
// Exits with 0 if all bits are equal, 1 if some are not, 2 if this processor has no such loops.
// Arguments are random, and the extremes of their types; memory is at every alignment, and ends
// where the next page cannot be accessed.

#define _GNU_SOURCE
#include "kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// MARK: Random values

static uint64_t state = 35;

// SplitMix64.
static uint64_t random_bits(void) {
    uint64_t value = state += 0x9E3779B97F4A7C15u;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

static long random_below(long count) { return (long)(random_bits() % (uint64_t)count); }

// From 0 to 1, exact in every arithmetic.
static float random_fraction(void) { return (float)random_below(1 << 20) / (1 << 20); }

// MARK: Guarded memory

enum { slack_most = 16, canary = 0xA5 };

// Memory that ends `slack` bytes before a page that cannot be accessed. The rest of its pages has
// a known value.
struct guarded {
    unsigned char *pages, *bytes;
    size_t mapped, size;
};

static struct guarded guarded(size_t size, size_t slack) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct guarded memory = {.size = size};
    memory.mapped = (size + slack + page - 1) / page * page + page;
    memory.pages = mmap(
        NULL, memory.mapped + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory.pages == MAP_FAILED) {
        perror("mmap");
        exit(3);
    }
    // The page before has the known value too, because nothing may be written there.
    memset(memory.pages, canary, memory.mapped);
    mprotect(memory.pages + memory.mapped, page, PROT_NONE);
    memory.bytes = memory.pages + memory.mapped - slack - size;
    return memory;
}

static int is_intact(const struct guarded *memory) {
    for (unsigned char *byte = memory->pages; byte < memory->bytes; byte++) {
        if (*byte != canary) return 0;
    }
    for (unsigned char *byte = memory->bytes + memory->size;
         byte < memory->pages + memory->mapped; byte++) {
        if (*byte != canary) return 0;
    }
    return 1;
}

static void release(struct guarded *memory) {
    munmap(memory->pages, memory->mapped + (size_t)sysconf(_SC_PAGESIZE));
}

// MARK: Results

static const char *kernel;
static long rows, failures;
static uint64_t digest;

static void begin(const char *name) {
    kernel = name;
    rows = 0;
    digest = 0xCBF29CE484222325u;
}

// Compares a row with the expected bytes.
static void check(const struct guarded *row, const void *expected, long width, long slack) {
    rows++;
    for (size_t index = 0; index < row->size; index++) {
        digest = (digest ^ row->bytes[index]) * 0x100000001B3u;
    }
    int is_equal = memcmp(row->bytes, expected, row->size) == 0;
    if (is_equal && is_intact(row)) return;
    if (failures++ < 10) {
        printf(
            "%s: width %ld, alignment %ld: %s\n", kernel, width, slack,
            is_equal ? "writes outside of its row" : "another result");
    }
}

static void end(void) {
    printf("%-18s %7ld rows, digest %016llx\n", kernel, rows, (unsigned long long)digest);
    if (rows == 0) failures++;
}

static long padded(long count) { return (count + 15) / 16 * 16; }

// The 16-bit value at an address that need not be even.
static uint16_t word(const void *words, long index) {
    uint16_t value;
    memcpy(&value, (const char *)words + index * 2, 2);
    return value;
}

// MARK: Along a row

// An axis in the form in which SampleAxis and SampleGroups make it.
struct axis {
    long count, groups;
    struct guarded bases, places, weights, pairs;
    int32_t *indices;
};

static void release_axis(struct axis *axis) {
    release(&axis->bases), release(&axis->places);
    release(&axis->weights), release(&axis->pairs);
    free(axis->indices);
}

// Returns 0 if samples of a group do not fit in a load.
static int make_axis(
    struct axis *axis, long width, long sample_count, double start, double length, int bits,
    long sample_size, long slack) {
    long count = padded(width), per_group = 16 / (2 * sample_size);
    long per_load = 16 / sample_size, unit = 1L << bits;
    if (sample_count < per_load) return 0;
    axis->count = count;
    axis->groups = count / per_group;
    axis->indices = malloc((size_t)count * sizeof *axis->indices);
    axis->bases = guarded((size_t)axis->groups * 4, (size_t)slack / 4 * 4);
    axis->places = guarded((size_t)(count * 2 * sample_size), (size_t)slack);
    axis->weights = guarded((size_t)count * 2, (size_t)slack);
    axis->pairs = guarded((size_t)count * 4, (size_t)slack);
    for (long pixel = 0; pixel < count; pixel++) {
        double coordinate =
            start + ((double)(pixel < width ? pixel : width - 1) + 0.5) / (double)width * length;
        double place = round((coordinate * (double)sample_count - 0.5) * (double)unit);
        double last = (double)((sample_count - 1) * unit);
        long clamped = (long)(place < 0 ? 0 : place > last ? last : place);
        long index = clamped >> bits;
        if (index > sample_count - 2) index = sample_count - 2;
        axis->indices[pixel] = (int32_t)index;
        uint16_t weight = (uint16_t)(clamped - (index << bits)), rest = (uint16_t)unit - weight;
        memcpy(axis->weights.bytes + pixel * 2, &weight, 2);
        memcpy(axis->pairs.bytes + pixel * 4, &rest, 2);
        memcpy(axis->pairs.bytes + pixel * 4 + 2, &weight, 2);
    }
    int is_near = 1;
    for (long group = 0; group < axis->groups; group++) {
        long base = sample_count - per_load;
        for (long pixel = 0; pixel < per_group; pixel++) {
            long index = axis->indices[group * per_group + pixel];
            if (index < base) base = index;
        }
        ((int32_t *)(void *)axis->bases.bytes)[group] = (int32_t)base;
        for (long pixel = group * per_group; pixel < (group + 1) * per_group; pixel++) {
            long place = (axis->indices[pixel] - base) * sample_size;
            if (axis->indices[pixel] + 1 - base >= per_load) is_near = 0;
            for (long byte = 0; byte < 2 * sample_size; byte++) {
                axis->places.bytes[pixel * 2 * sample_size + byte] =
                    (unsigned char)(place + byte);
            }
        }
    }
    if (!is_near) release_axis(axis);
    return is_near;
}

// Calls a test with axes for a width: enlarged, same size, reduced, mirrored, parts.
static void for_axes(
    long width, int bits, long sample_size, void (*test)(struct axis *, long, long, long)) {
    static const struct {
        double scale, start, length;
    } parts[] = {
        {1, 0, 1}, {1, 1, -1}, {0.5, 0, 1}, {1.9, 0, 1}, {3.1, 0, 1}, {0.37, 1, -1},
        {1.3, 0.9, -0.8}, {2.7, 0.2, 0.31}, {1, 0.25, 0.001}, {7, 0.1, 0.2},
    };
    for (unsigned part = 0; part < sizeof parts / sizeof *parts; part++) {
        long sample_count = (long)((double)width * parts[part].scale) + random_below(3);
        long slack = random_below(slack_most);
        struct axis axis;
        if (!make_axis(
                &axis, width, sample_count, parts[part].start, parts[part].length, bits,
                sample_size, slack))
            continue;
        test(&axis, width, sample_count, slack);
        release_axis(&axis);
    }
}

static void test_filter_row(struct axis *axis, long width, long sample_count, long slack) {
    struct guarded samples = guarded((size_t)sample_count, (size_t)slack);
    int kind = (int)random_below(3);
    for (long index = 0; index < sample_count; index++) {
        samples.bytes[index] =
            kind ? (unsigned char)random_bits() : (unsigned char)(0 - (index & 1));
    }
    struct guarded line = guarded((size_t)axis->count * 2, (size_t)slack);
    ph_kernels_filter_row(
        samples.bytes, (const int32_t *)(void *)axis->bases.bytes, axis->places.bytes,
        (const uint16_t *)(void *)axis->weights.bytes, axis->count,
        (uint16_t *)(void *)line.bytes);
    uint16_t expected[axis->count];
    for (long pixel = 0; pixel < axis->count; pixel++) {
        uint16_t left = samples.bytes[axis->indices[pixel]];
        uint16_t right = samples.bytes[axis->indices[pixel] + 1];
        uint16_t weight = word(axis->weights.bytes, pixel);
        uint16_t product = (uint16_t)((uint32_t)weight * (uint16_t)(right - left));
        expected[pixel] = (uint16_t)(left + ((uint16_t)(product + 128) >> 8)) & 0xFF;
    }
    check(&line, expected, width, slack);
    release(&samples), release(&line);
}

static void test_filter_deep_row(struct axis *axis, long width, long sample_count, long slack) {
    struct guarded samples = guarded((size_t)sample_count * 2, (size_t)slack);
    int depth = 9 + (int)random_below(6), kind = (int)random_below(4);
    // Weights have 12 bits and lines 14: see ConversionPlan.
    int32_t shift = depth + 12 - 14;
    for (long index = 0; index < sample_count; index++) {
        uint16_t most = (uint16_t)((1 << depth) - 1), value = (uint16_t)random_bits() & most;
        if (kind == 0) value = index & 1 ? most : 0;
        // Samples of this depth do not use the upper bits, but they may be set.
        if (kind == 1) value = (uint16_t)random_bits();
        memcpy(samples.bytes + index * 2, &value, 2);
    }
    struct guarded line = guarded((size_t)axis->count * 2, (size_t)slack);
    ph_kernels_filter_deep_row(
        (const uint16_t *)(void *)samples.bytes, (const int32_t *)(void *)axis->bases.bytes,
        axis->places.bytes, (const uint16_t *)(void *)axis->pairs.bytes, axis->count, shift,
        (uint16_t *)(void *)line.bytes);
    uint16_t expected[axis->count];
    for (long pixel = 0; pixel < axis->count; pixel++) {
        int32_t left = word(samples.bytes, axis->indices[pixel]) & 0x3FFF;
        int32_t right = word(samples.bytes, axis->indices[pixel] + 1) & 0x3FFF;
        int32_t sum = left * (int16_t)word(axis->pairs.bytes, pixel * 2)
            + right * (int16_t)word(axis->pairs.bytes, pixel * 2 + 1);
        int32_t value = (sum + (1 << (shift - 1))) >> shift;
        expected[pixel] = (uint16_t)(value < 0 ? 0 : value > 0xFFFF ? 0xFFFF : value);
    }
    check(&line, expected, width, slack);
    release(&samples), release(&line);
}

// MARK: From row to row

static const uint16_t extremes[] = {0, 1, 0x7F, 0xFF, 0x100, 0x3FFF, 0x7FFF, 0x8000, 0xFFFF};

static uint16_t extreme(void) { return extremes[random_below(sizeof extremes / 2)]; }

// Two lines, random up to a mask or of extremes.
struct line_pair {
    struct guarded upper, lower;
    struct ph_kernels_lines lines;
};

static struct line_pair line_pair(long count, long slack, uint16_t mask, int is_extreme) {
    struct line_pair pair = {
        guarded((size_t)count * 2, (size_t)slack),
        guarded((size_t)count * 2, (size_t)((slack * 7 + 3) % slack_most)), {0}};
    for (long pixel = 0; pixel < count; pixel++) {
        uint16_t upper = is_extreme ? extreme() : (uint16_t)random_bits() & mask;
        uint16_t lower = is_extreme ? extreme() : (uint16_t)random_bits() & mask;
        memcpy(pair.upper.bytes + pixel * 2, &upper, 2);
        memcpy(pair.lower.bytes + pixel * 2, &lower, 2);
    }
    pair.lines.upper = (const uint16_t *)(void *)pair.upper.bytes;
    pair.lines.lower = (const uint16_t *)(void *)pair.lower.bytes;
    pair.lines.weight = is_extreme ? extreme()
        : mask == 0xFF             ? (uint16_t)random_below(256)
                                   : (uint16_t)random_below(32768);
    return pair;
}

static int16_t upper_product(int16_t left, int16_t right) {
    return (int16_t)((int32_t)left * right >> 16);
}

static int16_t sum(int16_t left, int16_t right) {
    return (int16_t)(uint16_t)((uint16_t)left + (uint16_t)right);
}

static uint16_t mixed(struct ph_kernels_lines lines, long pixel, int is_deep) {
    uint16_t upper = word(lines.upper, pixel);
    uint16_t difference = (uint16_t)(word(lines.lower, pixel) - upper);
    if (is_deep) {
        return (uint16_t)(
            upper
            + (uint16_t)upper_product((int16_t)(uint16_t)(difference << 1), (int16_t)lines.weight));
    }
    uint16_t product = (uint16_t)((uint32_t)lines.weight * difference);
    return (uint16_t)(upper + ((uint16_t)(product + 128) >> 8));
}

static unsigned char byte(int16_t value) {
    value >>= 5;
    return (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static void test_make_row(long width, int is_deep) {
    long count = padded(width), slack = random_below(slack_most);
    int is_extreme = random_below(3) == 0;
    uint16_t mask = is_deep ? 0x3FFF : 0xFF;
    struct line_pair luma = line_pair(count, slack, mask, is_extreme);
    struct line_pair third = line_pair(count, slack, mask, is_extreme);
    struct line_pair first = line_pair(count, slack, mask, is_extreme);
    struct guarded coefficients = guarded(128, (size_t)slack);
    for (long index = 0; index < 64; index++) {
        uint16_t value = is_extreme ? extreme() : (uint16_t)random_bits();
        memcpy(coefficients.bytes + index * 2, &value, 2);
    }
    struct guarded row = guarded((size_t)count * 4, (size_t)slack);
    (is_deep ? ph_kernels_make_deep_row : ph_kernels_make_row)(
        luma.lines, third.lines, first.lines, coefficients.bytes, count, row.bytes);
    unsigned char expected[count * 4];
    for (long pixel = 0; pixel < count; pixel++) {
        // In the order of ConversionCoefficients, eight lanes each.
        int16_t by[8];
        for (long index = 0; index < 8; index++) {
            by[index] = (int16_t)word(coefficients.bytes, index * 8 + pixel % 8);
        }
        uint16_t value = mixed(luma.lines, pixel, is_deep);
        int16_t y = (int16_t)(uint16_t)(is_deep ? value << 1 : (value & 0xFF) << 7);
        int shift = is_deep ? 2 : 8;
        int16_t z = (int16_t)(uint16_t)(mixed(third.lines, pixel, is_deep) << shift ^ 0x8000);
        int16_t x = (int16_t)(uint16_t)(mixed(first.lines, pixel, is_deep) << shift ^ 0x8000);
        int16_t base = upper_product(y, by[0]);
        expected[pixel * 4] = byte(sum(sum(base, upper_product(x, by[3])), by[5]));
        expected[pixel * 4 + 1] = byte(
            sum(sum(sum(base, upper_product(z, by[2])), upper_product(x, by[4])), by[6]));
        expected[pixel * 4 + 2] = byte(sum(sum(base, upper_product(z, by[1])), by[7]));
        expected[pixel * 4 + 3] = 0xFF;
    }
    check(&row, expected, width, slack);
    release(&luma.upper), release(&luma.lower), release(&third.upper), release(&third.lower);
    release(&first.upper), release(&first.lower), release(&coefficients), release(&row);
}

// MARK: By way of light

enum { signal_count = 6121, light_steps = 4096, gain_count = 5794, code_count = 4097 };

static long whole(float value) { return lrintf(value); }

static float gain(const float *table, float light, const struct ph_kernels_tables *by) {
    float root = sqrtf(light > 0 ? light : 0) * by->light_steps;
    return table[whole(root < by->most_root ? root : by->most_root)];
}

static void test_make_row_by_light(long width) {
    static float decoded[signal_count], system_gains[gain_count], gains[gain_count];
    static int32_t encoded[code_count];
    static int is_filled;
    if (!is_filled) {
        is_filled = 1;
        for (long index = 0; index < signal_count; index++) decoded[index] = random_fraction() * 2;
        for (long index = 0; index < gain_count; index++) {
            system_gains[index] = random_fraction() * 2;
            gains[index] = random_fraction() * 2;
        }
        for (long index = 0; index < code_count; index++) {
            encoded[index] = (int32_t)random_below(255 * 32 + 1);
        }
    }
    // Rows by light are processed eight pixels at a time.
    long count = (width + 7) / 8 * 8, slack = random_below(slack_most);
    struct ph_kernels_tables by = {
        .last_place = signal_count - 1, .decoded = decoded, .gains = gains,
        .system_gains = random_below(2) ? system_gains : NULL, .light_steps = light_steps,
        .most_root = 1.41421356f * light_steps, .encoded = encoded, .fraction_bits = 5};
    for (int channel = 0; channel < 3; channel++) {
        by.luma[channel] = random_fraction() * 0.2f;
        by.third[channel] = (random_fraction() - 0.5f) * 0.2f;
        by.first[channel] = (random_fraction() - 0.5f) * 0.2f;
        by.offset[channel] = random_fraction() * 3000;
        by.weights[channel] = random_fraction();
        for (int column = 0; column < 3; column++) {
            by.columns[column][channel] = random_fraction() * 2 - 0.6f;
        }
    }
    long stride = count * 2 + random_below(64);
    struct guarded signals = guarded((size_t)(stride * 2 + count * 2), (size_t)slack);
    int is_extreme = random_below(4) == 0;
    for (size_t index = 0; index + 1 < signals.size; index += 2) {
        uint16_t value = is_extreme ? extreme() : (uint16_t)random_bits();
        memcpy(signals.bytes + index, &value, 2);
    }
    int32_t dither[8];
    for (int index = 0; index < 8; index++) dither[index] = (int32_t)random_below(32);
    struct guarded row = guarded((size_t)count * 4, (size_t)slack);
    ph_kernels_make_row_by_light(
        &by, signals.bytes, stride, dither, count, (uint32_t *)(void *)row.bytes);
    uint32_t expected[count];
    for (long pixel = 0; pixel < count; pixel++) {
        float lanes[3], values[3], light[3];
        for (int line = 0; line < 3; line++) {
            lanes[line] = (int16_t)word(signals.bytes + line * stride, pixel);
        }
        for (int channel = 0; channel < 3; channel++) {
            float place = by.offset[channel] + by.luma[channel] * lanes[0];
            place = place + by.third[channel] * lanes[1];
            place = place + by.first[channel] * lanes[2];
            place = place < 0 ? 0 : place > by.last_place ? by.last_place : place;
            values[channel] = decoded[whole(place)];
        }
        for (int channel = 0; channel < 3; channel++) {
            light[channel] = by.columns[0][channel] * values[0] + by.columns[1][channel] * values[1]
                + by.columns[2][channel] * values[2];
        }
        float factor = 1;
        if (by.system_gains) {
            factor = gain(
                system_gains,
                by.weights[0] * values[0] + by.weights[1] * values[1] + by.weights[2] * values[2],
                &by);
        }
        float largest = fmaxf(light[0], fmaxf(light[1], light[2])) * factor;
        factor *= gain(gains, largest, &by);
        expected[pixel] = 0xFF000000;
        for (int channel = 0; channel < 3; channel++) {
            float shown = light[channel] * factor;
            shown = shown < 0 ? 0 : shown > 1 ? 1 : shown;
            int32_t code = (encoded[whole(sqrtf(shown) * by.light_steps)] + dither[pixel % 8]) >> 5;
            expected[pixel] |= (uint32_t)code << 8 * channel;
        }
    }
    check(&row, expected, width, slack);
    release(&signals), release(&row);
}

int main(int count, char **arguments) {
    long widths = count > 1 ? atol(arguments[1]) : 200;
    if (!ph_kernels_are_supported()) {
        puts("kernels: this processor has neither AVX2 nor NEON");
        return 2;
    }
    begin("filter_row");
    for (long width = 1; width <= widths; width++) for_axes(width, 8, 1, test_filter_row);
    end();
    begin("filter_deep_row");
    for (long width = 1; width <= widths; width++) {
        for_axes(width, 12, 2, test_filter_deep_row);
    }
    end();
    for (int is_deep = 0; is_deep < 2; is_deep++) {
        begin(is_deep ? "make_deep_row" : "make_row");
        for (long width = 1; width <= widths; width++) {
            for (int time = 0; time < 8; time++) test_make_row(width, is_deep);
        }
        end();
    }
    begin("make_row_by_light");
    for (long width = 1; width <= widths; width++) {
        for (int time = 0; time < 8; time++) test_make_row_by_light(width);
    }
    end();
    printf("kernels: %s\n", failures ? "DIFFERENT" : "equal");
    return failures != 0;
}
