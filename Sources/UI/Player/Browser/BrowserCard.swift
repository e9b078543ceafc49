// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// A card of the folder browser as an image: a frame of the video, its duration and its name.
///
/// - Concurrency: a value; any thread.
struct BrowserCard: Sendable {
    /// The part of a card that has been drawn.
    enum Stage: Sendable, Hashable {
        /// The name alone.
        case name
        /// Everything.
        case complete
    }

    /// A request to draw a card.
    struct Request: Sendable, Hashable {
        var entry: FolderEntry
        var metrics: CardMetrics
        var stage: Stage
    }

    /// The request that the card answers.
    let request: Request
    /// The image, which is opaque and has the size in the request.
    let picture: PixelBuffer
    /// The reason why the entry cannot be opened, as a sentence; nil if it can.
    let problem: String?
    /// A Boolean value that indicates whether nothing is missing.
    let isComplete: Bool
    /// A Boolean value that indicates whether the card shows an error in place of a frame. The file
    /// may be playable nevertheless.
    var hasFailed = false
}
