// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadStretching
package import PlayheadTime

/// The content of a composition, as a value: a copy is a snapshot.
package struct CompositionState: Sendable {
    package private(set) var tracks: [CompositionTrackState] = []
    /// The IDs of all tracks, including removed ones.
    private var usedTrackIDs: Set<Int> = []
    /// The size that was set; nil for the size of the first video track.
    var chosenSize: Size?

    struct Size: Sendable {
        var width: Double
        var height: Double
    }

    /// The media types that a composition can contain.
    static let mediaTypes: [MediaType] = [.video, .audio, .subtitle]

    package var duration: MediaTime { tracks.map(\.end).max() ?? .zero }

    /// The size that was set; nil if none was set, in which case the size of the first source
    /// applies.
    package var declaredSize: (width: Double, height: Double)? {
        chosenSize.map { ($0.width, $0.height) }
    }

    package var naturalSize: (width: Double, height: Double) {
        if let chosenSize { return (chosenSize.width, chosenSize.height) }
        let first = tracks.first { $0.mediaType == .video }
        return first?.firstSource?.track.naturalSize ?? (0, 0)
    }

    // MARK: - Tracks

    func index(ofTrack id: Int) -> Int? { tracks.firstIndex { $0.id == id } }

    package func track(_ id: Int) -> CompositionTrackState? {
        index(ofTrack: id).map { tracks[$0] }
    }

    private func requiredIndex(ofTrack id: Int) throws(CompositionError) -> Int {
        guard let index = index(ofTrack: id) else { throw .removedTrack(id) }
        return index
    }

    mutating func addTrack(_ mediaType: MediaType, preferring id: Int?) -> Int {
        let id = newTrackID(preferring: id)
        usedTrackIDs.insert(id)
        tracks.append(CompositionTrackState(id: id, mediaType: mediaType))
        return id
    }

    private func newTrackID(preferring id: Int?) -> Int {
        if let id, id > 0, !usedTrackIDs.contains(id) { return id }
        var fresh = 1
        // The highest ID may be the largest integer, so it may have no successor.
        if let highest = usedTrackIDs.max(), highest < .max { fresh = highest + 1 }
        while usedTrackIDs.contains(fresh) { fresh += 1 }
        return fresh
    }

    mutating func removeTrack(_ id: Int) throws(CompositionError) {
        tracks.remove(at: try requiredIndex(ofTrack: id))
    }

    /// Changes a track with a function that cannot fail.
    mutating func change(
        track id: Int, _ body: (inout CompositionTrackState) -> Void
    ) throws(CompositionError) {
        body(&tracks[try requiredIndex(ofTrack: id)])
    }

    // MARK: - Editing a track

    /// Edits the segments of a track.
    ///
    /// - Parameter body: A function that computes the change, and may throw.
    mutating func edit(
        track id: Int,
        _ body: (CompositionTrackState) throws(CompositionError) -> SegmentList.Splice
    ) throws(CompositionError) {
        let index = try requiredIndex(ofTrack: id)
        let splice: SegmentList.Splice
        do {
            splice = try body(tracks[index])
        } catch {
            throw error.inTrack(id)
        }
        tracks[index].list.apply(splice)
    }

    // MARK: - Editing all tracks

    /// Edits the segments of all tracks. If the edit of one track fails, no track is changed.
    mutating func editAll(
        _ body: (CompositionTrackState) throws(CompositionError) -> SegmentList.Splice
    ) throws(CompositionError) {
        var splices: [SegmentList.Splice] = []
        for track in tracks {
            do {
                splices.append(try body(track))
            } catch {
                throw error.inTrack(track.id)
            }
        }
        for (index, splice) in splices.enumerated() { tracks[index].list.apply(splice) }
    }

    /// The part of an insertion that is added to one track.
    struct Part {
        var mediaType: MediaType
        var languageTag: String?
        var timePitchAlgorithm = AudioTimePitchAlgorithm.timeDomain
        var segments: [CompositionTrackSegment]

        var isEmpty: Bool { segments.allSatisfy(\.isEmpty) }
    }

    /// Inserts parts of equal duration into the first tracks that are compatible with them, or into
    /// new tracks. In all other tracks, later media moves by the same duration.
    mutating func insert(
        _ parts: [Part], duration: MediaTime, at time: MediaTime
    ) throws(CompositionError) {
        let time = time == .invalid ? self.duration : time.takenAsExact
        try time.requirePlace()
        var changed = self.tracks.map { _ in Part?.none }
        var added: [Part] = []
        for part in parts {
            let index = tracks.indices.first {
                changed[$0] == nil && tracks[$0].mediaType == part.mediaType
            }
            if let index {
                changed[index] = part
            } else if !part.isEmpty {
                added.append(part)
            }
        }
        let place = MediaTimeRange(start: time, duration: .zero)
        var newTracks: [(part: Part, list: SegmentList)] = []
        for part in added {
            var list = SegmentList()
            list.apply(try list.splice(replacing: place, with: part.segments))
            newTracks.append((part, list))
        }
        let nothing = CompositionTrackSegment(
            emptyTimeRange: MediaTimeRange(start: .zero, duration: duration))
        var splices: [SegmentList.Splice] = []
        for (track, part) in zip(tracks, changed) {
            do {
                splices.append(
                    try track.list.splice(replacing: place, with: part?.segments ?? [nothing]))
            } catch {
                throw error.inTrack(track.id)
            }
        }
        for (index, splice) in splices.enumerated() { tracks[index].list.apply(splice) }
        for (part, list) in newTracks {
            let id = addTrack(part.mediaType, preferring: nil)
            try change(track: id) { track in
                track.list = list
                track.languageTag = part.languageTag
                track.timePitchAlgorithm = part.timePitchAlgorithm
            }
        }
    }

    /// Returns the parts of an asset within a range, one for each track that a composition can
    /// hold.
    static func parts(
        of asset: Asset, _ description: AssetDescription, within timeRange: MediaTimeRange
    ) throws(CompositionError) -> [Part] {
        let usable = description.tracks.filter {
            mediaTypes.contains($0.mediaType) && !$0.isAttachedPicture
                && !$0.characteristics.contains(.timedThumbnails)
        }
        guard !usable.isEmpty else {
            throw CompositionError(
                .noUsableTracks, subject: asset.subject,
                cause: "it has no video, audio or subtitle track",
                remedy: "insert an asset that has one")
        }
        var parts: [Part] = []
        for track in usable {
            let source = CompositionSource(
                asset: asset, track: track, description: description)
            let segments = try CompositionTrackSegment.segments(
                of: source, within: timeRange, for: track.mediaType, mayBeEmpty: true)
            parts.append(
                Part(
                    mediaType: track.mediaType, languageTag: track.languageTag,
                    segments: segments))
        }
        guard !parts.allSatisfy(\.isEmpty) else {
            throw CompositionError(
                .sourceRangeOutsideMedia, subject: asset.subject,
                cause: "no track has media within \(timeRange)",
                remedy: "use a range in which a track has media", time: timeRange.start)
        }
        return parts
    }

    /// Returns the parts of a composition within a range, one for each track.
    func parts(within timeRange: MediaTimeRange) throws(CompositionError) -> [Part] {
        let range = timeRange.takenAsExact
        try range.requireMedia()
        guard range.start >= .zero, range.end <= duration else {
            throw .outside(
                range, of: MediaTimeRange(start: .zero, duration: duration),
                subject: "the composition")
        }
        var parts: [Part] = []
        for track in tracks {
            do {
                parts.append(
                    Part(
                        mediaType: track.mediaType, languageTag: track.languageTag,
                        timePitchAlgorithm: track.timePitchAlgorithm,
                        segments: try track.list.slice(range)))
            } catch {
                throw error.inTrack(track.id)
            }
        }
        return parts
    }
}
