// SPDX-License-Identifier: Apache-2.0
//
// Counts the allocations of each thread, for proofs: preloaded with LD_PRELOAD, it stands before
// glibc's malloc, whose own names for the same functions do the work.

#include <stddef.h>
#include <stdint.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

// Initial-exec: the dynamic linker allocates other thread-local storage by malloc itself.
static __thread uint64_t count __attribute__((tls_model("initial-exec")));

uint64_t playhead_allocation_count(void) { return count; }

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count++;
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count++;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count++;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : 12;  // ENOMEM
}
