// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

#if !defined(__x86_64__) && !defined(__aarch64__)

// These functions exist for every processor, so that Swift needs no conditions. On a processor
// without the loops, Swift calls only the first function.

bool ph_kernels_are_supported(void) { return false; }

void ph_kernels_filter_row(
    const uint8_t *samples, const int32_t *bases, const uint8_t *places, const uint16_t *weights,
    long count, uint16_t *line) {
    (void)samples, (void)bases, (void)places, (void)weights, (void)count, (void)line;
    __builtin_trap();
}

void ph_kernels_filter_deep_row(
    const uint16_t *samples, const int32_t *bases, const uint8_t *places, const uint16_t *weights,
    long count, int32_t shift, uint16_t *line) {
    (void)samples, (void)bases, (void)places, (void)weights, (void)count, (void)shift, (void)line;
    __builtin_trap();
}

void ph_kernels_make_row(
    struct ph_kernels_lines luma, struct ph_kernels_lines third, struct ph_kernels_lines first,
    const void *coefficients, long count, uint8_t *row) {
    (void)luma, (void)third, (void)first, (void)coefficients, (void)count, (void)row;
    __builtin_trap();
}

void ph_kernels_make_deep_row(
    struct ph_kernels_lines luma, struct ph_kernels_lines third, struct ph_kernels_lines first,
    const void *coefficients, long count, uint8_t *row) {
    (void)luma, (void)third, (void)first, (void)coefficients, (void)count, (void)row;
    __builtin_trap();
}

void ph_kernels_make_row_by_light(
    const struct ph_kernels_tables *tables, const void *signals, long stride,
    const int32_t *dither, long count, uint32_t *row) {
    (void)tables, (void)signals, (void)stride, (void)dither, (void)count, (void)row;
    __builtin_trap();
}
#endif
