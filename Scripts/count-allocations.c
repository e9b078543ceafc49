// SPDX-License-Identifier: Apache-2.0
//
// Counts the allocations of each thread, for proofs: preloaded with LD_PRELOAD, it replaces glibc's
// malloc and calls it by its internal names. Allocations of the program and of libplayhead, or of
// Swift's runtime for them, are distinguished from a graphics driver's by their callers.

#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

// Initial-exec: the dynamic linker allocates other thread-local storage with malloc.
static __thread uint64_t count __attribute__((tls_model("initial-exec")));

static __thread uint64_t own_count __attribute__((tls_model("initial-exec")));

uint64_t playhead_allocation_count(void) { return count; }
uint64_t playhead_own_allocation_count(void) { return own_count; }

// The addresses of the program and of Swift's runtime in memory.
enum { most = 16 };
static struct { uintptr_t start, end; } ours[most];
static int known;

static int note(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    // The program itself has no name here.
    if (object->dlpi_name[0] && !strstr(object->dlpi_name, "libswift")
        && !strstr(object->dlpi_name, "libplayhead")) return 0;
    for (int i = 0; i < object->dlpi_phnum && known < most; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        ours[known].start = object->dlpi_addr + part->p_vaddr;
        ours[known].end = ours[known].start + part->p_memsz;
        known++;
    }
    return 0;
}

__attribute__((constructor)) static void find_ours(void) { dl_iterate_phdr(note, NULL); }

#define COUNT()                                                        \
    do {                                                               \
        uintptr_t caller = (uintptr_t)__builtin_return_address(0);     \
        count++;                                                       \
        for (int i = 0; i < known; i++)                                \
            own_count += caller >= ours[i].start && caller < ours[i].end; \
    } while (0)

void *malloc(size_t size) {
    COUNT();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    COUNT();
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    COUNT();
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    COUNT();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    COUNT();
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : 12;  // ENOMEM
}
