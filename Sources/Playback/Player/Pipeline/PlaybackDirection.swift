// SPDX-License-Identifier: Apache-2.0

/// Which way an item is decoded: whichever it plays, or played last.
package enum PlaybackDirection: Sendable {
    case forward, reverse

    /// The one that a rate asks for; nil for standing still.
    package init?(rate: Double) {
        guard rate != 0 else { return nil }
        self = rate > 0 ? .forward : .reverse
    }
}
