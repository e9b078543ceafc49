// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The maximum total size of the frames that the video decoding thread keeps, and their current
/// size, in bytes; and the maximum size of the decoders that wait where earlier seeks stopped.
///
/// - Concurrency: any thread. It does not lock or wait.
final class RecentFrameBudget: Sendable {
    let byteLimit = Atomic<Int>(RecentFrames.byteLimit)
    let positionByteLimit = Atomic<Int>(RecentFrames.byteLimit)
    let byteCount = Atomic<Int>(0)

    /// Divides the memory of a track.
    func share(_ bytes: Int) {
        byteLimit.store(bytes / 16, ordering: .relaxed)
        positionByteLimit.store(bytes / 16 * 3, ordering: .relaxed)
    }
}
