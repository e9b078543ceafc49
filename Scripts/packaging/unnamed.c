/* SPDX-License-Identifier: Apache-2.0 */

#include <stdint.h>

/* Replaces the standard library's function for the names of Unicode characters in the C library, and
 * returns none. The library does not use them, and their tables take half a megabyte. */
intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity);

intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity) {
    (void)scalar;
    (void)buffer;
    (void)capacity;
    return 0;
}
