/* SPDX-License-Identifier: Apache-2.0 */

#include <stdint.h>

/* What the C library has in place of the standard library's function that gives a character of Unicode its
 * name: none. Nobody in it asks, and the tables of the names are half a megabyte. */
intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity);

intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity) {
    (void)scalar;
    (void)buffer;
    (void)capacity;
    return 0;
}
