// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadTime

/// A segment of a composition track, which plays a part of an asset's track or is empty.
///
///     let segment = CompositionTrackSegment(
///         asset: asset, track: track, sourceTimeRange: source, targetTimeRange: target)
///     try compositionTrack.setSegments([segment])
///
/// If the source and target ranges differ in duration, the source plays faster or slower to fit.
///
/// - Concurrency: a value; any thread.
/// - Ownership: keeps the asset alive.
/// - Corresponds to: `AVCompositionTrackSegment`. The source is an asset rather than a URL, so that
///   assets without a URL can be part of a composition.
public struct CompositionTrackSegment: Sendable, Equatable {
    /// The time range of the source's track, and that of the composition's track.
    public private(set) var timeMapping: MediaTimeMapping
    package private(set) var source: CompositionSource?

    /// Creates a segment that plays a part of an asset's track.
    ///
    /// - Parameters:
    ///   - track: a track of `asset`, as the asset has loaded it.
    ///   - sourceTimeRange: the part to play, on the timeline of the asset.
    ///   - targetTimeRange: the range on the timeline of the composition.
    public init(
        asset: Asset, track: AssetTrack, sourceTimeRange: MediaTimeRange,
        targetTimeRange: MediaTimeRange
    ) {
        self.init(
            source: CompositionSource(asset: asset, track: track),
            MediaTimeMapping(source: sourceTimeRange, target: targetTimeRange))
    }

    /// Creates a segment in which nothing plays.
    public init(emptyTimeRange timeRange: MediaTimeRange) {
        self.init(source: nil, .empty(target: timeRange))
    }

    package init(source: CompositionSource?, _ timeMapping: MediaTimeMapping) {
        self.source = source
        self.timeMapping = timeMapping
    }

    /// A Boolean value that indicates whether nothing plays.
    public var isEmpty: Bool { source == nil }
    /// The asset that is played; nil if the segment is empty.
    public var asset: Asset? { source?.asset }
    /// The location of the asset that is played; nil if the asset has no location.
    public var sourceLocation: AssetLocation? { (asset as? URLAsset)?.location }
    /// The track that is played, as the asset described it; nil if the segment is empty.
    public var sourceTrack: AssetTrack? { source?.track }

    /// Returns whether both segments play the same part of the same track of the same asset in the
    /// same target range.
    public static func == (left: Self, right: Self) -> Bool {
        guard left.targetRange == right.targetRange else { return false }
        guard let source = left.source, let other = right.source else {
            return left.source == nil && right.source == nil
        }
        return source.isSame(as: other) && left.timeMapping.source == right.timeMapping.source
    }
}

extension CompositionTrackSegment {
    package var targetRange: MediaTimeRange { timeMapping.target }

    /// The segment, with times marked as exact.
    var takenAsExact: CompositionTrackSegment {
        CompositionTrackSegment(
            source: source,
            MediaTimeMapping(
                source: source == nil ? .invalid : timeMapping.source.takenAsExact,
                target: targetRange.takenAsExact))
    }

    /// Returns the part of the segment between two times within its target range.
    func slice(
        from start: MediaTime, to end: MediaTime
    ) throws(CompositionError) -> CompositionTrackSegment {
        if start == targetRange.start, end == targetRange.end { return self }
        let target = try MediaTimeRange.exact(from: start, to: end)
        guard source != nil else {
            return CompositionTrackSegment(source: nil, .empty(target: target))
        }
        let (whole, media) = (targetRange, timeMapping.source)
        let part = try MediaTimeRange.exact(
            from: try start.exactlyMapped(from: whole, to: media),
            to: try end.exactlyMapped(from: whole, to: media))
        return CompositionTrackSegment(
            source: source, MediaTimeMapping(source: part, target: target))
    }

    /// Returns the segment with another target range. Its source plays faster or slower to fit.
    func retargeted(to target: MediaTimeRange) -> CompositionTrackSegment {
        CompositionTrackSegment(
            source: source, MediaTimeMapping(source: timeMapping.source, target: target))
    }

    /// Returns the segment moved along the composition's timeline.
    func moved(by distance: MediaTime) throws(CompositionError) -> CompositionTrackSegment {
        let target = MediaTimeRange(
            start: try targetRange.start.adding(distance), duration: targetRange.duration)
        _ = try target.start.adding(target.duration)
        return retargeted(to: target)
    }
}
