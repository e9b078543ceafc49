// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// The tracks of an asset that an export reads.
struct ExportSource {
    let description: AssetDescription
    let subject: String
    /// The video track; nil if no video is exported.
    let video: AssetTrack?
    /// The audio tracks, which are mixed.
    let audio: [AssetTrack]

    /// Creates a copy of a source with another video track.
    init(_ other: ExportSource, video: AssetTrack) {
        description = other.description
        subject = other.subject
        self.video = video
        audio = other.audio
    }

    /// A Boolean value that indicates whether times without a frame are black and all enabled audio
    /// tracks are mixed.
    var isComposition: Bool { description.container == "composition" }

    /// Creates a source with the tracks that a player would play.
    ///
    /// - Parameter audioTrackIDs: The audio tracks to mix; nil for those that play by default.
    init(
        _ description: AssetDescription, subject: String, audioTrackIDs: [Int]?
    ) throws(MediaError) {
        self.description = description
        self.subject = subject
        let isComposition = description.container == "composition"
        let videos = description.tracks(of: .video)
        let preferred =
            isComposition
            ? videos.first(where: \.isEnabled) : description.preferredTrack(of: .video)
        video = preferred.flatMap { $0.isAttachedPicture || $0.isEncrypted ? nil : $0 }
        if let audioTrackIDs {
            var chosen: [AssetTrack] = []
            for id in audioTrackIDs {
                chosen.append(try description.track(id, of: .audio, in: subject))
            }
            audio = chosen
        } else if isComposition {
            audio = description.tracks(of: .audio).filter(\.isEnabled)
        } else {
            audio = description.preferredTrack(of: .audio).map { [$0] } ?? []
        }
    }

    /// Returns the range to write: the requested range as far as it is within the asset, or the
    /// whole asset.
    ///
    /// - Throws: `noSamples` if there is nothing in the range.
    func range(_ requested: MediaTimeRange?) throws(MediaError) -> MediaTimeRange {
        let start = description.startTime.isNumeric ? description.startTime : .zero
        guard let requested else {
            return MediaTimeRange(start: start, duration: .positiveInfinity)
        }
        let first = requested.start.isNumeric ? max(requested.start, start) : start
        let end = requested.end.isNumeric ? requested.end : .positiveInfinity
        let last = description.end
        guard end > first, !last.isNumeric || first < last else {
            throw MediaError(
                .noSuchFrame, subject: subject,
                cause: "the range \(requested) contains no media"
                    + (last.isNumeric ? "; the media ends at \(last)" : ""),
                remedy: "choose a range within the media")
        }
        return MediaTimeRange(start: first, duration: end - first)
    }

    /// Returns the duration of a range; nil if the media does not declare its end.
    func duration(of range: MediaTimeRange) -> MediaTime? {
        let last = description.end
        let end = last.isNumeric ? min(range.end, last) : range.end
        return end.isNumeric && end > range.start ? end - range.start : nil
    }
}
