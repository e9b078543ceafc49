/* SPDX-License-Identifier: Apache-2.0 */

/* Swift's Mutex is a futex: under contention it waits in the kernel, so ThreadSanitizer does not see
 * the order of lock holders and would report all accesses under the lock as races. Only in its builds,
 * a lock that it can see replaces the one of the standard library. */

#ifdef __has_feature
#if __has_feature(thread_sanitizer)

#include <sched.h>
#include <stdint.h>

/* Synchronization._MutexHandle._lockSlow(UInt32) */
__attribute__((swiftcall)) void wait_for_mutex(
    uint32_t thread, __attribute__((swift_context)) uint32_t *word)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");

__attribute__((swiftcall)) void wait_for_mutex(
    uint32_t thread, __attribute__((swift_context)) uint32_t *word) {
    uint32_t free = 0;
    while (!__atomic_compare_exchange_n(
        word, &free, thread, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        free = 0;
        sched_yield();
    }
}

#endif
#endif
