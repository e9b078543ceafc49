// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadBuffers
import PlayheadThreads
import PlayheadUI

@testable import PlayheadPlayback

/// A player of a video behind a web server that sends as much of it as the test allows, on a manual
/// clock, with an audio device that keeps the samples.
final class StreamRig {
    let clock = ManualClock(time: MediaTime(value: 100, timescale: 1))
    let clip: SyntheticClip
    /// The bytes of the video; empty for one that is played from its file.
    let film: [UInt8]
    let pace: Pace
    let server: LoopbackServer?
    let item: PlayerItem
    let player: Player
    let output = PlayerItemVideoOutput()
    let sink: CaptureAudioSink
    /// The frames that were seen, each with the item time of the look.
    private(set) var seen: [(frame: Int?, time: MediaTime, isRunning: Bool)] = []
    private(set) var wrongSamples: [String] = []

    /// Returns a video whose samples are their own numbers, stored uncompressed.
    static func clip(
        seconds: Int64, container: String = "mov", soundDelay: MediaTime = .zero,
        options: [String] = ["-movflags", "+faststart"]
    ) -> SyntheticClip {
        let duration = MediaTime(value: seconds, timescale: 1)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration),
            sounds: [SyntheticSound(.sampleNumbers, duration: duration)])
        media.keyframeInterval = 30
        media.soundStorageDelay = soundDelay
        return SyntheticClip(
            media, audioCodec: "pcm_f32le", container: container, options: options)
    }

    /// - Parameter share: the fraction of the video to send at first.
    init(_ clip: SyntheticClip, share: Double) throws {
        self.clip = clip
        let film = [UInt8](try Data(contentsOf: clip.url()))
        let pace = Pace(end: Int(Double(film.count) * share))
        let server = try LoopbackServer { _ in .paced(film, pace) }
        (self.film, self.pace, self.server) = (film, pace, server)
        let url = URL(string: server.url("/film.\(clip.container)"))
        item = PlayerItem(asset: URLAsset(url: url ?? URL(filePath: "/")))
        item.add(output)
        sink = CaptureAudioSink(clock: clock)
        player = Player(playerItem: item, audioSink: sink, masterClock: clock)
    }

    /// Plays a file, with limits.
    init(fileOf clip: SyntheticClip, limits: MediaLimits) throws {
        self.clip = clip
        (film, pace, server) = ([], Pace(), nil)
        var options = AssetOptions()
        options.limits = limits
        item = PlayerItem(asset: URLAsset(url: try clip.url(), options: options))
        item.add(output)
        sink = CaptureAudioSink(clock: clock)
        player = Player(playerItem: item, audioSink: sink, masterClock: clock)
    }

    deinit {
        player.replaceCurrentItem(with: nil)
        server?.stop()
    }

    func allow(share: Double) { pace.allow(upTo: Int(Double(film.count) * share)) }

    func waitUntil(_ condition: (ItemPipeline.Control) -> Bool) {
        item.pipeline.control.wait { control -> Bool? in
            if case .failed = control.phase { return true }
            return condition(control) ? true : nil
        }
    }

    /// Returns whether everything that was sent has been read, and the demuxer waits for more.
    private func isExhausted(_ control: ItemPipeline.Control) -> Bool {
        guard pace.isWaiting, let transfer = control.transfer?.statistics else {
            return false
        }
        return transfer.waitingSince.isNumeric && transfer.byteCount >= Int64(pace.end)
    }

    /// Waits until everything that has arrived has been decoded, up to the limits.
    func settle() {
        while item.pipeline.control.wait(
            nanoseconds: 2_000_000, until: { isSettled($0) ? true : nil }) == nil
        {}
    }

    private func isSettled(_ control: ItemPipeline.Control) -> Bool {
        let time = item.currentTime
        let dry = isExhausted(control) ? item.pipeline.packets.level.dryTracks : []
        if isAboutToHold(control, at: time, dry) { return false }
        if let track = control.videoTrack, !dry.contains(track.id), control.videoEnd == nil,
            !item.pipeline.frames.isPrimed(at: time)
        {
            return false
        }
        guard let track = control.audioTrack, !dry.contains(track.id), control.audioEnd == nil,
            let renderer = control.renderer
        else { return true }
        return renderer.enqueuedEnd >= time + MediaTime(value: 1, timescale: 10)
    }

    /// Returns whether the timeline has reached the end of the frames, but was not checked since.
    private func isAboutToHold(
        _ control: ItemPipeline.Control, at time: MediaTime, _ dry: Set<Int>
    ) -> Bool {
        guard control.isRunning, control.buffering.dryness == nil, control.videoEnd == nil,
            let track = control.videoTrack, dry.contains(track.id)
        else { return false }
        return item.pipeline.frames.end <= time
    }

    /// Waits until a number of bytes has been received, including those received twice.
    func waitForTransfer(of byteCount: Int) {
        func hasArrived(_ control: ItemPipeline.Control) -> Bool {
            (control.transfer?.statistics.byteCount ?? 0) >= Int64(byteCount)
        }
        while item.pipeline.control.wait(
            nanoseconds: 2_000_000, until: { hasArrived($0) ? true : nil }) == nil
        {}
    }

    /// Advances the clock in steps of an audio block, and looks at the frame after each.
    func advance(milliseconds: Int64) {
        for _ in 0..<(milliseconds / 10) {
            settle()
            sink.advance(to: clock.time + MediaTime(value: 10, timescale: 1000))
            settle()
            let time = item.currentTime
            let frame = output.copyPixelBuffer(forItemTime: time).flatMap {
                FrameNumberStrip.read(from: $0.0)
            }
            seen.append((frame, time, item.timebase.rate != 0))
        }
    }

    /// Returns the number of samples played; records those that were dropped or repeated.
    func countHeard() -> Int {
        let samples = sink.samples
        var (last, count) = (0, 0)
        for index in stride(from: 0, to: samples.count, by: 2) where samples[index] != 0 {
            let number = Int((samples[index] * Float(1 << 22)).rounded())
            if number != last + 1 { wrongSamples.append("\(number) after \(last)") }
            last = number
            count += 1
        }
        return count
    }

    /// The looks that found another frame than the expected one; while the timeline is stopped,
    /// than the last one that had arrived.
    var wrongFrames: [String] {
        seen.filter { look in
            guard look.time < clip.media.duration else { return false }
            let due = clip.media.frameTimes?.index(at: look.time + MediaTime(nanoseconds: 1000))
            return look.frame != due && (look.isRunning || look.frame != due.map { $0 - 1 })
        }.map { "\($0.frame as Any) at \($0.time)" }
    }
}
