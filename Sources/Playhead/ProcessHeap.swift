// SPDX-License-Identifier: Apache-2.0

import CPlayheadMalloc

/// The heap of `malloc`, for the whole process.
///
/// Decoders allocate and free blocks of several megabytes. After GNU's `malloc` has freed such a
/// block for the first time, it keeps blocks of this size in its heaps. Each thread has one heap.
/// Small, long-lived blocks then fragment the heaps, and the free space cannot be used again. A
/// program that plays all day therefore grows by hundreds of megabytes.
///
/// The library does not change this behaviour by itself, because it affects the whole process. A
/// program can call these functions if it wants to.
///
/// - Concurrency: any thread.
/// - Corresponds to: `mallopt(3)`, `malloc_trim(3)`, `mallinfo(3)`. With C libraries other than
///   GNU's, the calls do nothing.
public enum ProcessHeap {
    /// The initial thresholds of `malloc`, before it adapts them: `DEFAULT_MMAP_THRESHOLD` and
    /// `DEFAULT_TRIM_THRESHOLD` in mallopt(3).
    private static let threshold: Int32 = 128 * 1024

    /// Makes `malloc` return memory to the system as soon as it is freed. This applies to blocks of
    /// at least 128 KiB and to the end of a heap.
    ///
    /// Call it once, at the start, because earlier blocks are not affected. Programs that
    /// constantly allocate and free large blocks become slower, because the system clears the pages
    /// of new blocks.
    public static func returnMemoryWhenFreed() {
        ph_malloc_set_thresholds(threshold, threshold)
    }

    /// Returns the free memory of all heaps to the system.
    ///
    /// This takes milliseconds, and locks each heap in turn. Do not call it on a render thread.
    package static func returnFreeMemory() {
        ph_malloc_trim()
    }

    /// The number of bytes in use in all heaps; nil if the C library does not report it. This
    /// number grows with leaks. The resident size of the process also contains memory that `malloc`
    /// keeps for later use.
    package static var allocatedByteCount: Int? {
        let count = ph_malloc_allocated()
        return count < 0 ? nil : count
    }
}
