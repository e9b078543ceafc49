// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

extension AssetDescription {
    /// The start of the timeline; 0 if the asset does not declare one.
    var firstTime: MediaTime { startTime.isNumeric ? startTime : .zero }

    /// The range of the whole asset, if its duration is known.
    var seekableTimeRanges: [MediaTimeRange] {
        guard duration.isNumeric, duration > .zero else { return [] }
        return [MediaTimeRange(start: firstTime, duration: duration)]
    }
}
