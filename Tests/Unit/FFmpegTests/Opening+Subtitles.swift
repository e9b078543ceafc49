// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadFFmpeg
import PlayheadTime

extension Opening {
    /// Subtitles that were read, and the errors of packets that could not be decoded.
    typealias Subtitles = (cues: [SubtitleCue], errors: [MediaError])

    /// Returns an asset with the tracks of a file, which may all be subtitles.
    static func subtitleAsset(
        _ path: String, limits: SubtitleLimits = SubtitleLimits()
    ) -> Asset {
        var options = AssetOptions()
        options.allowsSubtitlesOnly = true
        options.limits.subtitles = limits
        return Asset(opener: FFmpegOpener(path: path, options: options))
    }

    /// Reads the first subtitle track of an asset.
    ///
    /// - Parameter time: The time to seek to first; nil for the beginning.
    static func subtitles(of asset: Asset, from time: MediaTime? = nil) throws -> Subtitles {
        let reader = try SubtitleReader(asset: asset)
        if let time { try reader.seek(to: time) }
        return try rest(of: reader)
    }

    /// Reads the subtitles that a reader has not returned.
    static func rest(of reader: SubtitleReader) throws -> Subtitles {
        var (cues, errors): ([SubtitleCue], [MediaError]) = ([], [])
        while let step = try reader.read() {
            cues += step.cues
            if let error = step.error { errors.append(error) }
        }
        return (cues, errors)
    }

    /// Writes the tracks of a file to another one by ffmpeg, without encoding them again.
    static func remux(_ source: String, _ options: [String] = [], to path: String) throws {
        try ProcessRunner.check(
            ["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", source] + options
                + ["-c", "copy", path])
    }
}
