// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI

/// One file of the matrix: its audio, read and played in pieces, compared with sequential decoding.
struct AudioLawRun {
    let kind: AudioKind
    let file: URL
    let whole: DecodedAudio
    /// The time at which the file's item begins.
    let firstTime: MediaTime

    private var format: AudioFormat { .stereo(sampleRate: kind.sampleRate) }

    init(_ kind: AudioKind, file: URL) throws {
        self.kind = kind
        self.file = file
        let start = try AssetReader(asset: URLAsset(url: file)).description.startTime
        firstTime = start.isNumeric ? start : .zero
        whole = try DecodedAudio(
            URLAsset(url: file), format: .stereo(sampleRate: kind.sampleRate))
    }

    /// Returns the difference between the decoded file and ffmpeg's output, or the material if the
    /// container states where it ends; nil if they are equal.
    func rowFault(seconds: Int) throws -> String? {
        if let first = whole.breaks.first { return "\(whole.breaks.count) breaks, \(first)" }
        let decoded = try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-i", file.path, "-map", "0:a", "-f", "f32le", "-",
        ])
        let count = decoded.standardOutput.count / 8
        let isTrimmed = whole.frameCount == seconds * kind.sampleRate && whole.frameCount < count
        return count == whole.frameCount || isTrimmed
            ? nil : "\(whole.frameCount) frames, not \(count)"
    }

    /// Reads pieces that begin at random positions.
    func read(_ count: Int, seed: UInt64) throws -> AudioFindings {
        var findings = AudioFindings()
        var random = SplitMix64(seed: seed)
        let reader = try AssetReader(asset: URLAsset(url: file))
        let output = try reader.addAudioOutput(format: format)
        if kind.video != nil { _ = try reader.addVideoOutput() }
        let length = kind.sampleRate / 20
        for number in 0..<count {
            // The beginning, the end and what follows the beginning are included.
            let last = whole.frameCount - length
            let first =
                switch number {
                case 0: 0
                case 1: last
                case 2..<(2 + count / 10): Int(random.next() % UInt64(4096))
                default: Int(random.next() % UInt64(last))
                }
            let start = whole.time(ofFrame: first)
            let range = MediaTimeRange(start: start, end: whole.time(ofFrame: first + length))
            reader.restart(timeRange: range)
            let piece = try DecodedAudio(output, format: format, limit: .max)
            if piece.start != start, piece.start.isNumeric {
                let late = (piece.start - start).seconds * Double(kind.sampleRate)
                findings.fail("frame \(first): begins \(late) frames late")
                continue
            }
            if !piece.breaks.isEmpty {
                findings.fail("frame \(first): \(piece.breaks)")
                continue
            }
            findings.compare(
                piece.samples[...], count: length, from: first, in: whole, isExact: kind.isExact)
        }
        return findings
    }
}
