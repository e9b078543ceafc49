// SPDX-License-Identifier: Apache-2.0

/// The caption data of a frame: the payload of the packets of caption tracks.
///
/// - Concurrency: any thread; immutable.
package final class CaptionPayload: Sendable {
    /// The pairs in the order of transmission; empty for a frame without captions.
    package let pairs: [CaptionPair]
    /// A Boolean value that indicates whether the pairs belong to successive frames rather than to
    /// one frame. If so, there is one pair per frame, beginning at the packet's time.
    package let isSequence: Bool

    package init(_ pairs: [CaptionPair], isSequence: Bool = false) {
        self.pairs = pairs
        self.isSequence = isSequence
    }
}
