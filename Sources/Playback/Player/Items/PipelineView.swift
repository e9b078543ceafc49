// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadTime
import Synchronization

/// The pipeline's queues, audio and clocks, in the form in which the transport reads them.
///
/// - Concurrency: the lock of the pipeline's `control` is held.
struct PipelineView: TransportView {
    private let pipeline: ItemPipeline
    private let renderer: AudioRenderer?
    private let audioTrack: Int?
    private let feeds: [AudioFeed]
    private let videoFeeds: [VideoFeed]
    /// A Boolean value that indicates whether the item plays in reverse. If so, no track is added.
    private let isReverse: Bool
    /// A Boolean value that indicates whether no audio is decoded, because none is heard.
    private let isSilent: Bool
    /// Boolean values that indicate whether an enabled track waits for the demuxer.
    private let (isAddingVideo, isAddingAudio): (Bool, Bool)
    private let monitor: TransferMonitor?
    private let arrivals: ArrivalMonitor?
    private let watch: Timebase?

    init(pipeline: ItemPipeline, _ control: ItemPipeline.Control) {
        self.pipeline = pipeline
        renderer = control.renderer
        audioTrack = control.audioTrack?.id
        feeds = control.further.feeds
        videoFeeds = control.videoFeeds
        isReverse = control.direction == .reverse
        isSilent = control.isSilentInReverse
        (isAddingVideo, isAddingAudio) = (control.isAddingVideo, control.isAddingAudio)
        monitor = control.transfer
        arrivals = control.arrivalMonitor
        watch = control.alarms.watch
    }

    private var frames: FrameQueue { pipeline.frames }
    private var timebase: Timebase { pipeline.timebase }

    var packets: PacketLevel { pipeline.packets.level }

    var transfer: TransferReading? {
        guard let monitor else { return nil }
        let (statistics, now) = (monitor.statistics, monitor.clock.time)
        return TransferReading(
            isSlow: monitor.isSlow, now: now, waitingSince: statistics.waitingSince,
            waited: statistics.waited(by: now), byteCount: statistics.byteCount)
    }

    var followsArrival: Bool { arrivals != nil }

    func arrivingTime(atHostNanoseconds nanoseconds: Int64, offset: MediaTime) -> MediaTime? {
        arrivals?.time(
            atHostTime: MediaTime(nanoseconds: nanoseconds),
            offset: offset.isNumeric ? offset : nil)
    }

    // MARK: Frames

    func isVideoPrimed(at time: MediaTime) -> Bool {
        // The frame after the visible one is a frame's duration away.
        arrivals == nil ? frames.isPrimed(at: time) : frameStart(at: time) != nil
    }
    func hasFrame(after time: MediaTime) -> Bool { frames.hasFrame(after: time) }
    func isStarved(at time: MediaTime) -> Bool { frames.isStarved(at: time) }
    func seenTime(at time: MediaTime) -> MediaTime { pipeline.seenTime(at: time) }
    var isVideoFullOrEnded: Bool { frames.isFullOrEnded }
    var framesEnd: MediaTime { frames.end }

    func frameStart(at time: MediaTime) -> MediaTime? {
        frames.frame(at: time, playhead: timebase.time, taking: false)?.presentationTime
    }

    func step(
        from time: MediaTime, by count: Int
    ) -> (time: MediaTime, taken: Int, isLast: Bool) {
        frames.step(from: time, by: count)
    }

    func keptFrame(at time: MediaTime, byteLimit: Int) -> Bool? {
        pipeline.scrubbed.hit(at: time, byteLimit: byteLimit)?.isExact
    }

    func haveFurtherPictures(generation: Int) -> Bool {
        !isAddingVideo
            && videoFeeds.allSatisfy {
                !$0.isEnabled.load(ordering: .relaxed) || $0.hasFrame(generation: generation)
            }
    }

    func areFurtherPicturesPrimed(at time: MediaTime, generation: Int) -> Bool {
        (isReverse || !isAddingVideo)
            && videoFeeds.allSatisfy {
                !$0.isEnabled.load(ordering: .relaxed)
                    || $0.isPrimed(at: time, generation: generation)
            }
    }

    func hasFurtherMedia(after time: MediaTime, generation: Int) -> Bool {
        videoFeeds.contains {
            $0.isEnabled.load(ordering: .relaxed) && $0.frames.hasFrame(after: time)
        } || feeds.contains { $0.hasAudio(after: time, generation: generation) }
    }

    // MARK: Audio

    var hasAudio: Bool { renderer != nil }
    var audioLatency: MediaTime { renderer?.sink.latency ?? .zero }
    var isAudioAwake: Bool { renderer?.sink.isAwake ?? true }
    var underrunFrames: Int { renderer?.statistics.underrunFrames ?? 0 }
    var firstMissedTime: MediaTime? { renderer?.firstMissedItemTime }
    var bufferedAudioEnd: MediaTime { renderer?.bufferedTimeRange.end ?? .negativeInfinity }

    var enqueuedAudioEnd: MediaTime? {
        guard let renderer else { return nil }
        if case .failed = renderer.sink.status { return nil }
        return renderer.enqueuedEnd
    }

    func isAudioPrimed(at time: MediaTime) -> Bool {
        guard let renderer, !isSilent else { return true }
        if renderer.isPrimed(at: renderer.soundTime(at: time)) { return true }
        // Shortly before the end of audio that ends early, no more of it comes.
        return audioTrack.map { pipeline.packets.hasNothingToCome(lane: $0) } ?? false
    }

    func areFurtherTracksPrimed(at time: MediaTime, generation: Int) -> Bool {
        (isReverse || !isAddingAudio)
            && (isSilent || feeds.allSatisfy { $0.isPrimed(at: time, generation: generation) })
    }

    func furtherDryTimes(_ level: PacketLevel) -> (sound: MediaTime?, pictures: MediaTime?) {
        let sound = feeds.filter { level.dryTracks.contains($0.lane) }
        let pictures = videoFeeds.filter {
            level.dryTracks.contains($0.lane) && $0.isEnabled.load(ordering: .relaxed)
        }
        return (sound.compactMap(\.dryTime).min(), pictures.compactMap(\.dryTime).min())
    }

    // MARK: Clocks

    func masterTime(atHostTime hostTime: MediaTime) -> MediaTime {
        timebase.master.time(atHostTime: hostTime)
    }

    var heldDuration: MediaTime? { watch?.time }

    /// Returns `start` or a slightly later time, chosen so that the frame visible at `anchor`
    /// begins at a vsync. At the usual rates, as many other frames as possible then begin at a
    /// vsync too.
    func alignedToVsync(_ start: MediaTime, anchor: MediaTime, rate: Double) -> MediaTime {
        guard let frame = frames.frame(at: anchor, playhead: anchor, taking: false) else {
            return start
        }
        let master = timebase.master
        let into = (anchor - frame.presentationTime) * (1 / rate)
        guard into.isNumeric, let hostTime = master.hostTime(at: start),
            let vsync = pipeline.vsyncs.vsync(notBefore: hostTime - into)
        else { return start }
        return max(start, master.time(atHostTime: vsync + into))
    }
}

extension AudioRenderer {
    private static let primedDuration = MediaTime(value: 1, timescale: 5)
    private static let startTolerance = MediaTime(value: 1, timescale: 1000)

    /// Returns whether enough audio has been decoded to start at `time`: as much as a device takes
    /// at once, and some more for the decoder to stay ahead. Without a device, no audio is needed.
    func isPrimed(at time: MediaTime) -> Bool {
        if case .failed = sink.status { return true }
        let range = bufferedTimeRange
        if isReversed {
            if hasEndOfStream { return true }
            if isFull, range.end - Self.startTolerance <= time { return true }
            return min(range.end, time) - range.start >= Self.primedDuration
        }
        // A ring buffer that is full of audio from behind the playhead is about to be cleared.
        if isFull, range.start + Self.startTolerance >= time { return true }
        return range.end - max(range.start, time) >= Self.primedDuration
    }

    /// Returns whether audio has been decoded up to `lead` after the position that is heard when
    /// the timeline reads `time`. In reverse, the result is also true if no more will be decoded.
    func hasAudio(ahead lead: MediaTime, at time: MediaTime) -> Bool {
        self.lead(at: time) >= lead || (isReversed && hasEndOfStream)
    }
}
