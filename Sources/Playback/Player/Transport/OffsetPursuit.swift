// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The factor for the rate of a live source until the playhead has its offset from the present
/// again.
///
/// The clock of a source is not that of this machine, and the offset may be changed while the
/// source plays. A small error is corrected by a rate that is not heard, and a larger one by a rate
/// that is hardly heard, because the pitch stays the same.
///
/// - Concurrency: a value.
struct OffsetPursuit: Sendable, Equatable {
    private(set) var factor = 1.0
    private var isFast = false

    /// The error from which it is corrected, and the one at which the correction ends: less than a
    /// vsync.
    private static let (beginning, end) = (
        MediaTime(value: 20, timescale: 1000), MediaTime(value: 5, timescale: 1000)
    )
    /// The error from which the faster correction applies.
    private static let large = MediaTime(value: 100, timescale: 1000)
    /// The slow correction is that of `PlayerItem.rateAdjustment`. The fast one keeps the pitch.
    private static let (slow, fast) = (0.005, 0.05)

    /// Takes the current error.
    ///
    /// - Parameter error: The distance of the playhead behind its offset; negative if it is ahead.
    mutating func update(_ error: MediaTime) {
        guard error.isNumeric else { return }
        let isAhead = error < .zero
        let isCorrected = factor != 1 && (factor < 1) == isAhead && error.magnitude > Self.end
        guard error.magnitude >= Self.beginning || isCorrected else {
            reset()
            return
        }
        isFast =
            error.magnitude >= Self.large || (isFast && error.magnitude > Self.beginning)
        let step = isFast ? Self.fast : Self.slow
        factor = isAhead ? 1 - step : 1 + step
    }

    /// Ends the correction, because the timeline is moved.
    mutating func reset() { (factor, isFast) = (1, false) }
}
