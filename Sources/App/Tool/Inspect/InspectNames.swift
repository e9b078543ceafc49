// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The display names for FFmpeg's short names.
enum InspectNames {
    static func container(_ description: AssetDescription) -> String {
        let name = description.container
        let brand = description.metadata.first { $0.key == "major_brand" }?.stringValue
        switch name.split(separator: ",").first {
        case "mov": return brand?.hasPrefix("qt") == true ? "QuickTime" : "MP4"
        case "matroska":
            let codecs = Set(description.tracks.map(\.formatDescription.codec))
            return codecs.isSubset(of: ["vp8", "vp9", "av1", "opus", "vorbis", "webvtt"])
                ? "WebM" : "Matroska"
        case "mpegts": return "MPEG transport stream"
        case "mpeg": return "MPEG program stream"
        case "avi": return "AVI"
        case "flv": return "Flash video"
        case "ogg": return "Ogg"
        case "flac": return "FLAC"
        case "mp3": return "MP3"
        case "wav": return "WAVE"
        case "gif": return "GIF"
        case "srt": return "SubRip"
        case "webvtt": return "WebVTT"
        case "ttml": return "TTML"
        case "ass": return "ASS"
        case "image2pipe": return "image"
        default:
            return name.hasSuffix("_pipe")
                ? "\(name.dropLast(5).uppercased()) image" : name
        }
    }

    static func kind(_ type: MediaType) -> String {
        switch type {
        case .closedCaption: "closed captions"
        case .timecode: "time code"
        case .video, .audio, .subtitle, .metadata, .data, .attachment: type.rawValue
        }
    }

    static func codec(_ format: FormatDescription) -> String {
        let names = [
            "h264": "H.264", "hevc": "HEVC (H.265)", "vp8": "VP8", "vp9": "VP9", "av1": "AV1",
            "mpeg4": "MPEG-4", "mpeg2video": "MPEG-2", "mpeg1video": "MPEG-1", "prores": "ProRes",
            "mjpeg": "JPEG", "png": "PNG", "gif": "GIF", "webp": "WebP", "theora": "Theora",
            "aac": "AAC", "mp3": "MP3", "mp2": "MP2", "ac3": "Dolby Digital (AC-3)",
            "eac3": "Dolby Digital Plus (E-AC-3)", "dts": "DTS", "opus": "Opus", "vorbis": "Vorbis",
            "flac": "FLAC", "alac": "Apple Lossless", "subrip": "SubRip", "ass": "ASS",
            "webvtt": "WebVTT", "ttml": "TTML", "mov_text": "3GPP text",
            "dvd_subtitle": "DVD subtitles", "hdmv_pgs_subtitle": "Blu-ray subtitles",
            "eia_608": "CEA-608", "eia_708": "CEA-708",
        ]
        if format.codec == "unknown" { return format.codecTag ?? "unknown" }
        return names[format.codec] ?? format.codec
    }

    /// Returns the subsampling, the bit depth and the name of a pixel format.
    static func pixelFormat(_ name: String) -> String {
        var parts: [String] = []
        let samplings = [
            "420": "4:2:0", "422": "4:2:2", "444": "4:4:4", "440": "4:4:0", "411": "4:1:1",
            "410": "4:1:0",
        ]
        if let sampling = samplings.first(where: { name.contains($0.key) }) {
            parts.append(sampling.value)
        } else if ["nv12", "nv21", "p010le"].contains(name) {
            parts.append("4:2:0")
        }
        let depth = ["9", "10", "12", "14", "16"].last {
            name.hasSuffix("p\($0)le") || name.hasSuffix("p\($0)be")
        }
        if let depth { parts.append("\(depth) bits") }
        return parts.isEmpty ? name : "\(parts.joined(separator: " ")) (\(name))"
    }

    static func channels(_ count: Int) -> String {
        switch count {
        case 0: "unknown number of channels"
        case 1: "1 channel"
        default: "\(count) channels"
        }
    }

    static func bits(_ rate: Int) -> String {
        rate >= 1_000_000
            ? String(format: "%.1f Mbit/s", Double(rate) / 1e6)
            : String(format: "%.0f kbit/s", Double(rate) / 1e3)
    }

    // MARK: - Colour

    /// Returns the colour space in the form in which it is shown, and whether the file declares it.
    static func color(_ video: FormatDescription.Video) -> String {
        let stated = video.attachments.color
        let isTagged =
            stated.matrix != .unspecified || stated.primaries != .unspecified
            || stated.transfer != .unspecified
        let words = words(for: video.shownColor)
        return isTagged ? "colour: \(words)" : "colour: not tagged, shown as \(words)"
    }

    private static func words(for color: ColorAttachments) -> String {
        var parts = [primaries(color.primaries)]
        if let matrix = matrix(color.matrix), matrix != parts[0] {
            parts.append("\(matrix) matrix")
        }
        switch color.transfer {
        case .pq: parts.append("PQ")
        case .hlg: parts.append("HLG")
        case .sRGB: parts.append("sRGB curve")
        case .linear: parts.append("linear light")
        default: break
        }
        parts.append(color.range == .full ? "full range" : "limited range")
        return parts.joined(separator: ", ")
    }

    private static func primaries(_ primaries: ColorAttachments.Primaries) -> String {
        switch primaries {
        case .bt709: "BT.709"
        case .bt2020: "BT.2020"
        case .bt470bg: "BT.601 (PAL)"
        case .smpte170m, .smpte240m: "BT.601 (NTSC)"
        case .dciP3: "DCI-P3"
        case .displayP3: "Display P3"
        default: primaries.name ?? "unknown primaries"
        }
    }

    private static func matrix(_ matrix: ColorAttachments.Matrix) -> String? {
        switch matrix {
        case .bt709: "BT.709"
        case .bt2020NonConstantLuminance: "BT.2020"
        case .bt601: "BT.601 (NTSC)"
        case .bt470bg: "BT.601 (PAL)"
        case .rgb: nil
        default: matrix.name
        }
    }
}
