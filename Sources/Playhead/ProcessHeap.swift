// SPDX-License-Identifier: Apache-2.0

import CPlayheadMalloc

/// What `malloc` has of the system, for the whole process.
///
/// Decoders allocate and free blocks of megabytes. GNU's `malloc`, left to itself, learns from the first
/// one that is freed to keep such blocks in its heaps, of which it has one for each thread, where small
/// blocks that live longer soon lie between them: what is free is not found again, and a program that
/// plays all day grows by hundreds of megabytes that nobody uses.
///
/// Our libraries leave that alone, since it is the affair of whoever owns the process: our own programs,
/// and those that ask for it here.
///
/// - Concurrency: any thread.
/// - Corresponds to: `mallopt(3)`, `malloc_trim(3)`, `mallinfo(3)`; with other C libraries than GNU's
///   nothing is done and nothing known.
public enum ProcessHeap {
    /// What `malloc` starts with, before it learns: `DEFAULT_MMAP_THRESHOLD` and
    /// `DEFAULT_TRIM_THRESHOLD`, mallopt(3).
    private static let threshold: Int32 = 128 * 1024

    /// From now on a block of 128 KiB or more is the system's again as soon as it is freed, and so is the
    /// end of a heap.
    ///
    /// To be called once, first of all: what has been allocated before stays where it is. Programs that
    /// allocate and free large blocks all the time take longer for it: pages are the system's to clear.
    public static func returnMemoryWhenFreed() {
        ph_malloc_set_thresholds(threshold, threshold)
    }

    /// Gives the system back what lies free in all heaps by now.
    ///
    /// Takes milliseconds, during which each heap in turn is locked: nothing for a render thread.
    public static func returnFreeMemory() {
        ph_malloc_trim()
    }

    /// What is in use, in bytes, in all heaps: what grows where something is not let go of, while what is
    /// resident also counts what `malloc` keeps for later. nil where the C library does not tell.
    public static var allocatedByteCount: Int? {
        let count = ph_malloc_allocated()
        return count < 0 ? nil : count
    }
}
