// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

@testable import PlayheadPlayback

/// A player of a synthetic video that arrives as the test allows, on a manual clock, with an audio
/// device that records the samples.
final class StallRig {
    let clock = ManualClock(time: MediaTime(value: 100, timescale: 1))
    let gate: SourceGate
    let media: SyntheticMedia
    let item: PlayerItem
    let player: Player
    let output = PlayerItemVideoOutput()
    let sink: CaptureAudioSink?
    /// The end of the audio that has arrived.
    private var soundEnd: MediaTime
    /// The frames that were seen, each with the item time of the look.
    private(set) var seen: [(frame: Int?, time: MediaTime, isRunning: Bool)] = []

    /// - Parameters:
    ///   - seconds: the part of the video that arrives before the first wait.
    ///   - isNetwork: whether late data is expected.
    init(
        _ media: SyntheticMedia = StallRig.film(), seconds: Double, isNetwork: Bool = true,
        hasSound: Bool = true
    ) {
        var media = media
        if !hasSound { media.sounds = [] }
        let gate = SourceGate(packets: Self.packets(of: media, seconds: seconds))
        soundEnd = Self.soundEnd(seconds: seconds)
        media.transfer = TransferMonitor(clock: clock, isNetwork: isNetwork)
        media.faults.willReadPacket = { number in gate.pass(number) }
        self.gate = gate
        self.media = media
        item = PlayerItem(asset: SyntheticAsset(media))
        item.add(output)
        sink = hasSound ? CaptureAudioSink(clock: clock) : nil
        player = Player(playerItem: item, audioSink: sink, masterClock: clock)
    }

    deinit {
        player.replaceCurrentItem(with: nil)
        gate.open()
    }

    /// Returns a video of eight seconds, whose samples are their own numbers.
    static func film(seconds: Int64 = 8) -> SyntheticMedia {
        let duration = MediaTime(value: seconds, timescale: 1)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration),
            sounds: [SyntheticSound(.sampleNumbers, duration: duration)])
        (media.width, media.height) = (256, 32)
        return media
    }

    /// Returns the number of packets that begin before a time.
    static func packets(of media: SyntheticMedia, seconds: Double) -> Int {
        let frames = min((seconds * 30).rounded(.up), Double(media.frameTimes?.count ?? 0))
        let sound = media.sounds.isEmpty ? 0 : (seconds * 48000 / 1024).rounded(.up)
        return Int(frames + sound)
    }

    /// Returns the end of the audio in the packets that begin before a time.
    private static func soundEnd(seconds: Double) -> MediaTime {
        MediaTime(value: Int64((seconds * 48000 / 1024).rounded(.up)) * 1024, timescale: 48000)
            - VideoFrame.timeTolerance
    }

    /// Allows the video to arrive up to a time in seconds.
    func allow(seconds: Double) {
        soundEnd = Self.soundEnd(seconds: seconds)
        gate.allow(packets: Self.packets(of: media, seconds: seconds))
    }

    func waitUntil(_ condition: @escaping (ItemPipeline.Control) -> Bool) {
        item.pipeline.control.wait { condition($0) ? true : nil }
    }

    func play() {
        player.play()
        waitUntil { $0.isRunning }
    }

    /// Waits until everything that has arrived has been decoded, up to the capacity.
    func settle() {
        // The state changes on several threads, some without a notification: polls.
        while item.pipeline.control.wait(
            nanoseconds: 2_000_000, until: { isSettled($0) ? true : nil }) == nil
        {}
    }

    private func isSettled(_ control: ItemPipeline.Control) -> Bool {
        let time = item.currentTime
        // A track that is dry while more data is on its way will not stay so.
        let dry = gate.isClosed ? item.pipeline.packets.level.dryTracks : []
        if isAboutToHold(control, at: time, dry) || isAboutToEnd(control, at: time) { return false }
        if let track = control.videoTrack, !dry.contains(track.id), control.videoEnd == nil,
            !item.pipeline.frames.isPrimed(at: time)
        {
            return false
        }
        guard let track = control.audioTrack, control.audioEnd == nil,
            let renderer = control.renderer
        else { return true }
        // The last packet may have been taken, and not decoded yet.
        if dry.contains(track.id) { return renderer.enqueuedEnd >= soundEnd }
        return renderer.enqueuedEnd >= time + MediaTime(value: 1, timescale: 10)
    }

    /// Returns whether the timeline has reached the last frame before the pipeline has noticed.
    private func isAboutToHold(
        _ control: ItemPipeline.Control, at time: MediaTime, _ dry: Set<Int>
    ) -> Bool {
        guard control.isRunning, control.buffering.dryness == nil, control.videoEnd == nil,
            let track = control.videoTrack, dry.contains(track.id)
        else { return false }
        return item.pipeline.frames.end <= time
    }

    /// Returns whether the last frame has been decoded or the timeline has reached the end, before
    /// the pipeline has noticed.
    private func isAboutToEnd(_ control: ItemPipeline.Control, at time: MediaTime) -> Bool {
        if item.pipeline.frames.hasEnded, control.videoTrack != nil, control.videoEnd == nil {
            return true
        }
        guard control.isRunning, !control.hasPlayedToEnd, let end = control.playbackEnd else {
            return false
        }
        return time >= end
    }

    /// Advances the clock in steps of an audio block, and looks at the frame after each.
    func advance(milliseconds: Int64) {
        for _ in 0..<(milliseconds / 10) {
            settle()
            let next = clock.time + MediaTime(value: 10, timescale: 1000)
            if let sink { sink.advance(to: next) } else { clock.advance(to: next) }
            settle()
            let time = item.currentTime
            let frame = output.copyPixelBuffer(forItemTime: time).flatMap {
                FrameNumberStrip.read(from: $0.0)
            }
            seen.append((frame, time, item.timebase.rate != 0))
        }
    }

    /// The numbers of the samples that were played, in order.
    var heard: [Int] {
        let samples = sink?.samples ?? []
        var numbers: [Int] = []
        for index in stride(from: 0, to: samples.count, by: 2) where samples[index] != 0 {
            numbers.append(Int((samples[index] * Float(1 << 22)).rounded()))
        }
        return numbers
    }

    /// The positions where samples were dropped or repeated, from the beginning on.
    var wrongSamples: [String] {
        let heard = [0] + heard
        return zip(heard, heard.dropFirst()).filter { $1 != $0 + 1 }.map { "\($1) after \($0)" }
    }

    /// The looks that found another frame than the expected one; while the timeline is stopped,
    /// than the last one that had arrived.
    var wrongFrames: [String] {
        seen.filter { look in
            let due = media.frameTimes?.index(at: look.time + FrameQueue.tolerance)
            if look.time >= media.duration { return false }
            return look.frame != due && (look.isRunning || look.frame != due.map { $0 - 1 })
        }.map { "\($0.frame as Any) at \($0.time)" }
    }
}
