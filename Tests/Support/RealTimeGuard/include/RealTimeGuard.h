// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// What a thread has done between `real_time_guard_begin` and `real_time_guard_end` that a real-time
/// thread must not do.
typedef struct {
    uint64_t allocations;  ///< malloc, calloc, realloc, aligned memory, and free.
    uint64_t locks;        ///< Mutexes, read-write locks and semaphores of glibc's.
    uint64_t system_calls; ///< 1 if there was any, of whatever kind: a lock of Swift's that is held
                           ///< by another thread is one, too.
    uint64_t references;   ///< Retains and releases of Swift's objects.
    long system_call;      ///< The number of the system call; −1 if there was none.
} RealTimeReport;

/// Begins to watch the calling thread.
void real_time_guard_begin(void);

/// Ends it, and says what there was.
RealTimeReport real_time_guard_end(void);

/// Whether the kernel can watch system calls (Linux 5.11, x86-64); else they are not counted.
bool real_time_guard_watches_system_calls(void);

/// Where the first violation since the process began was made, in lines of text; empty if there was
/// none. The text stays valid.
const char *real_time_guard_first_violation(void);

/// Who has retained and released how often since the process began, in lines of text.
const char *real_time_guard_reference_callers(void);
