// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadStretching
package import PlayheadTime

/// A track of a composition, as a value.
package struct CompositionTrackState: Sendable {
    package let id: Int
    package let mediaType: MediaType
    var list = SegmentList()
    package var isEnabled = true
    package var languageTag: String?
    var timePitchAlgorithm = AudioTimePitchAlgorithm.timeDomain
    /// The timescale that was set; nil for that of the first source.
    var naturalTimeScale: Int32?

    /// The timescale of tracks without media.
    static let defaultTimeScale: Int32 = 600

    init(id: Int, mediaType: MediaType) {
        self.id = id
        self.mediaType = mediaType
    }

    package var segments: [CompositionTrackSegment] { list.segments }
    package var end: MediaTime { list.end }

    /// The source of the first segment that has a source.
    package var firstSource: CompositionSource? {
        list.segments.lazy.compactMap(\.source).first
    }

    /// The timescale that was set or, if none was set, that of the first source.
    package var timeScale: Int32 {
        naturalTimeScale ?? firstSource?.track.timeUnit.timescale ?? Self.defaultTimeScale
    }
}
