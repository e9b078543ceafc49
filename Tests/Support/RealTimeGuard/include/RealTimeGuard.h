// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// The actions of a thread between `real_time_guard_begin` and `real_time_guard_end` that a real-time
/// thread must not perform.
typedef struct {
    uint64_t allocations;  ///< malloc, calloc, realloc, aligned memory, and free.
    uint64_t locks;        ///< Mutexes, read-write locks and semaphores of glibc.
    uint64_t system_calls; ///< 1 if there was any, of whatever kind: waiting for a Swift lock that
                           ///< another thread holds is one, too.
    uint64_t references;   ///< Retains and releases of Swift objects.
    long system_call;      ///< The number of the system call; −1 if there was none.
} RealTimeReport;

/// Starts watching the calling thread.
void real_time_guard_begin(void);

/// Stops watching, and returns the violations.
RealTimeReport real_time_guard_end(void);

/// Returns whether the kernel can watch system calls (Linux 5.11, x86-64). If not, they are not
/// counted.
bool real_time_guard_watches_system_calls(void);

/// Returns a backtrace of the first violation in this process, in lines of text; empty if there was
/// none. The text stays valid.
const char *real_time_guard_first_violation(void);

/// Returns the callers of retain and release in this process, with counts, in lines of text.
const char *real_time_guard_reference_callers(void);
