// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A timeline with the structure of its file, before it is flattened.
struct TimelineContent {
    var name: String
    /// The outermost stack.
    var root: TimelineNode
    var startTimecode: MediaTime
    var notes: [TimelineNote]
}
