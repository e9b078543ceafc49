// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The maximum total size of the frames that the video decoding thread keeps, and their current
/// size, in bytes.
///
/// - Concurrency: any thread. It does not lock or wait.
final class RecentFrameBudget: Sendable {
    let byteLimit = Atomic<Int>(RecentFrames.byteLimit)
    let byteCount = Atomic<Int>(0)
}
