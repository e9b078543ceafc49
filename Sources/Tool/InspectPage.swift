// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

/// What `inspect` prints on a terminal: a page that a person wants to read.
struct InspectPage {
    let report: InspectReport

    var text: String {
        var lines = [report.file, "  " + container]
        for track in report.tracks { lines += ["", "  " + heading(track)] + details(track) }
        if !report.chapters.isEmpty {
            lines += ["", "  chapters"]
            lines += report.chapters.map { chapter in
                "    \(clock(chapter.start)) \(chapter.title)"
            }
        }
        if !report.metadata.isEmpty {
            let width = report.metadata.keys.map(\.count).max() ?? 0
            lines += ["", "  metadata"]
            lines += report.metadata.sorted { $0.key < $1.key }.map { key, value in
                "    \(key.padding(toLength: width, withPad: " ", startingAt: 0))  \(value)"
            }
        }
        return lines.joined(separator: "\n")
    }

    private var container: String {
        var parts = [report.format.split(separator: ",").first.map(String.init) ?? "unknown"]
        parts.append(report.duration.map(clock) ?? "duration unknown")
        if let rate = report.bitRate { parts.append(bits(rate)) }
        if let start = report.startTime, start != 0 { parts.append("starts at \(clock(start))") }
        return parts.joined(separator: ", ")
    }

    private func heading(_ track: InspectTrack) -> String {
        var parts = ["track \(track.index): \(track.type)"]
        parts.append([track.codecName, track.profile].compactMap { $0 }.joined(separator: " "))
        if let language = track.language { parts.append(language) }
        if let title = track.title { parts.append("“\(title)”") }
        if track.isDefault { parts.append("default") }
        if track.isAttachedPicture { parts.append("cover picture") }
        return parts.joined(separator: ", ")
    }

    private func details(_ track: InspectTrack) -> [String] {
        var lines: [String] = []
        if let width = track.width, let height = track.height {
            var size = "\(width) x \(height) \(track.pixelFormat ?? "")"
            if let rate = track.frameRate { size += String(format: ", %.5g fps", rate) }
            if let rate = track.bitRate { size += ", \(bits(rate))" }
            lines.append(size)
            lines.append(color(track))
            lines += unusual(track)
        }
        if let rate = track.sampleRate {
            let layout = track.channelLayout ?? "\(track.channels ?? 0) channels"
            var line = "\(rate) Hz, \(layout)"
            if let bitRate = track.bitRate { line += ", \(bits(bitRate))" }
            lines.append(line)
        }
        return lines.map { "    " + $0 }
    }

    private func color(_ track: InspectTrack) -> String {
        let named = [
            track.colorSpace.map { "matrix \($0)" }, track.colorRange.map { "range \($0)" },
            track.colorPrimaries.map { "primaries \($0)" },
            track.colorTransfer.map { "transfer \($0)" },
        ].compactMap { $0 }
        return named.isEmpty ? "colour not tagged" : "colour: " + named.joined(separator: ", ")
    }

    /// What a viewer should know because most files are otherwise.
    private func unusual(_ track: InspectTrack) -> [String] {
        var lines: [String] = []
        if let ratio = track.sampleAspectRatio, ratio != "1:1",
            let width = track.displayWidth, let height = track.displayHeight
        {
            lines.append("pixels are \(ratio): shown as \(width) x \(height)")
        }
        if let rotation = track.rotation, rotation != 0 {
            lines.append("turned \(rotation)° clockwise for display")
        }
        if track.isMirrored == true { lines.append("mirrored for display") }
        if track.fieldOrder == "tt" || track.fieldOrder == "bb" { lines.append("interlaced") }
        if track.colorTransfer == "smpte2084" || track.colorTransfer == "arib-std-b67" {
            lines.append("high dynamic range")
        }
        return lines
    }

    private func clock(_ seconds: Double) -> String {
        MediaTime(seconds: seconds, preferredTimescale: 1000).clockDescription
    }

    private func bits(_ rate: Int) -> String {
        rate >= 1_000_000
            ? String(format: "%.1f Mbit/s", Double(rate) / 1e6)
            : String(format: "%.0f kbit/s", Double(rate) / 1e3)
    }
}
