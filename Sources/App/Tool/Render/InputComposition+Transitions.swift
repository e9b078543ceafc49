// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadEditing
import PlayheadUI

extension InputComposition {
    /// Returns several inputs as one asset. Each input begins before the previous one ends, so that
    /// both run during the transition, and their audio is crossfaded.
    ///
    /// - Parameter transition: The transition of `--transition`.
    static func asset(_ files: [String], transition: TransitionOptions) throws -> Asset {
        guard let kind = transition.kind else {
            return try make(files.map { CutPiece(file: $0) }).makeAsset()
        }
        // The effect is checked before anything is read.
        _ = try transition.load(nil)
        let length = MediaTime(seconds: transition.seconds, preferredTimescale: 90_000)
        let inputs = try files.map { try OverlappedInput($0) }
        let composition = MutableComposition()
        let tracks = try (0..<2).map { _ in
            try composition.addMutableTrack(withMediaType: .video)
        }
        let hasAudio = inputs.contains { $0.audio != nil }
        let audio = try (0..<(hasAudio ? 2 : 0)).map { _ in
            try composition.addMutableTrack(withMediaType: .audio)
        }
        var fades: [MediaTimeRange] = []
        let size = inputs[0].video.uprightSize
        var rules = OverlappingClips(
            trackIDs: tracks.map(\.trackID),
            renderSize: (Int(size.width.rounded()), Int(size.height.rounded())),
            frameDuration: inputs.compactMap(\.frameDuration).min()
                ?? MediaTime(value: 1, timescale: 30))
        var start = MediaTime.zero
        for (index, input) in inputs.enumerated() {
            let (isFirst, isLast) = (index == 0, index == inputs.count - 1)
            let overlaps = (isFirst || isLast) ? 1 : 2
            guard input.range.duration > length * Int32(overlaps) else {
                throw ToolError(
                    .wrongUsage,
                    "\(input.file): it lasts \(input.range.duration.seconds) s, but must be longer "
                        + "than \(overlaps == 1 ? "a transition" : "two transitions") of "
                        + "\(transition.seconds) s; use a shorter transition")
            }
            try tracks[index % 2].insertTimeRange(
                input.range, of: input.video, in: input.asset, at: start)
            rules.add(input.video.uprightSize, onTrack: index % 2, at: start)
            if hasAudio, let source = input.audio {
                try audio[index % 2].insertTimeRange(
                    input.range, of: source, in: input.asset, at: start)
            }
            let end = start + input.range.duration
            if !isLast {
                let overlap = MediaTimeRange(start: end - length, end: end)
                rules.add(kind, in: overlap)
                fades.append(overlap)
                start = end - length
            }
        }
        let crossfades =
            hasAudio
            ? [AudioCrossfade(trackIDs: audio.map(\.trackID), timeRanges: fades)] : []
        return composition.makeAsset().withTransitions(
            rules.videoComposition(duration: composition.duration), crossfades: crossfades)
    }
}

/// An input that has video, opened.
private struct OverlappedInput {
    let file: String
    let asset: Asset
    let video: AssetTrack
    let audio: AssetTrack?
    let range: MediaTimeRange

    init(_ file: String) throws {
        self.file = file
        asset = try InputComposition.open(file)
        let description = try AssetReader(asset: asset).description
        guard let video = description.preferredTrack(of: .video) else {
            throw ToolError(
                .wrongUsage,
                "\(file): --transition needs a video track, and the file has none; "
                    + "remove --transition"
            )
        }
        self.video = video
        audio = description.preferredTrack(of: .audio)
        let (start, end) = (max(description.startTime, video.timeRange.start), description.end)
        guard end.isNumeric, start < end else {
            throw ToolError(
                .wrongUsage, "\(file): --transition needs videos whose duration is known")
        }
        range = MediaTimeRange(start: start, end: end)
    }

    /// The duration of a frame; nil if it is not known.
    var frameDuration: MediaTime? {
        let own = video.frameDuration
        return own.isNumeric && own > .zero ? own : nil
    }
}
