// SPDX-License-Identifier: Apache-2.0
// The functions of glibc's malloc.h that Swift's module for glibc does not have: mallopt(3),
// malloc_trim(3), mallinfo(3). With other C libraries these do nothing.
#pragma once

#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

/// Sets the minimum size of blocks that are mapped separately, and the amount of free memory that
/// may remain at the end of a heap.
static inline void ph_malloc_set_thresholds(int mapped, int free_end) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, mapped);
    mallopt(M_TRIM_THRESHOLD, free_end);
#endif
}

/// Returns the free memory of all heaps to the system.
static inline void ph_malloc_trim(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

/// Returns the bytes in use in all heaps; -1 if unknown.
static inline long ph_malloc_allocated(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    struct mallinfo2 info = mallinfo2();
    return (long)(info.uordblks + info.hblkhd);
#else
    return -1;
#endif
}
