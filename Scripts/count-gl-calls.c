// SPDX-License-Identifier: Apache-2.0
//
// Counts OpenGL calls, for proofs: preloaded with LD_PRELOAD. libepoxy keeps the address of each
// function in a variable; on request, this replaces each with a counter of its own. Compiled with
// GL_NAMES naming a file of lines `X(glClear)`: the functions that Playhead calls.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {
#define X(name) #name,
#include GL_NAMES
#undef X
};
enum { count = sizeof names / sizeof *names };

// Named by the assembly below.
__attribute__((visibility("hidden"))) uint64_t gl_call_counts[count];
__attribute__((visibility("hidden"))) void *gl_call_targets[count];
static void **slots[count];

// One entry for each function: counts, and jumps to the original target, with every register
// unchanged except those that a caller does not expect to be preserved.
#if defined(__x86_64__)
#define ENTRY_SIZE 16
__asm__(
    ".text\n.balign 16\n.hidden gl_call_entries\n.globl gl_call_entries\ngl_call_entries:\n"
    ".set index, 0\n"
    ".rept 256\n.balign 16\n"
    "incq gl_call_counts+8*index(%rip)\njmp *gl_call_targets+8*index(%rip)\n"
    ".set index, index+1\n.endr\n");
#elif defined(__aarch64__)
#define ENTRY_SIZE 32
__asm__(
    ".text\n.balign 32\n.hidden gl_call_entries\n.globl gl_call_entries\ngl_call_entries:\n"
    ".set index, 0\n"
    ".rept 256\n.balign 32\n"
    "adrp x16, gl_call_counts+8*index\nldr x17, [x16, :lo12:gl_call_counts+8*index]\n"
    "add x17, x17, 1\nstr x17, [x16, :lo12:gl_call_counts+8*index]\n"
    "adrp x16, gl_call_targets+8*index\nldr x17, [x16, :lo12:gl_call_targets+8*index]\nbr x17\n"
    ".set index, index+1\n.endr\n");
#else
#error "no entries for this processor"
#endif
extern char gl_call_entries[];
_Static_assert(count <= 256, "more functions than entries");

// Starts or resumes counting; a context is current. Until a function is first called, its variable
// points to a part of libepoxy that looks it up and then calls through the variable again: there
// the function is looked up here instead.
void playhead_gl_count_calls(void) {
    void *egl = dlopen("libEGL.so.1", RTLD_LAZY);
    void *(*look_up)(const char *) = egl ? dlsym(egl, "eglGetProcAddress") : NULL;
    for (int i = 0; i < count; i++) {
        if (!slots[i]) {
            char symbol[128];
            snprintf(symbol, sizeof symbol, "epoxy_%s", names[i]);
            slots[i] = dlsym(RTLD_DEFAULT, symbol);
        }
        void *entry = gl_call_entries + (ptrdiff_t)ENTRY_SIZE * i;
        if (!slots[i] || *slots[i] == entry) continue;
        void *target = *slots[i];
        Dl_info found;
        if (dladdr(target, &found) && strstr(found.dli_fname, "libepoxy"))
            target = look_up ? look_up(names[i]) : NULL;
        if (!target) continue;
        gl_call_targets[i] = target;
        *slots[i] = entry;
    }
}

// Returns the name of a function, and the number of its calls; NULL beyond the last.
const char *playhead_gl_call(int index, uint64_t *calls) {
    if (index < 0 || index >= count) return NULL;
    *calls = gl_call_counts[index];
    return names[index];
}
