// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadTime

/// A composition that can be edited.
///
/// An edit of the composition changes all of its tracks, or none if it fails. Edits of a single
/// track are methods of `MutableCompositionTrack`.
///
/// - Concurrency: any thread; edits are serialised. Players and exporters use a snapshot of a
///   composition, so editing it at the same time is safe.
/// - Errors: `CompositionError`; after an error the composition is unchanged.
/// - Corresponds to: `AVMutableComposition`.
public final class MutableComposition: Composition, @unchecked Sendable {
    // Unchecked as its superclass is.

    /// Creates a composition without tracks.
    public convenience init() { self.init(CompositionState()) }

    /// Creates a composition with the current content of another one.
    ///
    /// - Corresponds to: `mutableCopy()`.
    public convenience init(_ composition: Composition) { self.init(composition.store.snapshot) }

    override init(_ state: CompositionState) { super.init(state) }

    // MARK: - Tracks

    /// The tracks, in the order in which they were added, for editing.
    ///
    /// - Corresponds to: `AVMutableComposition.tracks`.
    public var mutableTracks: [MutableCompositionTrack] {
        store.read { $0.tracks.map(\.id) }.map { MutableCompositionTrack(id: $0, of: self) }
    }

    /// Adds an empty track.
    ///
    /// - Parameters:
    ///   - mediaType: `video`, `audio` or `subtitle`.
    ///   - preferredTrackID: the ID, a positive number. If it is nil, or if a track has or had this
    ///     ID, the new track gets another ID.
    /// - Corresponds to: `addMutableTrack(withMediaType:preferredTrackID:)`.
    public func addMutableTrack(
        withMediaType mediaType: MediaType, preferredTrackID: Int? = nil
    ) throws(CompositionError) -> MutableCompositionTrack {
        guard CompositionState.mediaTypes.contains(mediaType) else {
            throw CompositionError(
                .incompatibleMedia,
                cause: "a composition cannot have a track of type \(mediaType.rawValue)",
                remedy: "use video, audio or subtitle")
        }
        let id = try store.edit { (state) throws(CompositionError) in
            state.addTrack(mediaType, preferring: preferredTrackID)
        }
        return MutableCompositionTrack(id: id, of: self)
    }

    /// Removes a track. Its `composition` is nil afterwards.
    ///
    /// - Corresponds to: `removeTrack(_:)`.
    public func removeTrack(_ track: CompositionTrack) throws(CompositionError) {
        guard track.store === store else { throw .removedTrack(track.trackID) }
        try store.edit { (state) throws(CompositionError) in
            try state.removeTrack(track.trackID)
        }
    }

    /// Returns the first track into which parts of an asset's track can be inserted; nil if no
    /// track is compatible, or if the asset's track is encrypted.
    ///
    /// - Corresponds to: `mutableTrack(compatibleWith:)`.
    public func mutableTrack(compatibleWith track: AssetTrack) -> MutableCompositionTrack? {
        guard !track.isEncrypted else { return nil }
        let id = store.read { $0.tracks.first { $0.mediaType == track.mediaType }?.id }
        return id.map { MutableCompositionTrack(id: $0, of: self) }
    }

    /// Sets the size of the composition's frames, with square pixels. Zero, or a number that is not
    /// finite, resets the size to that of the first video track.
    ///
    /// - Corresponds to: `AVMutableComposition.naturalSize`.
    public func setNaturalSize(width: Double, height: Double) throws(CompositionError) {
        try store.edit { (state) throws(CompositionError) in
            state.chosenSize =
                width > 0 && height > 0 && width.isFinite && height.isFinite
                ? .init(width: width, height: height) : nil
        }
    }

    // MARK: - Editing

    /// Inserts a range of all tracks of an asset. In every track, media at and after the time moves
    /// by the duration of the range.
    ///
    /// Each track of the asset is inserted into the composition's first track of the same type that
    /// has not received another track of the asset, or into a new track. Attached pictures and data
    /// are left out. Times at which the track of the asset has no media stay empty.
    ///
    /// - Parameters:
    ///   - time: the time at which to insert; `invalid` for the end of the composition. If the time
    ///     is after the end of a track, nothing plays in between.
    /// - Corresponds to: `insertTimeRange(_:of:at:)`.
    public func insertTimeRange(
        _ timeRange: MediaTimeRange, of asset: Asset, at time: MediaTime
    ) async throws(CompositionError) {
        let description: AssetDescription
        do {
            description = try await asset.load(.description)
        } catch {
            throw CompositionError(
                .cannotLoad(error), subject: error.subject, cause: error.cause,
                remedy: error.remedy)
        }
        try insertTimeRange(timeRange, of: asset, describedBy: description, at: time)
    }

    /// Inserts a range of all tracks of an asset that has been loaded.
    package func insertTimeRange(
        _ timeRange: MediaTimeRange, of asset: Asset, describedBy description: AssetDescription,
        at time: MediaTime
    ) throws(CompositionError) {
        let parts = try CompositionState.parts(of: asset, description, within: timeRange)
        try insert(parts, timeRange, at: time)
    }

    /// Inserts a range of all tracks of a composition, as copies of its segments. The source may be
    /// this composition itself.
    ///
    /// - Corresponds to: `insertTimeRange(_:of:at:)` with an `AVComposition`.
    public func insertTimeRange(
        _ timeRange: MediaTimeRange, of composition: Composition, at time: MediaTime
    ) throws(CompositionError) {
        try insert(try composition.store.snapshot.parts(within: timeRange), timeRange, at: time)
    }

    private func insert(
        _ parts: [CompositionState.Part], _ timeRange: MediaTimeRange, at time: MediaTime
    ) throws(CompositionError) {
        try store.edit { (state) throws(CompositionError) in
            try state.insert(parts, duration: timeRange.duration.takenAsExact, at: time)
        }
    }

    /// Inserts a range in which nothing plays. In every track, later media moves by the duration of
    /// the range. Tracks that end before the range are unchanged, because a track does not end with
    /// an empty segment.
    ///
    /// - Corresponds to: `insertEmptyTimeRange(_:)`.
    public func insertEmptyTimeRange(_ timeRange: MediaTimeRange) throws(CompositionError) {
        let edit = try SegmentEdit.insertEmpty(timeRange)
        try store.edit { (state) throws(CompositionError) in
            try state.editAll { (track) throws(CompositionError) in try edit.splice(of: track.list)
            }
        }
    }

    /// Removes a range. In every track, later media moves to the start of the range. Tracks remain,
    /// even without segments.
    ///
    /// - Corresponds to: `removeTimeRange(_:)`.
    public func removeTimeRange(_ timeRange: MediaTimeRange) throws(CompositionError) {
        let edit = try SegmentEdit.remove(timeRange)
        try store.edit { (state) throws(CompositionError) in
            try state.editAll { (track) throws(CompositionError) in try edit.splice(of: track.list)
            }
        }
    }

    /// Changes the duration of a range, and the speed of the media in it. In every track, later
    /// media moves by the difference between the two durations.
    ///
    /// - Corresponds to: `scaleTimeRange(_:toDuration:)`.
    public func scaleTimeRange(
        _ timeRange: MediaTimeRange, toDuration duration: MediaTime
    ) throws(CompositionError) {
        let edit = try SegmentEdit.scale(timeRange, toDuration: duration)
        try store.edit { (state) throws(CompositionError) in
            try state.editAll { (track) throws(CompositionError) in try edit.splice(of: track.list)
            }
        }
    }
}
