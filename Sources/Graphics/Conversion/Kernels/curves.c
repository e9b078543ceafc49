// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

bool ph_kernels_have_byte_tables(void) {
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi");
}

#define PH_VBMI __attribute__((target("avx512f,avx512bw,avx512vbmi")))

PH_VBMI void ph_kernels_apply_curves(const uint8_t *curves, long count, uint8_t *pixels) {
    // Two registers have the entries of 128 values, and seven bits of a byte select one of them.
    __m512i parts[3][4];
    for (int index = 0; index < 12; index++) {
        parts[index / 4][index % 4] = _mm512_loadu_si512(curves + index * 64);
    }
    const __m512i opaque = _mm512_set1_epi32((int32_t)0xFF000000);
    for (long pixel = 0; pixel < count; pixel += 16) {
        const long rest = count - pixel;
        const __mmask64 inside = rest >= 16 ? ~0ull : (1ull << rest * 4) - 1;
        const __m512i bytes = _mm512_maskz_loadu_epi8(inside, pixels + pixel * 4);
        const __mmask64 is_upper = _mm512_movepi8_mask(bytes);
        __m512i result = opaque;
        for (int channel = 0; channel < 3; channel++) {
            const __mmask64 is_channel = 0x1111111111111111ull << channel;
            const __m512i *part = parts[channel];
            result = _mm512_mask_mov_epi8(
                result, is_channel & ~is_upper,
                _mm512_permutex2var_epi8(part[0], bytes, part[1]));
            result = _mm512_mask_mov_epi8(
                result, is_channel & is_upper,
                _mm512_permutex2var_epi8(part[2], bytes, part[3]));
        }
        _mm512_mask_storeu_epi8(pixels + pixel * 4, inside, result);
    }
}
#else

bool ph_kernels_have_byte_tables(void) { return false; }

void ph_kernels_apply_curves(const uint8_t *curves, long count, uint8_t *pixels) {
    (void)curves, (void)count, (void)pixels;
    __builtin_trap();
}
#endif
