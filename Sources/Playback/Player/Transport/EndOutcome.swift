// SPDX-License-Identifier: Apache-2.0

/// The result of keeping the playhead within an item.
enum EndOutcome: Sendable {
    case none
    /// The timeline has been stopped or moved.
    case moved
    /// The next round of a loop has begun, which is a seek.
    case sought
}
