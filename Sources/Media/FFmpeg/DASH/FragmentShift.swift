// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The time that is added to the timestamps of a representation, in the units of its tracks.
///
/// - Concurrency: one thread at a time, which is the thread that reads the asset.
final class FragmentShift {
    let time: MediaTime
    /// The number of units in a second, by the identifiers of tracks, as the header states them.
    private var timescales: [Int: Int32] = [:]

    init(_ time: MediaTime) { self.time = time }

    func note(timescale: Int64, ofTrack identifier: Int) {
        guard timescale > 0, let scale = Int32(exactly: timescale) else { return }
        timescales[identifier] = scale
    }

    /// Returns the shift in the units of a track; nil if they are not known.
    func ticks(ofTrack identifier: Int) -> Int64? {
        let single = timescales.count == 1 ? timescales.first?.value : nil
        return ticks(at: timescales[identifier] ?? single)
    }

    /// Returns the shift in units of a timescale; nil if that is not valid.
    func ticks(at scale: Int32?) -> Int64? {
        guard let scale, scale > 0 else { return nil }
        let ticks = time.converted(toTimescale: scale)
        return ticks.isNumeric ? ticks.value : nil
    }
}
