// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Audio from any position equals sequential decoding: the same samples, with the same values.
///
/// `Scripts/prove/audio-law` tries more places and more containers.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct AudioLawTests {
    /// A codec in a container. Noise with varying level makes encoders switch blocks and fill their
    /// reservoirs; tones would hide delays.
    struct Kind: CustomTestStringConvertible, Sendable {
        var arguments: [String]
        var container: String
        var sampleRate = 44_100
        var hasVideo = false
        /// The largest difference that passes, relative to the signal, in decibels; nil for none.
        var limit: Double?

        var testDescription: String {
            "\(arguments.joined(separator: " ")) in \(container)" + (hasVideo ? " with video" : "")
        }

        func write(to file: URL, seconds: Int) throws {
            let noise =
                "anoisesrc=r=\(sampleRate):d=\(seconds):seed=7:a=0.4"
                + ",volume='0.1+0.9*lt(mod(t,0.37),0.05)':eval=frame,aformat=channel_layouts=mono"
            let stereo =
                noise + ",asplit[a][b];[b]adelay=7[c];[a][c]join=inputs=2:channel_layout=stereo"
            var command = ["ffmpeg", "-v", "error", "-nostdin", "-y"]
            if hasVideo {
                command += ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=\(seconds)"]
            }
            command += ["-f", "lavfi", "-i", stereo]
            if hasVideo { command += ["-g", "50", "-pix_fmt", "yuv420p"] }
            command += ["-t", "\(seconds)", "-fflags", "+bitexact", "-c:a"] + arguments
            try ProcessRunner.check(command + [file.path])
        }
    }

    private static let aac = ["aac", "-aac_pns", "0"]
    private static let kinds = [
        Kind(arguments: aac, container: "m4a"),
        Kind(arguments: aac + ["-c:v", "mpeg4"], container: "mp4", hasVideo: true),
        Kind(arguments: aac + ["-c:v", "mpeg4"], container: "mkv", hasVideo: true),
        Kind(arguments: aac + ["-c:v", "mpeg2video"], container: "ts", hasVideo: true),
        Kind(arguments: ["libmp3lame", "-q:a", "2"], container: "mp3"),
        Kind(
            arguments: ["libmp3lame", "-c:v", "mpeg4"], container: "avi", hasVideo: true),
        Kind(arguments: ["libopus"], container: "opus", sampleRate: 48_000, limit: -60),
        Kind(arguments: ["libopus"], container: "webm", sampleRate: 48_000, limit: -60),
        Kind(arguments: ["libvorbis"], container: "ogg"),
        Kind(arguments: ["libvorbis"], container: "mkv"),
        Kind(arguments: ["libvorbis"], container: "webm"),
        Kind(arguments: ["libvorbis"], container: "avi"),
        Kind(arguments: ["libvorbis", "-c:v", "mpeg4"], container: "avi", hasVideo: true),
        Kind(arguments: ["libvorbis"], container: "nut"),
        Kind(arguments: ["libvorbis"], container: "asf"),
        Kind(arguments: ["libvorbis"], container: "mp4"),
        Kind(arguments: ["ac3", "-c:v", "mpeg4"], container: "mkv", hasVideo: true),
        Kind(arguments: ["wmav2"], container: "wma"),
        Kind(arguments: ["real_144"], container: "rm", sampleRate: 8000),
        Kind(
            arguments: ["real_144", "-c:v", "rv10"], container: "rm", sampleRate: 8000,
            hasVideo: true),
        Kind(arguments: ["ac3"], container: "rm"),
        Kind(arguments: ["flac"], container: "ogg"),
        Kind(arguments: ["pcm_s16le"], container: "wav"),
    ]

    private struct Row {
        var start = MediaTime.invalid
        var samples: [Float] = []
        var breaks = 0

        mutating func append(_ output: AssetReaderTrackOutput<AudioBuffer>) throws {
            var end = MediaTime.invalid
            while let buffer = try output.copyNextSampleBuffer() {
                if !start.isNumeric { start = buffer.presentationTime }
                if end.isNumeric, buffer.presentationTime != end { breaks += 1 }
                end = buffer.presentationTime + buffer.duration
                buffer.withSamples { samples += $0 }
            }
        }
    }

    @Test(arguments: kinds)
    func `a piece from anywhere is that of the whole`(kind: Kind) throws {
        let folder = try Opening.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "file.\(kind.container)")
        try kind.write(to: file, seconds: 6)
        let format = AudioFormat.stereo(sampleRate: kind.sampleRate)
        var whole = Row()
        try whole.append(
            AssetReader(asset: Opening.asset(file.path)).addAudioOutput(format: format))
        #expect(whole.breaks == 0)
        let frames = whole.samples.count / 2
        #expect(abs(frames - 6 * kind.sampleRate) <= 4096)

        let reader = try AssetReader(asset: Opening.asset(file.path))
        let output = try reader.addAudioOutput(format: format)
        if kind.hasVideo { _ = try reader.addVideoOutput() }
        let length = kind.sampleRate / 50
        var random = SplitMix64(seed: 3)
        for number in 0..<16 {
            let first =
                switch number {
                case 0, 9: 0
                case 1: frames - length
                case 2, 3: Int(random.next() % 4096)
                default: Int(random.next() % UInt64(frames - length))
                }
            func time(_ frame: Int) -> MediaTime {
                whole.start + MediaTime(value: Int64(frame), timescale: Int32(kind.sampleRate))
            }
            reader.restart(
                timeRange: MediaTimeRange(start: time(first), end: time(first + length)))
            var piece = Row()
            try piece.append(output)
            #expect(piece.start == time(first), "at \(first)")
            #expect(piece.breaks == 0, "at \(first)")
            let expected = whole.samples[(2 * first)..<(2 * (first + length))]
            #expect(piece.samples.count == expected.count, "at \(first)")
            let (signal, residue) = zip(piece.samples, expected).reduce((0.0, 0.0)) { sums, pair in
                let difference = Double(pair.0 - pair.1)
                return (sums.0 + Double(pair.1 * pair.1), sums.1 + difference * difference)
            }
            let limit = kind.limit.map { signal * pow(10, $0 / 10) } ?? 0
            #expect(residue <= limit, "at \(first): \(10 * log10(residue / signal)) dB")
        }
    }

    @Test func `Vorbis in WAV, whose packets have no boundaries, is reported`() throws {
        let folder = try Opening.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "file.wav")
        try Kind(arguments: ["libvorbis"], container: "wav").write(to: file, seconds: 1)
        let reader = try AssetReader(asset: Opening.asset(file.path))
        let error = #expect(throws: MediaError.self) {
            try reader.addAudioOutput(format: .stereo(sampleRate: 44_100))
        }
        #expect(error?.code == .unsupportedCodec)
        #expect(error?.cause == "it does not store where the packets of its Vorbis audio begin")
    }

    @Test func `audio of short blocks in Ogg has as many samples as the decoder gave`() throws {
        let folder = try Opening.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "file.ogv")
        let kind = Kind(
            arguments: ["libvorbis", "-c:v", "libtheora"], container: "ogv", hasVideo: true)
        try kind.write(to: file, seconds: 4)
        var row = Row()
        try row.append(
            AssetReader(asset: Opening.asset(file.path))
                .addAudioOutput(format: .stereo(sampleRate: kind.sampleRate)))
        let decoded = try ProcessRunner.check(
            ["ffmpeg", "-v", "error", "-nostdin", "-i", file.path, "-f", "f32le", "-"])
        #expect(row.breaks == 0)
        #expect(row.samples.count * 4 == decoded.standardOutput.count)
    }

    /// Two recordings, one after the other, with a second between them.
    @Test func `a gap between recordings stays`() throws {
        let folder = try Opening.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "file.mkv")
        let graph =
            "anoisesrc=r=48000:d=3:seed=1:a=0.4,"
            + "aselect='lt(t,1)+gte(t,2)',aformat=channel_layouts=mono"
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", graph, "-c:a",
            "pcm_s16le", file.path,
        ])
        let output = try AssetReader(asset: Opening.asset(file.path))
            .addAudioOutput(format: .mono(sampleRate: 48_000))
        var end = MediaTime.invalid
        var gaps: [Double] = []
        while let buffer = try output.copyNextSampleBuffer() {
            if end.isNumeric, buffer.presentationTime != end {
                gaps.append((buffer.presentationTime - end).seconds)
            }
            end = buffer.presentationTime + buffer.duration
        }
        #expect(gaps.count == 1)
        #expect(abs((gaps.first ?? 0) - 1) < 0.03)
    }
}
