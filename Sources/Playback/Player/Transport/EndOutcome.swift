// SPDX-License-Identifier: Apache-2.0

/// The result of keeping the playhead within an item.
enum EndOutcome: Sendable {
    case none
    /// The timeline has been stopped or moved.
    case moved
    /// A seek has begun: to the next repetition of a loop, or back to an end that was passed.
    case sought
}
