// SPDX-License-Identifier: Apache-2.0

import CPlayheadMalloc

/// The heap of `malloc`, for the whole process.
///
/// Decoders allocate and free blocks of several megabytes. When GNU's `malloc` first frees such a
/// block, it begins to keep blocks of this size in its heaps, of which each thread has one. Small,
/// long-lived blocks then fragment the heaps, the free space cannot be used again, and a program
/// that plays all day grows by hundreds of megabytes.
///
/// The library does not change this by itself, because it affects the whole process. A program
/// calls these functions if it wants to.
///
/// - Concurrency: any thread.
/// - Corresponds to: `mallopt(3)`, `malloc_trim(3)`, `mallinfo(3)`; with C libraries other than
///   GNU's the calls do nothing.
public enum ProcessHeap {
    /// The initial values of `malloc`, before it learns: `DEFAULT_MMAP_THRESHOLD` and
    /// `DEFAULT_TRIM_THRESHOLD`, mallopt(3).
    private static let threshold: Int32 = 128 * 1024

    /// Makes `malloc` return blocks of 128 KiB or more, and the end of a heap, to the system as
    /// soon as they are freed.
    ///
    /// Call it once, at the start: earlier blocks are not affected. Programs that allocate and free
    /// large blocks all the time become slower, because the system clears their pages.
    public static func returnMemoryWhenFreed() {
        ph_malloc_set_thresholds(threshold, threshold)
    }

    /// Returns the free memory of all heaps to the system.
    ///
    /// Takes milliseconds, during which each heap in turn is locked; do not call it on a render
    /// thread.
    public static func returnFreeMemory() {
        ph_malloc_trim()
    }

    /// The number of bytes in use in all heaps. It grows with leaks, while the resident size also
    /// contains memory that `malloc` keeps for later. nil if the C library does not report it.
    package static var allocatedByteCount: Int? {
        let count = ph_malloc_allocated()
        return count < 0 ? nil : count
    }
}
