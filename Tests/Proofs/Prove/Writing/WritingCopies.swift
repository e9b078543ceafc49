// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadEditing

/// Exports that must not change anything.
struct WritingCopies {
    let folder: TemporaryFolder

    private static let clips: [(name: String, arguments: [String])] = [
        ("h264.mp4", ["-c:v", "libx264", "-bf", "3", "-g", "20", "-c:a", "aac"]),
        ("hevc.mkv", ["-c:v", "libx265", "-x265-params", "log-level=error", "-c:a", "flac"]),
        ("vp9.webm", ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-c:a", "libopus"]),
        ("prores.mov", ["-c:v", "prores_ks", "-c:a", "pcm_s16le"]),
        ("mjpeg.mov", ["-c:v", "mjpeg", "-c:a", "pcm_s24le"]),
    ]

    /// Checks that packets are copied byte for byte between containers.
    func comparePackets(_ report: inout Report) async throws {
        var (files, packets) = (0, 0)
        for clip in Self.clips {
            let source = folder.appending(clip.name)
            try ProcessRunner.check(
                [
                    "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i",
                    "testsrc2=size=320x180:rate=25:duration=3", "-f", "lavfi", "-i",
                    "sine=frequency=440:duration=3:sample_rate=48000", "-pix_fmt",
                    clip.name.hasPrefix("prores") ? "yuv422p10le" : "yuv420p",
                ] + clip.arguments + [source.path])
            for ending in ["mp4", "mov", "mkv"] {
                // The muxers take no VP9, Opus and FLAC in QuickTime, and no ProRes and PCM in MP4.
                if clip.name == "vp9.webm" || clip.name == "hevc.mkv", ending == "mov" { continue }
                if clip.name == "prores.mov" || clip.name == "mjpeg.mov", ending == "mp4" {
                    continue
                }
                let copy = folder.appending("copy.\(ending)")
                let session = AssetExportSession(
                    asset: URLAsset(url: source), preset: .passthrough)
                session.replacesExistingFile = true
                do {
                    try await session.export(to: copy.path)
                } catch {
                    report.require(false, "\(clip.name) to .\(ending): \(error)")
                    continue
                }
                files += 1
                for stream in ["v:0", "a:0"] {
                    // Without an edit list, the priming of audio before 0 would be heard.
                    let old = try WritingFilm.packets(source, stream)
                        .filter { ending != "mkv" || $0.end > 0.0005 }.map(\.hash)
                    let new = try WritingFilm.packets(copy, stream).map(\.hash)
                    packets += old.count
                    report.require(
                        old == new,
                        "\(clip.name) to .\(ending): packets of \(stream) differ, \(new.count) of "
                            + "\(old.count)")
                }
            }
        }
        report.add("packets copied byte for byte", "\(packets), in \(files) files")
    }

    /// Checks that ten lossless generations change no sample.
    func compareGenerations(_ report: inout Report) async throws {
        let first = folder.appending("generation-0.mkv")
        let frames = (0..<25).map { number in
            PixelBuffer(format: .yuv420p, width: 256, height: 64) { plane, bytes, bytesPerRow in
                for index in bytes.indices {
                    let x = index % bytesPerRow
                    bytes[index] = plane == 0 ? UInt8((x + number) & 255) : 128
                }
            }
        }
        let settings = VideoOutputSettings(
            codec: .ffv1, width: 256, height: 64, sampleFormat: VideoSampleFormat(.yuv420),
            frameDuration: WritingFilm.period)
        try await WritingFilm.write(first, settings, frames: frames)
        var last = first
        for generation in 1...10 {
            let next = folder.appending("generation-\(generation).mkv")
            try await AssetExportSession(asset: URLAsset(url: last), preset: .losslessFFV1)
                .export(to: next.path)
            last = next
        }
        func hashes(_ url: URL) throws -> String {
            try ProcessRunner.check([
                "ffmpeg", "-v", "error", "-i", url.path, "-f", "framemd5", "-",
            ]).text
        }
        let isEqual = try hashes(first) == hashes(last)
        report.add("frames and times after ten lossless exports", isEqual ? "equal" : "different")
        report.require(isEqual, "ten lossless exports changed a frame")
    }
}
