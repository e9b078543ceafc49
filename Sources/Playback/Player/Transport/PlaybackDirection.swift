// SPDX-License-Identifier: Apache-2.0

/// The direction in which an item is decoded, which is the direction in which it plays or last
/// played.
package enum PlaybackDirection: Sendable {
    case forward, reverse

    /// Creates the direction for a rate; nil for 0.
    package init?(rate: Double) {
        guard rate != 0 else { return nil }
        self = rate > 0 ? .forward : .reverse
    }
}
