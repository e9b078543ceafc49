// SPDX-License-Identifier: Apache-2.0
// What glibc's malloc.h has beyond C's, which Swift's module for glibc does not show: mallopt(3),
// malloc_trim(3), mallinfo(3). Other C libraries have none of it: there these do nothing.
#pragma once

#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

/// Fixes from which size blocks are mapped by themselves, and how much of a heap's end may lie free.
static inline void ph_malloc_set_thresholds(int mapped, int free_end) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, mapped);
    mallopt(M_TRIM_THRESHOLD, free_end);
#endif
}

/// Gives the system back what is free in all heaps.
static inline void ph_malloc_trim(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

/// Bytes that are in use in all heaps; -1 where that is not told.
static inline long ph_malloc_allocated(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    struct mallinfo2 info = mallinfo2();
    return (long)(info.uordblks + info.hblkhd);
#else
    return -1;
#endif
}
