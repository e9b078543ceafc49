// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The page that `inspect` prints. Technical details, such as brands and handlers, are in the
/// output of `--json` only.
struct InspectPage {
    let file: String
    let description: AssetDescription

    var text: String {
        var lines = [file, "  " + container]
        lines += InspectNotes.notes(on: description).map { "  note: " + $0 }
        for track in description.tracks {
            let heading = heading(track)
            lines += ["", "  \(track.id)  " + heading]
            lines += details(track).map { "     " + $0 }
        }
        lines += chapters + metadata
        return lines.map { $0.printable() }.joined(separator: "\n")
    }

    private var container: String {
        var parts = [InspectNames.container(description)]
        let duration = description.duration
        if duration.isNumeric {
            let about = description.providesPreciseDurationAndTiming ? "" : "about "
            parts.append(about + duration.clockDescription)
        }
        if description.dataRate > 0 { parts.append(InspectNames.bits(description.dataRate)) }
        return parts.joined(separator: ", ")
    }

    // MARK: - Tracks

    private func heading(_ track: AssetTrack) -> String {
        let format = track.formatDescription
        var codec = InspectNames.codec(format)
        if let profile = format.profile, profile.lowercased() != "unknown" {
            codec += " " + profile
        }
        let kind = track.isAttachedPicture ? "cover" : InspectNames.kind(track.mediaType)
        var parts = ["\(kind): \(codec)"]
        if let tag = track.languageTag {
            parts.append(LanguageTag(tag)?.displayName ?? tag)
        }
        if let title = track.title { parts.append("“\(title)”") }
        let purposes = track.characteristics.subtracting([
            .audible, .visual, .legible, .attachedPicture,
        ])
        parts += purposes.map(\.rawValue).sorted()
        let alike = description.tracks(of: track.mediaType)
        if track.isDefault, alike.count > 1, track.mediaType != .data {
            parts.append("default")
        }
        return parts.joined(separator: ", ")
    }

    private func details(_ track: AssetTrack) -> [String] {
        let format = track.formatDescription
        var parts: [String] = []
        if let video = format.video {
            if video.width > 0 { parts.append("\(video.width) x \(video.height)") }
            if !track.isAttachedPicture, !description.isStill,
                (1...InspectNotes.highestRate).contains(track.nominalFrameRate.rounded(.up))
            {
                parts.append(String(format: "%.5g fps", track.nominalFrameRate))
            }
            if !video.pixelFormat.isEmpty {
                parts.append(InspectNames.pixelFormat(video.pixelFormat))
            }
        }
        if let audio = format.audio {
            parts.append(String(format: "%g kHz", Double(audio.sampleRate) / 1000))
            parts.append(
                audio.channelLayout.isEmpty
                    ? InspectNames.channels(audio.channelCount) : audio.channelLayout)
        }
        if track.estimatedDataRate > 0 {
            parts.append(InspectNames.bits(track.estimatedDataRate))
        }
        var lines = parts.isEmpty ? [] : [parts.joined(separator: ", ")]
        lines += track.furtherFormats.map { further in
            let size = further.video.map { ", \($0.width) x \($0.height)" } ?? ""
            return "also: " + InspectNames.codec(further) + size
        }
        if let video = format.video, video.width > 0 { lines.append(InspectNames.color(video)) }
        return lines + InspectNotes.notes(on: track, isStill: description.isStill)
    }

    // MARK: - Chapters and metadata

    private var chapters: [String] {
        guard !description.chapters.isEmpty else { return [] }
        return ["", "  chapters"]
            + description.chapters.map { chapter in
                "     \(chapter.timeRange.start.clockDescription)  \(chapter.title)"
            }
    }

    /// The keys that the page omits.
    private static let technical: Set<String> = [
        "major_brand", "minor_version", "compatible_brands", "handler_name", "vendor_id",
    ]

    private var metadata: [String] {
        let lines = description.metadata.compactMap { item -> (key: String, text: String)? in
            guard !Self.technical.contains(item.key.lowercased()) else { return nil }
            let prefix = "com.apple.quicktime."
            let key =
                item.key.hasPrefix(prefix) ? String(item.key.dropFirst(prefix.count)) : item.key
            switch item.value {
            case .text(let text):
                return (key, text.split(whereSeparator: \.isNewline).joined(separator: " / "))
            case .data(let bytes, let type): return (key, "\(type), \(bytes.count) bytes")
            }
        }
        guard !lines.isEmpty else { return [] }
        let width = min(lines.map(\.key.count).max() ?? 0, 32)
        return ["", "  metadata"]
            + lines.sorted { $0.key.lowercased() < $1.key.lowercased() }.map { line in
                let space = String(repeating: " ", count: max(0, width - line.key.count))
                return "     \(line.key)\(space)  \(line.text)"
            }
    }
}
