// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import Synchronization

/// The cancellation of a reader that a decoding thread has for itself, and with which it reads for
/// one generation after another.
///
/// Blocking calls of the reader end once another generation has begun, its lane has been removed,
/// or the item has been closed. A reader whose call has ended in this way is at an unknown position
/// and is not used again.
///
/// - Concurrency: any thread.
final class GenerationCancellation: Sendable {
    /// The flag for the calls of the reader.
    let cancellation: Cancellation
    private let current: Current

    private final class Current: Sendable {
        let value = Mutex<(generation: Int, lane: Int?)>((-1, nil))
    }

    init(packets: PacketQueue) {
        let current = Current()
        self.current = current
        cancellation = Cancellation {
            let (generation, lane) = current.value.withLock { $0 }
            return lane.map { packets.isOutdated(generation, lane: $0) }
                ?? packets.isOutdated(generation)
        }
    }

    /// A Boolean value that indicates whether the results of the generation are no longer needed.
    var isOver: Bool { cancellation.isCancelled }

    /// Lets the reader work for a generation.
    ///
    /// - Parameter lane: The lane in the packet queue whose removal also ends the work; nil for
    ///   none.
    func begin(_ generation: Int, lane: Int? = nil) {
        current.value.withLock { $0 = (generation, lane) }
    }
}
