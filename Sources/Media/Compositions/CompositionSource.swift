// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadBuffers
package import PlayheadTime

/// The source of segments: a track of an asset. Segments share their source, because a composition
/// may have 100,000 segments.
package final class CompositionSource: Sendable {
    package let asset: Asset
    package let track: AssetTrack
    /// The range in which the track has media; nil if it is not known exactly.
    package let mediaRange: MediaTimeRange?
    /// The range from which parts can be inserted; nil if it is not known exactly.
    let insertableRange: MediaTimeRange?

    /// - Parameters:
    ///   - track: a track of the asset, as the asset has loaded it.
    ///   - description: the description of the asset; nil for the one that the asset has loaded.
    package init(asset: Asset, track: AssetTrack, description: AssetDescription? = nil) {
        self.asset = asset
        self.track = track
        var description = description
        if description == nil, case .loaded(let loaded) = asset.status(of: .description) {
            description = loaded
        }
        let isPrecise = description?.providesPreciseDurationAndTiming ?? true
        let range = track.timeRange
        mediaRange = isPrecise && range.isKnown ? range.takenAsExact : nil
        guard let description else {
            insertableRange = mediaRange
            return
        }
        // The asset's duration may be rounded, so that tracks end a little later.
        let whole = MediaTimeRange(start: description.startTime, duration: description.duration)
        let ranges = ([whole] + description.tracks.map(\.timeRange)).filter(\.isKnown)
        insertableRange =
            isPrecise && whole.isKnown && mediaRange != nil
            ? ranges.dropFirst().reduce(ranges[0]) { $0.union($1) }.takenAsExact : nil
    }

    /// The name of the source for error texts.
    var subject: String { asset.subject }

    /// - Throws: an error if the source has been opened again and no longer has the track, or not
    ///   up to the end of the part that plays.
    func requireUnchanged(
        in description: AssetDescription, until end: MediaTime
    ) throws(MediaError) {
        let found = description.tracks.first { $0.id == track.id }
        let change: String
        if let found, found.hasSameSamples(as: track) {
            let (foundEnd, formerEnd) = (found.timeRange.end, track.timeRange.end)
            guard mediaRange != nil, description.providesPreciseDurationAndTiming,
                foundEnd.isNumeric, foundEnd + VideoFrame.timeTolerance < min(end, formerEnd)
            else { return }
            change = "ends at \(foundEnd.seconds) s, not at \(formerEnd.seconds) s"
        } else {
            change =
                "is "
                + (found.map { "\($0.mediaType.rawValue) in \($0.formatDescription.codec)" }
                    ?? "missing")
        }
        throw MediaError(
            .damaged, subject: subject,
            cause: "the file has changed since it was inserted: its track \(track.id) \(change)",
            remedy: "insert it again")
    }

    func isSame(as other: CompositionSource) -> Bool {
        self === other || (asset === other.asset && track.id == other.track.id)
    }
}

extension MediaTimeRange {
    /// A Boolean value that indicates whether the start and the duration are numbers and the range
    /// is not empty.
    fileprivate var isKnown: Bool {
        start.isNumeric && duration.isNumeric && duration > .zero && start.epoch == 0
            && end.isNumeric
    }
}

extension AssetTrack {
    /// Returns whether the decoders of another track can decode this track.
    fileprivate func hasSameSamples(as other: AssetTrack) -> Bool {
        let (format, former) = (formatDescription, other.formatDescription)
        return mediaType == other.mediaType && format.codec == former.codec
            && format.video?.width == former.video?.width
            && format.video?.height == former.video?.height
            && format.audio?.sampleRate == former.audio?.sampleRate
    }
}

extension MediaError {
    /// Returns the error with the place in a composition at which it occurred.
    func inComposition(track: Int, from time: MediaTime) -> MediaError {
        guard code != .cancelled else { return self }
        var error = self
        error.cause += " (track \(track) of the composition, from \(time.seconds) s on)"
        return error
    }
}
