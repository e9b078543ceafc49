// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI
import PulseTestSupport

/// `prove item-time`: item times of consecutive vsyncs are one vsync apart while audio plays.
///
/// The timeline follows the clock of the audio device, whose readings come through a socket with a
/// jitter of fractions of a millisecond to milliseconds. Two displays, of 60 and of 144 Hz, request
/// the item time of each coming vsync. Every vsync counts from the first that finds the timeline
/// running, including those during which the estimator of the clock settles. A recorder verifies
/// that the smooth line is the true one: ticks of the audio must be recorded at the time of the
/// timeline, from first to last.
struct ItemTimeProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "item-time", abstract: "Item times of consecutive vsyncs are evenly spaced.")

    @Flag(help: "Runs for 20 s instead of 60.")
    var short = false

    /// The maximum deviation of a difference at the 99th percentile, in milliseconds.
    private static let smoothnessLimit = 0.2
    /// The maximum offset of a tick from the timeline, and of the last ticks from the first ones.
    private static let offsetLimit = 5.0
    private static let driftLimit = 1.0

    func run() throws {
        guard PulseServer.isInstalled else {
            throw CannotProve("item-time: \(PulseServer.absence)")
        }
        let seconds = short ? 20 : 60
        var report = Report("item-time")
        report.add("machine before", Machine.waitUntilQuiet(seconds: short ? 10 : 60))
        try report.measure(attempts: short ? 1 : 3) { report in
            let before = Machine.usage
            try play(seconds: seconds, into: &report)
            let others = Machine.others(since: before)
            report.add("machine during", "others used \(others)")
            return others
        }
        try report.finish()
    }

    private func play(seconds: Int, into report: inout Report) throws {
        let film = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 30, duration: MediaTime(value: Int64(seconds) + 1, timescale: 1)))
        let server = try PulseServer()
        var options = PulseAudioOptions()
        options.server = server.address
        let sink = try PulseAudioSink(options: options)
        let recorder = try PulseRecorder(server: server.address)
        let item = PlayerItem(asset: SyntheticAsset(film))
        let outputs = [PlayerItemVideoOutput(), PlayerItemVideoOutput()]
        for output in outputs { item.add(output) }
        let player = Player(playerItem: item, audioSink: sink)
        // Audio before the recorder's first sample is not recorded.
        _ = recorder.wait(seconds: 10) { $0.frameCount > $0.sampleRate / 2 }
        let watches = zip(outputs, [Int32(60), 144]).map {
            VsyncWatch([$0], hertz: $1, seesPictures: false)
        }
        player.play()
        let end = HostClock.nanoseconds + Int64(seconds + 15) * 1_000_000_000
        while item.currentTime < MediaTime(value: Int64(seconds), timescale: 1),
            item.error == nil, HostClock.nanoseconds < end
        {
            usleep(50_000)
        }
        let sightings = watches.map { ($0.period, $0.end()[0]) }
        // The timebase keeps its history: a tick recorded a moment ago is looked up at its own
        // time.
        let timebase = item.timebase
        let recording = recorder.wait(untilHostTime: HostClock.nanoseconds)
        let ticks = recording.onsets().compactMap { recording.hostTime(ofFrame: Double($0)) }
        let offsets = ticks.map { tick -> Double in
            let time = timebase.time(atHostTime: MediaTime(nanoseconds: tick)).seconds
            return (time - time.rounded()) * 1000
        }
        let underruns = item.statistics.audioUnderruns
        let drift = sink.clockDrift
        player.pause()
        if let error = item.error { throw error }
        report.add("clock", String(format: "device %+.1f ppm against the host's", drift * 1e6))
        report.add("underruns", underruns)
        for (period, sightings) in sightings { add(sightings, period: period, to: &report) }
        add(offsets, seconds: seconds, to: &report)
    }

    private func add(
        _ sightings: [VsyncWatch.Sighting], period: MediaTime, to report: inout Report
    ) {
        let hertz = Int((1 / period.seconds).rounded())
        let moving = sightings.drop { $0.itemTime <= .zero }
        let errors = zip(moving, moving.dropFirst()).map { earlier, later -> Double in
            let vsyncs = Double(later.sequence - earlier.sequence)
            return ((later.itemTime - earlier.itemTime).seconds - vsyncs * period.seconds) * 1000
        }
        let backwards = zip(moving, moving.dropFirst()).filter { $1.itemTime < $0.itemTime }.count
        let sample = Sample(errors)
        report.add(
            "\(hertz) Hz, difference less period",
            String(
                format: "p50 %.5f, p99 %.5f, max %.5f ms (n = %d)",
                sample.magnitude(ofShare: 0.5), sample.magnitude(ofShare: 0.99),
                sample.magnitude(ofShare: 1), sample.count))
        report.add("  backwards", backwards)
        report.require(!errors.isEmpty, "\(hertz) Hz: no vsync saw the timeline move")
        report.require(backwards == 0, "\(hertz) Hz: \(backwards) steps backwards")
        let worst = sample.magnitude(ofShare: 0.99)
        report.require(
            worst <= Self.smoothnessLimit,
            String(format: "%d Hz: %.3f ms at the 99th percentile", hertz, worst))
    }

    private func add(_ offsets: [Double], seconds: Int, to report: inout Report) {
        let sample = Sample(offsets)
        let count = max(1, min(10, offsets.count / 3))
        let drift =
            Sample(Array(offsets.suffix(count))).mean
            - Sample(Array(offsets.prefix(count))).mean
        report.add("tick after its item time", sample)
        report.add("  last \(count) less first \(count)", String(format: "%+.2f ms", drift))
        report.require(
            offsets.count >= seconds, "\(offsets.count) ticks were recorded, not \(seconds)")
        report.require(
            sample.magnitude(ofShare: 1) <= Self.offsetLimit,
            String(format: "a tick was %.1f ms off", sample.magnitude(ofShare: 1)))
        report.require(
            abs(drift) <= Self.driftLimit, String(format: "ticks drifted by %+.2f ms", drift))
    }
}
