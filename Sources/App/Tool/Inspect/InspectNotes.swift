// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The notes of `inspect` about unusual properties.
enum InspectNotes {
    // MARK: - On the whole

    static func notes(on description: AssetDescription) -> [String] {
        var notes: [String] = []
        if !description.duration.isNumeric, !description.isStill {
            notes.append("the duration is unknown")
        }
        if description.missingByteCount > 0 {
            notes.append(
                "the file is incomplete: \(description.missingByteCount) bytes are missing at its "
                    + "end"
            )
        }
        let offset = description.timestampOffset
        if offset.isNumeric, offset.magnitude > MediaTime(value: 1, timescale: 10) {
            notes.append(
                "timestamps in the file start at \(offset.clockDescription); times here start at 0")
        }
        return notes + raggedEnds(description)
    }

    /// Returns notes about audio that starts or ends noticeably before or after the video.
    private static func raggedEnds(_ description: AssetDescription) -> [String] {
        guard let video = description.preferredTrack(of: .video), !video.isAttachedPicture,
            let audio = description.preferredTrack(of: .audio)
        else { return [] }
        var notes: [String] = []
        let starts = audio.timeRange.start - video.timeRange.start
        if starts.isNumeric, starts.magnitude > MediaTime(value: 1, timescale: 10) {
            notes.append(
                "audio starts \(starts.magnitude.clockDescription) "
                    + (starts > .zero ? "after" : "before") + " the video")
        }
        let ends = audio.timeRange.end - video.timeRange.end
        if ends.isNumeric, ends.magnitude > MediaTime(value: 1, timescale: 4) {
            notes.append(
                "audio ends \(ends.magnitude.clockDescription) "
                    + (ends > .zero ? "after" : "before") + " the video")
        }
        return notes
    }

    // MARK: - On a track

    static func notes(on track: AssetTrack, isStill: Bool) -> [String] {
        var notes: [String] = []
        if !track.isEnabled { notes.append("disabled in the file") }
        notes += decoding(track)
        if let video = track.formatDescription.video, video.width > 0 {
            notes += shape(video, of: track)
            notes += time(of: track, isStill: isStill)
            notes += dynamicRange(video)
        }
        notes += edits(track)
        return notes
    }

    private static func decoding(_ track: AssetTrack) -> [String] {
        let format = track.formatDescription
        guard track.mediaType == .video || track.mediaType == .audio else { return [] }
        if track.isEncrypted { return ["encrypted: it cannot be decoded without its key"] }
        if !FFmpegCodecs.canDecode(format.codec) { return ["no decoder"] }
        return []
    }

    private static func shape(
        _ video: FormatDescription.Video, of track: AssetTrack
    ) -> [String] {
        var notes: [String] = []
        let attachments = video.attachments
        let ratio = attachments.pixelAspectRatio
        let natural = track.naturalSize
        let size = (Int(natural.width.rounded()), Int(natural.height.rounded()))
        let upright = track.preferredTransform.swapsAxes ? (size.1, size.0) : size
        var changes: [String] = []
        if ratio != .square {
            changes.append("pixel aspect ratio \(ratio.horizontal):\(ratio.vertical)")
        }
        if let part = video.cleanAperture {
            changes.append("cropped to \(part.width) x \(part.height)")
        }
        if attachments.orientation.isMirrored { changes.append("mirrored") }
        if attachments.orientation.quarterTurns != 0 {
            changes.append("rotated \(attachments.orientation.degrees)° clockwise")
        }
        if !changes.isEmpty {
            notes.append("\(changes.joined(separator: ", ")): shown as \(upright.0) x \(upright.1)")
        }
        if attachments.fieldOrder != .progressive {
            let first = attachments.fieldOrder == .topFieldFirst ? "top" : "bottom"
            notes.append("interlaced, \(first) field first")
        }
        let hasAlphaLayer = track.metadata.contains {
            $0.key.lowercased() == "alpha_mode" && $0.stringValue != "0"
        }
        let alphaNames = ["yuva", "rgba", "bgra", "argb", "abgr", "gbrap", "ya8", "ya16"]
        if hasAlphaLayer || alphaNames.contains(where: { video.pixelFormat.hasPrefix($0) }) {
            notes.append("has an alpha channel")
        }
        if let layout = video.stereoLayout { notes.append("stereoscopic: \(layout)") }
        if let projection = video.projection { notes.append("360 degrees: \(projection)") }
        return notes
    }

    /// The maximum plausible frame rate. Higher rates are artefacts of coarse timestamps.
    static let highestRate = 240.0

    private static func time(of track: AssetTrack, isStill: Bool) -> [String] {
        guard !isStill, !track.isAttachedPicture, track.minimumFrameDuration.isNumeric else {
            return []
        }
        let highest = 1 / track.minimumFrameDuration.seconds
        guard track.nominalFrameRate > 0, highest <= highestRate,
            highest > track.nominalFrameRate * 1.1
        else { return [] }
        return [String(format: "variable frame rate, up to %.5g fps", highest)]
    }

    private static func dynamicRange(_ video: FormatDescription.Video) -> [String] {
        var notes: [String] = []
        let attachments = video.attachments
        let transfer = attachments.color.transfer
        if transfer == .pq || transfer == .hlg {
            var text = "high dynamic range"
            if let display = attachments.masteringDisplayColorVolume,
                display.maximumLuminance > 0
            {
                text += String(
                    format: ", mastered at %g to %g cd/m²", display.minimumLuminance,
                    display.maximumLuminance)
            }
            if let light = attachments.contentLightLevel, light.maximumContentLightLevel > 0 {
                text += ", peak \(light.maximumContentLightLevel) cd/m²"
            }
            notes.append(text)
        }
        if let vision = video.dolbyVision {
            let bases = [1: "HDR10", 2: "SDR", 4: "HLG", 6: "Blu-ray HDR10"]
            let base = bases[vision.baseCompatibility].map { ", shown as \($0)" }
            notes.append(
                "Dolby Vision profile \(vision.profile)"
                    + (base ?? ", cannot be displayed correctly"))
        }
        return notes
    }

    private static func edits(_ track: AssetTrack) -> [String] {
        var notes: [String] = []
        if let first = track.segments.first, first.isEmpty {
            let time = first.timeMapping.target.duration.clockDescription
            notes.append("starts with a \(time) empty edit")
        }
        let cuts = track.segments.count { !$0.isEmpty }
        if cuts > 1 { notes.append("edit list of \(cuts) segments") }
        if track.segments.contains(where: { !$0.isEmpty && abs($0.timeMapping.rate - 1) > 0.001 }) {
            notes.append("edit list changes the speed")
        }
        return notes
    }
}
