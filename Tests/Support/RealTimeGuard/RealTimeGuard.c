// SPDX-License-Identifier: Apache-2.0
//
// Watches a thread for actions that a real-time thread must not perform.
//
// A program that links this has its own malloc and lock functions, which precede those of glibc for
// every library that it loads: they count, and call the real ones. System calls are watched by the
// kernel itself (syscall user dispatch): the first one in a watched section raises a signal, and is
// then performed normally.

#define _GNU_SOURCE
#include "RealTimeGuard.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <ucontext.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif
#ifndef SYS_USER_DISPATCH
#define SYS_USER_DISPATCH 2
#endif

// Initial-exec: the dynamic linker allocates other thread-local storage with malloc.
#define THREAD_LOCAL static __thread __attribute__((tls_model("initial-exec")))
THREAD_LOCAL volatile char selector;
THREAD_LOCAL bool is_watched;
THREAD_LOCAL bool is_prepared;
THREAD_LOCAL RealTimeReport report;

enum { most_frames = 24 };
static void *frames[most_frames];
static atomic_int depth;
static char description[8192];

static void note_violation(void) {
    if (atomic_load_explicit(&depth, memory_order_relaxed)) return;
    bool was_watched = is_watched;
    char was_selected = selector;
    is_watched = false;
    selector = 0;
    depth = backtrace(frames, most_frames);
    selector = was_selected;
    is_watched = was_watched;
}

// MARK: System calls

static bool can_watch_system_calls;

static void on_system_call(int signal, siginfo_t *info, void *context) {
    (void)signal;
    if (info->si_code != SYS_USER_DISPATCH) return;
    selector = 0;
    report.system_calls++;
    report.system_call = info->si_syscall;
    note_violation();
#if defined(__x86_64__)
    // Repeats the call, which is allowed now: the instruction has two bytes.
    ucontext_t *state = context;
    state->uc_mcontext.gregs[REG_RIP] -= 2;
    state->uc_mcontext.gregs[REG_RAX] = info->si_syscall;
#else
    (void)context;
#endif
}

static void prepare_thread(void) {
    is_prepared = true;
#if defined(__x86_64__)
    int result = prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &selector);
    can_watch_system_calls = result == 0;
#endif
}

__attribute__((constructor)) static void prepare(void) {
    // The first backtrace loads a library.
    void *frame;
    backtrace(&frame, 1);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_system_call;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSYS, &action, NULL);
}

// MARK: Watching

void real_time_guard_begin(void) {
    if (!is_prepared) prepare_thread();
    memset(&report, 0, sizeof report);
    report.system_call = -1;
    is_watched = true;
    selector = can_watch_system_calls;
}

RealTimeReport real_time_guard_end(void) {
    selector = 0;
    is_watched = false;
    return report;
}

bool real_time_guard_watches_system_calls(void) {
    if (!is_prepared) prepare_thread();
    return can_watch_system_calls;
}

const char *real_time_guard_first_violation(void) {
    int count = atomic_load(&depth);
    size_t length = 0;
    for (int i = 1; i < count && length < sizeof description - 1; i++) {
        Dl_info info;
        const char *name = dladdr(frames[i], &info) && info.dli_sname ? info.dli_sname : "?";
        const char *file = info.dli_fname ? info.dli_fname : "?";
        length += snprintf(
            description + length, sizeof description - length, "  %s (%s+0x%tx)\n", name,
            file, (char *)frames[i] - (char *)info.dli_fbase);
    }
    return description;
}

// MARK: Allocations

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static inline void count_allocation(void) {
    if (!is_watched) return;
    report.allocations++;
    note_violation();
}

void *malloc(size_t size) {
    count_allocation();
    return __libc_malloc(size);
}

void free(void *memory) {
    if (memory) count_allocation();
    __libc_free(memory);
}

void *calloc(size_t number, size_t size) {
    count_allocation();
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count_allocation();
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count_allocation();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count_allocation();
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : 12;  // ENOMEM
}

// MARK: Locks

static void count_lock(void) {
    if (!is_watched) return;
    report.locks++;
    note_violation();
}

/// The glibc function that ours precedes.
#define REAL(function)                                                                 \
    static _Atomic(typeof(&function)) real;                                            \
    typeof(&function) call = atomic_load_explicit(&real, memory_order_relaxed);        \
    if (!call) {                                                                       \
        call = (typeof(&function))dlsym(RTLD_NEXT, #function);                         \
        atomic_store_explicit(&real, call, memory_order_relaxed);                      \
    }

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    count_lock();
    REAL(pthread_mutex_lock)
    return call(mutex);
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    count_lock();
    REAL(pthread_mutex_trylock)
    return call(mutex);
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    count_lock();
    REAL(pthread_rwlock_rdlock)
    return call(lock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    count_lock();
    REAL(pthread_rwlock_wrlock)
    return call(lock);
}

int sem_wait(sem_t *semaphore) {
    count_lock();
    REAL(sem_wait)
    return call(semaphore);
}

// MARK: References

void *swift_retain(void *);
void swift_release(void *);

// The callers with the largest counts.
enum { most_callers = 64 };
static struct {
    _Atomic(void *) address;
    atomic_ulong count;
} callers[most_callers];

static void count_reference(void *caller) {
    if (!is_watched) return;
    report.references++;
    for (int i = 0; i < most_callers; i++) {
        void *expected = NULL;
        if (atomic_compare_exchange_strong(&callers[i].address, &expected, caller)
            || expected == caller) {
            atomic_fetch_add_explicit(&callers[i].count, 1, memory_order_relaxed);
            return;
        }
    }
}

const char *real_time_guard_reference_callers(void) {
    static char text[8192];
    size_t length = 0;
    for (int i = 0; i < most_callers && callers[i].address; i++) {
        Dl_info info;
        bool is_known = dladdr(callers[i].address, &info);
        length += snprintf(
            text + length, sizeof text - length, "  %lu from %s (+0x%tx)\n", callers[i].count,
            is_known && info.dli_sname ? info.dli_sname : "?",
            is_known ? (char *)callers[i].address - (char *)info.dli_fbase : 0);
        if (length >= sizeof text - 256) break;
    }
    return text;
}

void *swift_retain(void *object) {
    count_reference(__builtin_return_address(0));
    REAL(swift_retain)
    return call(object);
}

void swift_release(void *object) {
    count_reference(__builtin_return_address(0));
    REAL(swift_release)
    call(object);
}
