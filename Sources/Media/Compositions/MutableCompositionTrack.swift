// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadStretching
public import PlayheadTime

/// A track of a composition that can be edited.
///
///     let video = try composition.addMutableTrack(withMediaType: .video)
///     try video.insertTimeRange(range, of: track, in: film, at: .zero)
///     try video.scaleTimeRange(ending, toDuration: twice)
///
/// - Concurrency: any thread; edits are serialised.
/// - Errors: `CompositionError`; after an error the track is unchanged.
/// - Corresponds to: `AVMutableCompositionTrack`.
public final class MutableCompositionTrack: CompositionTrack, @unchecked Sendable {
    // Unchecked as its superclass is.

    init(id: Int, of composition: MutableComposition) { super.init(id: id, of: composition) }

    // MARK: - Inserting

    /// Inserts a range of a track of an asset at its natural rate. Media at and after the time
    /// moves by the duration of the range.
    ///
    /// - Parameters:
    ///   - timeRange: the range, which must be within the asset and overlap the track. Where the
    ///     track has no media, nothing plays.
    ///   - track: a track of the asset, as the asset has loaded it.
    ///   - time: the time at which to insert; `invalid` for the end of the track.
    /// - Corresponds to: `insertTimeRange(_:of:at:)`.
    public func insertTimeRange(
        _ timeRange: MediaTimeRange, of track: AssetTrack, in asset: Asset, at time: MediaTime
    ) throws(CompositionError) {
        try insert([.media(asset, track: track, timeRange: timeRange)], at: time)
    }

    /// Inserts a range of a track of a composition, as copies of its segments. The source may be
    /// this track itself.
    ///
    /// - Corresponds to: `insertTimeRange(_:of:at:)` with an `AVCompositionTrack`.
    public func insertTimeRange(
        _ timeRange: MediaTimeRange, of track: CompositionTrack, at time: MediaTime
    ) throws(CompositionError) {
        try insert([.segments(track, timeRange: timeRange)], at: time)
    }

    /// Inserts pieces one after another. If one cannot be inserted, none is.
    ///
    /// - Parameter time: the time at which to insert; `invalid` for the end of the track.
    /// - Corresponds to: `insertTimeRanges(_:of:at:)`.
    public func insert(
        _ pieces: [CompositionPiece], at time: MediaTime
    ) throws(CompositionError) {
        let segments: [CompositionTrackSegment]
        do {
            segments = try CompositionPiece.segments(of: pieces, for: try content().0)
        } catch {
            throw error.inTrack(trackID)
        }
        try edit { (track) throws(CompositionError) in
            let place = time == .invalid ? track.end : time.takenAsExact
            try place.requirePlace()
            return try track.list.splice(
                replacing: MediaTimeRange(start: place, duration: .zero), with: segments)
        }
    }

    /// Inserts a range in which nothing plays. Later media moves by the duration of the range. Has
    /// no effect at or after the end, because a track does not end with an empty segment.
    ///
    /// - Corresponds to: `insertEmptyTimeRange(_:)`.
    public func insertEmptyTimeRange(_ timeRange: MediaTimeRange) throws(CompositionError) {
        let edit = try SegmentEdit.insertEmpty(timeRange)
        try self.edit { (track) throws(CompositionError) in try edit.splice(of: track.list) }
    }

    // MARK: - Removing and scaling

    /// Removes a range. Later media moves to the start of the range.
    ///
    /// - Corresponds to: `removeTimeRange(_:)`.
    public func removeTimeRange(_ timeRange: MediaTimeRange) throws(CompositionError) {
        let edit = try SegmentEdit.remove(timeRange)
        try self.edit { (track) throws(CompositionError) in try edit.splice(of: track.list) }
    }

    /// Changes the duration of a range, and the speed of the media in it. Later media moves by the
    /// difference between the two durations. Audio keeps its pitch; see
    /// `setAudioTimePitchAlgorithm(_:)`.
    ///
    /// - Corresponds to: `scaleTimeRange(_:toDuration:)`.
    public func scaleTimeRange(
        _ timeRange: MediaTimeRange, toDuration duration: MediaTime
    ) throws(CompositionError) {
        let edit = try SegmentEdit.scale(timeRange, toDuration: duration)
        try self.edit { (track) throws(CompositionError) in try edit.splice(of: track.list) }
    }

    // MARK: - Segments

    /// Replaces all segments, after validating them. Empty segments at the end are dropped.
    ///
    /// - Corresponds to: `AVMutableCompositionTrack.segments`.
    public func setSegments(_ segments: [CompositionTrackSegment]) throws(CompositionError) {
        try validateSegments(segments)
        try edit { (track) throws(CompositionError) in try track.list.replacement(by: segments) }
    }

    /// Validates segments for this track: the first segment must begin at 0, each later segment
    /// must begin where the previous one ends, and each source range must be within its media.
    ///
    /// - Throws: the first problem, with the index of the segment.
    /// - Corresponds to: `validateSegments(_:)`.
    public func validateSegments(
        _ segments: [CompositionTrackSegment]
    ) throws(CompositionError) {
        let mediaType = try content().0
        var end = MediaTime.zero
        for (index, segment) in segments.enumerated() {
            do {
                end = try segment.takenAsExact.validatedEnd(after: end, in: mediaType)
            } catch {
                var error = error.inTrack(trackID)
                error.segmentIndex = index
                throw error
            }
        }
    }

    // MARK: - Properties

    /// Sets whether the track plays unless another one is selected.
    ///
    /// - Corresponds to: `AVMutableCompositionTrack.isEnabled`.
    public func setEnabled(_ isEnabled: Bool) throws(CompositionError) {
        try change { $0.isEnabled = isEnabled }
    }

    /// Sets the BCP 47 tag of the track's language.
    ///
    /// - Corresponds to: `AVMutableCompositionTrack.extendedLanguageTag`.
    public func setLanguageTag(_ languageTag: String?) throws(CompositionError) {
        try change { $0.languageTag = languageTag }
    }

    /// Sets the treatment of pitch where the audio of the track is scaled, for reading, playing and
    /// exporting the composition.
    ///
    /// With `timeDomain`, the default, the pitch is kept at speeds from 1/4 to 4. At other speeds,
    /// and at speeds that differ from 1 by at most 0.5 %, the pitch follows the speed, as it does
    /// at all speeds with `varispeed`. If the composition itself is played at another rate,
    /// `PlayerItem.audioTimePitchAlgorithm` determines the treatment of that.
    ///
    /// - Corresponds to: `AVMutableAudioMixInputParameters.audioTimePitchAlgorithm`, which belongs
    ///   to the mix.
    public func setAudioTimePitchAlgorithm(
        _ algorithm: AudioTimePitchAlgorithm
    ) throws(CompositionError) {
        try change { $0.timePitchAlgorithm = algorithm }
    }

    /// Sets the number of time units per second that suits the track's times; nil, or a number
    /// below 1, selects that of the first source.
    ///
    /// - Corresponds to: `AVMutableCompositionTrack.naturalTimeScale`.
    public func setNaturalTimeScale(_ timeScale: Int32?) throws(CompositionError) {
        try change { $0.naturalTimeScale = timeScale.flatMap { $0 > 0 ? $0 : nil } }
    }

    private func change(
        _ body: (inout CompositionTrackState) -> Void
    ) throws(CompositionError) {
        try store.edit { (state) throws(CompositionError) in
            try state.change(track: self.trackID, body)
        }
    }

    private func edit(
        _ body: (CompositionTrackState) throws(CompositionError) -> SegmentList.Splice
    ) throws(CompositionError) {
        try store.edit { (state) throws(CompositionError) in
            try state.edit(track: self.trackID, body)
        }
    }
}

extension CompositionTrackSegment {
    /// Returns the end of the segment.
    ///
    /// - Throws: an error unless the segment begins at `start` and its source range is within the
    ///   media.
    fileprivate func validatedEnd(
        after start: MediaTime, in mediaType: MediaType
    ) throws(CompositionError) -> MediaTime {
        let target = targetRange
        guard target.duration.isNumeric, target.duration > .zero, target.duration.epoch == 0 else {
            throw .badDuration(target)
        }
        guard target.start.isNumeric, target.start == start else {
            throw CompositionError(
                .segmentsNotContiguous, cause: "it begins at \(target.start) instead of \(start)",
                remedy: "begin the first segment at 0, and each of the others at the end of the "
                    + "previous one",
                time: target.start)
        }
        if let source {
            let part = timeMapping.source
            try source.requireUsable(for: mediaType)
            try part.requireMedia()
            _ = try part.start.adding(part.duration)
            if let media = source.mediaRange, !media.contains(part) {
                throw .outside(part, of: media, subject: source.subject)
            }
        }
        return try target.start.adding(target.duration)
    }
}
