// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI

/// Audio in reverse.
extension RatesProof {
    private static let reversedKinds = [
        "pcm_s16le in wav", "flac in flac", "aac in m4a -aac_pns 0",
        "aac in mp4 with video -aac_pns 0",
    ]
    private static let reversedRates = [-0.25, -0.5, -1, -1.5, -2, -4]
    /// The largest deviation of a tick at rate −1, in milliseconds of item time.
    private static let reversedTickLimit = 1.0
    /// The maximum deviation of the frequency, in per cent.
    private static let reversedPitchLimit = 1.0

    func addReversedAudio(to report: inout Report) throws {
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let kinds = AudioKind.matrix.filter {
            Self.reversedKinds.contains($0.name) && $0.sampleRate == 44_100
        }
        report.require(kinds.count == Self.reversedKinds.count, "kinds of audio are missing")
        let material = folder.appending("material")
        let seconds = short ? 6 : 60
        try AudioMaterial.write(seconds: seconds, sampleRate: 44_100, to: material)
        for kind in kinds {
            Progress.show("backwards at -1: \(kind.name)")
            let file = folder.appending("reversed.\(kind.container)")
            try kind.write(to: file, material: material, seconds: Double(seconds))
            try compare(kind, file, to: &report)
        }
        try addReversedTicks(seconds: short ? 10 : 60, to: &report)
        for rate in Self.reversedRates { try addReversedTone(rate: rate, to: &report) }
        try addSilence(to: &report)
    }

    /// Compares the audio that is heard at −1 with the output of ffmpeg's `areverse`.
    private func compare(_ kind: AudioKind, _ file: URL, to report: inout Report) throws {
        let format = AudioFormat.stereo(sampleRate: kind.sampleRate)
        let whole = try DecodedAudio(URLAsset(url: file), format: format)
        let output = try ProcessRunner.check(
            [
                "ffmpeg", "-v", "error", "-nostdin", "-i", file.path, "-map", "0:a", "-af",
                "areverse", "-f", "f32le", "-",
            ], deadline: .seconds(120)
        ).standardOutput
        let all = output.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        // ffmpeg does not cut off the padding of the last packet.
        let padding = all.count - whole.samples.count
        report.require(padding >= 0, "\(kind.name): ffmpeg decodes less")
        let expected = all.dropFirst(max(0, padding))
        let run = try ReversedRun(
            file, format: format, rate: -1, end: whole.time(ofFrame: whole.frameCount))
        let wrong =
            zip(run.heard, expected).filter { $0 != $1 }.count
            + max(0, expected.count - run.heard.count)
        report.add(
            "backwards at -1: \(kind.name)",
            "\(wrong) of \(expected.count) samples differ from ffmpeg's areverse, "
                + "\(run.underruns) underruns")
        report.require(
            wrong == 0 && !expected.isEmpty, "\(kind.name): \(wrong) samples differ backwards")
        report.require(run.underruns == 0, "\(kind.name): audio was missing backwards")
    }

    private func addReversedTicks(seconds: Int64, to report: inout Report) throws {
        Progress.show("backwards at -1: ticks")
        let duration = MediaTime(value: seconds, timescale: 1)
        let media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration))
        let file = try SyntheticClip(media, audioCodec: "pcm_s16le", container: "mov").url()
        let run = try ReversedRun(
            file, format: .stereo(sampleRate: 48_000), rate: -1, end: duration)
        let (errors, missing) = run.tickErrors()
        let sample = Sample(errors)
        report.add(
            "backwards at -1: ticks",
            String(
                format: "mean %+.3f, max %.3f ms, %d missing (n = %d)", sample.mean,
                sample.magnitude(ofShare: 1), missing, sample.count))
        report.require(
            missing == 0 && sample.count >= Int(seconds) - 2,
            "backwards \(missing) ticks were missing")
        report.require(
            sample.magnitude(ofShare: 1) <= Self.reversedTickLimit,
            "backwards a tick was \(sample.magnitude(ofShare: 1)) ms off")
    }

    private func tone(seconds: Int64) throws -> (file: URL, end: MediaTime) {
        let end = MediaTime(value: seconds, timescale: 1)
        let media = SyntheticMedia(
            frameTimes: nil, sounds: [SyntheticSound(.tone(440), duration: end)])
        return (try SyntheticClip(media, audioCodec: "pcm_s16le", container: "wav").url(), end)
    }

    private func addReversedTone(rate: Double, to report: inout Report) throws {
        Progress.show("backwards at \(rate): a tone")
        let (file, end) = try tone(seconds: 24)
        let run = try ReversedRun(
            file, format: .mono(sampleRate: 48_000), rate: rate, end: end, seconds: 5)
        let pitch = (run.frequency / 440 - 1) * 100
        report.add(
            "backwards at \(rate): a tone",
            String(format: "pitch %+.3f %%, %d underruns", pitch, run.underruns))
        report.require(
            abs(pitch) <= Self.reversedPitchLimit, "at \(rate) the pitch was \(pitch) % off")
        report.require(run.underruns == 0, "at \(rate) audio was missing")
    }

    /// Beyond the rates of the algorithm there is silence, as there is forwards.
    private func addSilence(to report: inout Report) throws {
        let (file, end) = try tone(seconds: 24)
        let run = try ReversedRun(
            file, format: .mono(sampleRate: 48_000), rate: -8, end: end, seconds: 1)
        report.require(run.heard.allSatisfy { $0 == 0 }, "at -8 there is audio")
    }
}
