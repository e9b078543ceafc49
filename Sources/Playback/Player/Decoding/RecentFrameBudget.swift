// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The maximum size of the frames that the video decoding thread keeps, and their size, in bytes.
///
/// - Concurrency: any thread; neither locks nor waits.
final class RecentFrameBudget: Sendable {
    let byteLimit = Atomic<Int>(RecentFrames.byteLimit)
    let byteCount = Atomic<Int>(0)
}
