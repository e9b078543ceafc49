// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadStretching
public import PlayheadTime

/// A track of a composition: segments that follow one another without a gap, from 0 on.
///
/// - Concurrency: any thread. Tracks of a mutable composition return its content at the time of the
///   call.
/// - Ownership: keeps the content of its composition alive, but not the composition.
/// - Corresponds to: `AVCompositionTrack`.
public class CompositionTrack: @unchecked Sendable, Equatable {
    // Unchecked: non-final classes cannot be checked; `composition` is never set again, and weak
    // references are safe on all threads.

    /// The ID of the track, unique among all tracks that the composition has had.
    public let trackID: Int
    let store: CompositionStore
    private weak let owner: Composition?

    init(id: Int, of composition: Composition) {
        trackID = id
        store = composition.store
        owner = composition
    }

    /// The composition; nil if the track has been removed or the composition has been released.
    ///
    /// - Corresponds to: `AVAssetTrack.asset`.
    public var composition: Composition? { state == nil ? nil : owner }

    /// The segments; empty if the track has been removed.
    ///
    /// - Corresponds to: `AVCompositionTrack.segments`.
    public var segments: [CompositionTrackSegment] { state?.segments ?? [] }

    /// The type of the media; `data` if the track has been removed.
    public var mediaType: MediaType { state?.mediaType ?? .data }

    /// The range from 0 to the end of the last segment.
    public var timeRange: MediaTimeRange {
        MediaTimeRange(start: .zero, duration: state?.end ?? .zero)
    }

    /// A Boolean value that indicates whether the track plays unless another one is selected.
    public var isEnabled: Bool { state?.isEnabled ?? false }

    /// The BCP 47 tag of the track's language; nil if no language is set.
    public var languageTag: String? { state?.languageTag }

    /// The treatment of pitch where the audio of the track is scaled. The default is `timeDomain`,
    /// which keeps the pitch; see `setAudioTimePitchAlgorithm(_:)`.
    public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm {
        state?.timePitchAlgorithm ?? .timeDomain
    }

    /// The number of time units per second that suits the track's times: the one that was set or,
    /// if none was set, that of the first source; 600 if the track has no media.
    public var naturalTimeScale: Int32 {
        state?.timeScale ?? CompositionTrackState.defaultTimeScale
    }

    /// Returns the segment that plays at a time. For times before 0, it is the first segment; for
    /// times after the end, it is the last one. Returns nil if the track is empty or the time is
    /// not a number.
    ///
    /// - Corresponds to: `segment(forTrackTime:)`.
    public func segment(forTrackTime time: MediaTime) -> CompositionTrackSegment? {
        store.read { state in
            guard time.isNumeric, let list = state.track(self.trackID)?.list,
                let last = list.segments.last
            else { return nil }
            let index = list.index(after: max(time, .zero))
            return index < list.segments.count ? list.segments[index] : last
        }
    }

    /// Returns whether both are the same track of the same composition.
    public static func == (left: CompositionTrack, right: CompositionTrack) -> Bool {
        left.store === right.store && left.trackID == right.trackID
    }

    private var state: CompositionTrackState? { store.read { $0.track(self.trackID) } }

    /// Returns the type and the segments of the track, for an edit that copies them.
    func content() throws(CompositionError) -> (MediaType, SegmentList) {
        guard let state else { throw .removedTrack(trackID) }
        return (state.mediaType, state.list)
    }
}
