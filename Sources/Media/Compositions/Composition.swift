// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A video that is made of pieces of other videos. Each track plays parts of the tracks of assets,
/// one after another.
///
/// A composition is immutable, except for its subclass `MutableComposition`. The method `copy()`
/// returns a snapshot.
///
///     let composition = MutableComposition()
///     try await composition.insertTimeRange(firstHalf, of: film, at: .invalid)
///     try await composition.insertTimeRange(ending, of: otherFilm, at: .invalid)
///     let cut = composition.copy()
///
/// All times are rational numbers, and no edit rounds them. If a resulting time would need
/// rounding, the edit throws an error.
///
/// - Concurrency: any thread.
/// - Ownership: keeps the assets of its segments alive; a copy shares the segments.
/// - Corresponds to: `AVComposition`.
public class Composition: @unchecked Sendable {
    // Unchecked: non-final classes cannot be checked; `store` is constant and has a lock.

    package let store: CompositionStore

    init(_ state: CompositionState) { store = CompositionStore(state) }

    /// The tracks, in the order in which they were added.
    ///
    /// - Corresponds to: `AVComposition.tracks`.
    public var tracks: [CompositionTrack] {
        store.read { $0.tracks.map(\.id) }.map { CompositionTrack(id: $0, of: self) }
    }

    /// Returns the track with an ID, or nil if no track has it.
    ///
    /// - Corresponds to: `track(withTrackID:)`.
    public func track(withTrackID id: Int) -> CompositionTrack? {
        store.read { $0.index(ofTrack: id) != nil } ? CompositionTrack(id: id, of: self) : nil
    }

    /// The end of the longest track.
    ///
    /// - Corresponds to: `AVAsset.duration`.
    public var duration: MediaTime { store.read(\.duration) }

    /// The size of the composition's frames, with square pixels: the size that was set or, if none
    /// was set, that of the first source of the first video track.
    ///
    /// - Corresponds to: `AVComposition.naturalSize`.
    public var naturalSize: (width: Double, height: Double) { store.read { $0.naturalSize } }

    /// Returns an immutable composition with the current content of this one.
    ///
    /// - Corresponds to: `copy()`.
    public func copy() -> Composition { Composition(store.snapshot) }
}
