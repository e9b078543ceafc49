// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI
import PulseTestSupport

/// `prove underruns`: audio playback never underruns, neither here nor in the audio server.
///
/// A video with a steady tone plays into an audio server of its own, whose output is recorded: for
/// ten minutes on an idle machine at a latency of 40 ms, and for ten while compilers load all
/// processors, at 100 ms. The player counts its own underruns. Those of the server are found in the
/// recording: each sample of a tone follows from the two before it, and a gap breaks that.
struct UnderrunsProof: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "underruns", abstract: "Audio playback does not underrun.")

    @Flag(help: "Runs for 15 s each instead of ten minutes.")
    var short = false

    private static let frequency = 440.0
    /// The maximum distance of a sample from the prediction by the two before it: several times the
    /// error of a tone of 16 bits on a device whose rate is off by a thousandth.
    private static let breakLimit: Float = 0.002

    func run() async throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("underruns: ffmpeg is missing; apt-get install ffmpeg")
        }
        guard PulseServer.isInstalled else {
            throw CannotProve("underruns: \(PulseServer.absence)")
        }
        let seconds: Int64 = short ? 15 : 600
        Progress.show("making the video")
        let file = try film(seconds: seconds + 2)
        var report = Report("underruns")
        report.add("machine before", Machine.waitUntilQuiet(seconds: short ? 10 : 120))
        try await play(file, seconds: seconds, latency: 40, isLoaded: false, into: &report)
        try await play(file, seconds: seconds, latency: 100, isLoaded: true, into: &report)
        try report.finish()
    }

    private func film(seconds: Int64) throws -> String {
        let duration = MediaTime(value: seconds, timescale: 1)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration),
            sounds: [SyntheticSound(.tone(Self.frequency), duration: duration)])
        (media.width, media.height) = (320, 180)
        media.keyframeInterval = 60
        return try SyntheticClip(media, audioCodec: "pcm_s16le", container: "mov").url().path
    }

    private func play(
        _ file: String, seconds: Int64, latency: Int64, isLoaded: Bool, into report: inout Report
    ) async throws {
        let server = try PulseServer()
        var options = PulseAudioOptions()
        options.server = server.address
        options.latency = MediaTime(value: latency, timescale: 1000)
        let sink = try PulseAudioSink(options: options)
        let recorder = try PulseRecorder(server: server.address)
        let item = PlayerItem(asset: URLAsset(file))
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = Player(playerItem: item, audioSink: sink)
        try await item.waitUntilReady()
        _ = recorder.wait(seconds: 10) { $0.frameCount > $0.sampleRate / 2 }
        let compilers = isLoaded ? try Compilers() : nil
        let before = Machine.usage
        player.play()
        let end = MediaTime(value: seconds, timescale: 1)
        while item.currentTime < end, item.error == nil, !item.hasPlayedToEnd {
            Progress.show(
                "\(latency) ms, \(item.currentTime.clockDescription) of \(seconds) s"
                    + (isLoaded ? ", processors loaded" : ""))
            try await Task.sleep(for: .milliseconds(200))
        }
        if let error = item.error { throw error }
        let underruns = item.statistics.audioUnderruns
        let others = Machine.others(since: before)
        // Up to now; the rest is the end of the video.
        let recording = recorder.wait(untilHostTime: HostClock.nanoseconds)
        player.pause()
        withExtendedLifetime((server, compilers)) {}
        let (heard, breaks) = Self.breaks(in: recording)
        let name = "\(latency) ms, \(isLoaded ? "processors loaded" : "idle")"
        report.add(name, "others used \(others) of the machine")
        report.add("  recorded", String(format: "%.1f s", heard))
        report.add("  underruns counted", underruns)
        report.add("  gaps recorded", breaks)
        if isLoaded {
            report.require(
                others.share >= 0.5, "\(name): compilers used \(others) of the machine only")
        }
        report.require(heard > Double(seconds) - 1, "\(name): only \(heard) s were recorded")
        report.require(underruns == 0, "\(name): \(underruns) underruns")
        report.require(breaks == 0, "\(name): \(breaks) gaps in the audio")
    }

    /// Returns the duration of the recorded tone in seconds, and the number of its gaps.
    private static func breaks(
        in recording: PulseRecorder.Recording
    ) -> (seconds: Double, count: Int) {
        let step = recording.channelCount
        let samples = recording.samples
        // Silence before the tone, and everything after its end, do not count.
        guard
            let first = stride(from: 0, to: samples.count, by: step).first(where: {
                abs(samples[$0]) > 0.25
            })
        else { return (0, 0) }
        let factor = Float(2 * cos(2 * .pi * frequency / Double(recording.sampleRate)))
        var (count, last) = (0, 0)
        for index in stride(from: first + 2 * step, to: samples.count, by: step) {
            let expected = factor * samples[index - step] - samples[index - 2 * step]
            guard abs(samples[index] - expected) > breakLimit else { continue }
            // A gap breaks the tone at both of its ends, a moment apart.
            if last == 0 || index - last > step * recording.sampleRate / 10 { count += 1 }
            last = index
        }
        return (Double((samples.count - first) / step) / Double(recording.sampleRate), count)
    }

    /// Runs a compiler for each processor, repeatedly, for the lifetime of the object.
    private final class Compilers {
        private var processes: [ChildProcess] = []
        private let folder = TemporaryFolder()

        init() throws {
            let source = folder.appending("load.swift")
            let function = """
                func f%d(_ x: [Double]) -> Double {
                    x.map { $0 * %d + 1 }.filter { $0 > 2 }.sorted().reduce(0, +)
                }
                """
            let text = (0..<200).map { String(format: function, $0, $0) }
                .joined(separator: "\n")
            try Data(text.utf8).write(to: source)
            for number in 0..<Machine.processorCount {
                let output = folder.appending("load\(number).o").path
                processes.append(
                    try ChildProcess([
                        "bash", "-c",
                        "while swiftc -O -parse-as-library -c \"$1\" -o \"$2\"; do :; done",
                        "bash", source.path, output,
                    ]))
            }
        }

        deinit { for process in processes { process.kill() } }
    }
}
