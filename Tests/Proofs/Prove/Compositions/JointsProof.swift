// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadEditing
import PlayheadUI

/// `prove joints`: pieces of audio whose samples are numbered, joined at random places, and a
/// composition of hours whose cuts are off the grid of samples.
struct JointsProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "joints",
        abstract: "Every sample of a composition is at its place, and offsets do not add up.")

    @Flag(help: "200 joints of each kind and 300 cuts, instead of 1,000 and 10,000.")
    var short = false

    @Option(help: "The seed of the pieces.")
    var seed: UInt64 = 1

    /// The samples of a composition that differ from the computed ones.
    private struct Tally {
        var missing = 0
        var extra = 0
        var wrong = 0

        var isEmpty: Bool { missing == 0 && extra == 0 && wrong == 0 }
    }

    private static let rate: Int32 = 48_000

    func run() throws {
        guard ProcessRunner.has("ffmpeg") else { throw CannotProve("ffmpeg is not installed") }
        var report = Report("joints")
        var random = SplitMix64(seed: seed)
        let joints = short ? 200 : 1000
        for (name, codec, container) in [
            ("PCM", "pcm_s24le", "wav"), ("FLAC", "flac", "mkv"), ("AAC", "aac", "m4a"),
        ] {
            Progress.show("joints of \(name)")
            let tally = try tally(
                codec: codec, container: container, joints: joints, isNumbered: codec != "aac",
                &random)
            report.add(
                "\(joints) joints, \(name)",
                "\(tally.missing) samples missing, \(tally.extra) extra, \(tally.wrong) wrong")
            report.require(tally.isEmpty, "\(name): samples are not at their places")
        }
        try measureLength(cuts: short ? 300 : 10_000, &report, &random)
        try report.finish()
    }

    private static func index(_ time: MediaTime) -> Int {
        Int(time.converted(toTimescale: rate).value)
    }

    private func sound(codec: String, container: String) throws -> URLAsset {
        // Numbers of 22 bits are exact, up to 87 s.
        let media = SyntheticMedia(
            frameTimes: nil,
            sounds: [
                SyntheticSound(.sampleNumbers, duration: MediaTime(value: 80, timescale: 1))
            ])
        var options: [String] = []
        if codec == "flac" { options = ["-sample_fmt", "s32", "-bits_per_raw_sample", "24"] }
        if codec == "aac" { options = ["-b:a", "128k"] }
        return URLAsset(
            try SyntheticClip(media, audioCodec: codec, container: container, options: options)
                .url().path)
    }

    /// Returns the first channel of a reader's audio, by its index from time 0, and how many
    /// samples came twice.
    private func samples(_ asset: Asset, capacity: Int) throws -> (values: [Float], extra: Int) {
        let output = try AssetReader(asset: asset).addAudioOutput(
            format: .stereo(sampleRate: Int(Self.rate)))
        var values = [Float](repeating: .nan, count: capacity)
        var extra = 0
        while let buffer = try output.copyNextSampleBuffer() {
            let first = Self.index(buffer.presentationTime)
            buffer.withSamples { samples in
                for frame in 0..<buffer.frameCount {
                    let place = first + frame
                    if values.indices.contains(place), values[place].isNaN {
                        values[place] = samples[frame * 2]
                    } else {
                        extra += 1
                    }
                }
            }
        }
        return (values, extra)
    }

    private func tally(
        codec: String, container: String, joints: Int, isNumbered: Bool,
        _ random: inout SplitMix64
    ) throws -> Tally {
        let asset = try sound(codec: codec, container: container)
        let reader = try AssetReader(asset: asset)
        guard let source = reader.description.preferredTrack(of: .audio) else {
            throw CannotProve("\(codec): no audio")
        }
        let whole = try samples(asset, capacity: 81 * Int(Self.rate)).values
        if isNumbered {
            let count = 79 * Int(Self.rate)
            let isExact = whole.prefix(count).enumerated().allSatisfy {
                $0.element == Float($0.offset) / Float(1 << 22)
            }
            guard isExact else { throw CannotProve("\(codec): the file does not number samples") }
        }
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .audio)
        for index in 0...joints {
            // A third of them is off the grid of samples.
            let scale: Int32 = index.isMultiple(of: 3) ? 44_100 : Self.rate
            let range = MediaTimeRange(
                start: MediaTime(
                    value: Int64.random(in: 0..<(78 * Int64(scale)), using: &random),
                    timescale: scale),
                duration: MediaTime(
                    value: Int64.random(in: 1...Int64(scale / 4), using: &random),
                    timescale: scale))
            try track.insertTimeRange(range, of: source, in: asset, at: .invalid)
        }
        let total = Self.index(composition.duration)
        let (found, extra) = try samples(composition.makeAsset(), capacity: total)
        var tally = Tally(extra: extra)
        for segment in track.segments {
            let (part, target) = (segment.timeMapping.source, segment.timeMapping.target)
            let (first, place) = (Self.index(part.start), Self.index(target.start))
            for index in place..<Self.index(target.end) {
                if found[index].isNaN {
                    tally.missing += 1
                } else if found[index] != whole[first + index - place] {
                    tally.wrong += 1
                }
            }
        }
        return tally
    }

    // MARK: - Hours

    /// Reads video and audio of a long composition whose cuts lie on frames of 1001/30000 s.
    private func measureLength(
        cuts: Int, _ report: inout Report, _ random: inout SplitMix64
    ) throws {
        Progress.show("\(cuts) cuts, encoding")
        let frame = MediaTime(value: 1001, timescale: 30000)
        let count = 1800
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(frameDuration: frame, count: count),
            sounds: [SyntheticSound(.sampleNumbers, duration: frame * Int32(count))])
        (media.width, media.height) = (256, 32)
        media.keyframeInterval = 12
        media.bidirectionalFrames = 2
        let asset = URLAsset(
            try SyntheticClip(media, audioCodec: "pcm_s24le", container: "mov").url().path)
        let description = try AssetReader(asset: asset).description
        let composition = MutableComposition()
        var starts: [(first: Int, count: Int)] = []
        for _ in 0..<cuts {
            let length = Int.random(in: 2...62, using: &random)
            let first = Int.random(in: 0..<(count - length), using: &random)
            let range = MediaTimeRange(
                start: frame * Int32(first), duration: frame * Int32(length))
            try composition.insertTimeRange(
                range, of: asset, describedBy: description, at: .invalid)
            starts.append((first, length))
        }
        Progress.show("\(cuts) cuts, video")
        let video = try AssetReader(asset: composition.makeAsset()).addVideoOutput()
        var (place, wrong) = (Int64(0), 0)
        var end = MediaTime.zero
        for (first, length) in starts {
            for index in 0..<length {
                guard let shown = try video.copyNextSampleBuffer() else {
                    wrong += length - index
                    break
                }
                let time = MediaTime(value: place * 1001, timescale: 30000)
                let number = FrameNumberStrip.read(from: shown.pixelBuffer)
                if shown.presentationTime != time || number != first + index { wrong += 1 }
                place += 1
                end = shown.presentationTime + shown.duration
            }
        }
        if try video.copyNextSampleBuffer() != nil { wrong += 1 }
        let videoOffset = Self.index(end) - Self.index(composition.duration)
        Progress.show("\(cuts) cuts, audio")
        let audio = try AssetReader(asset: composition.makeAsset()).addAudioOutput(
            format: .stereo(sampleRate: Int(Self.rate)))
        // There must be no gap between the buffers, and each sample must have the number that it has
        // in the file.
        var places: [Int] = []
        var firstSamples: [Int] = []
        var (frames, continued) = (Int32(0), -1)
        for (first, length) in starts {
            // Pieces that continue the previous one are rounded with it.
            if first != continued {
                places.append(Self.index(frame * frames))
                firstSamples.append(Self.index(frame * Int32(first)))
            }
            frames += Int32(length)
            continued = first + length
        }
        places.append(.max)
        var (next, gaps, lastNumber) = (0, 0, -1)
        var (piece, wrongSamples) = (0, 0)
        while let buffer = try audio.copyNextSampleBuffer() {
            let first = Self.index(buffer.presentationTime)
            if first != next { gaps += 1 }
            next = first + buffer.frameCount
            buffer.withSamples { samples in
                for index in 0..<buffer.frameCount {
                    while first + index >= places[piece + 1] { piece += 1 }
                    let number = Int(samples[index * 2] * Float(1 << 22))
                    if number != firstSamples[piece] + first + index - places[piece] {
                        wrongSamples += 1
                    }
                    lastNumber = number
                }
            }
        }
        let total = Self.index(composition.duration)
        var lastExpected = -1
        if let last = starts.last {
            let begins = Self.index(composition.duration - frame * Int32(last.count))
            lastExpected = Self.index(frame * Int32(last.first)) + total - begins - 1
        }
        report.add(
            "\(cuts) cuts over \(Int(composition.duration.seconds)) s",
            "\(place) frames, \(wrong) wrong; \(next) samples, \(gaps) gaps, "
                + "\(wrongSamples) wrong")
        report.add(
            "offset at the end, in samples",
            "video \(videoOffset), audio \(next - total), of the last sample "
                + "\(lastNumber - lastExpected)")
        report.require(
            wrong == 0 && gaps == 0 && wrongSamples == 0, "frames or samples are missing, or wrong")
        report.require(
            videoOffset == 0 && next == total && lastNumber == lastExpected,
            "the ends are not where the cuts end")
    }
}
