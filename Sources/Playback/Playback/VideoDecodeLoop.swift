// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// What an item's video decoding thread does: packets in, frames into the queue, and after a seek
/// everything before its target out.
final class VideoDecodeLoop {
    /// How far behind the playhead decoding may fall before frames that no other needs are skipped.
    private static let latenessLimit = MediaTime(value: 1, timescale: 10)

    private let pipeline: ItemPipeline
    private let track: AssetTrack
    private let decoder: any VideoDecoder
    private var generation = 0
    /// The seek whose target has not been reached yet.
    private var seek: Seek?
    /// The newest frame before that target: the one that is shown there, unless a later one is.
    private var candidate: VideoFrame?
    private var end = MediaTime.invalid
    private var isLate = false

    init(pipeline: ItemPipeline, track: AssetTrack, decoder: any VideoDecoder) {
        self.pipeline = pipeline
        self.track = track
        self.decoder = decoder
    }

    func run() {
        while true {
            switch pipeline.packets.next(track: track.id) {
            case .closed: return
            case .flush(let generation): begin(generation)
            case .packet(let packet):
                decoder.skipsNonReferenceFrames = isLate || isBeforeTarget(packet)
                decode(packet)
            case .endOfStream:
                decode(nil)
                finish()
            }
        }
    }

    private func begin(_ generation: Int) {
        decoder.flush()
        self.generation = generation
        candidate = nil
        end = .invalid
        isLate = false
        seek = pipeline.control.withLock { $0.seek?.generation == generation ? $0.seek : nil }
    }

    private func isBeforeTarget(_ packet: MediaPacket) -> Bool {
        guard let seek, packet.presentationTime.isNumeric, packet.duration.isNumeric else {
            return false
        }
        return packet.presentationTime + packet.duration <= seek.target
    }

    private func decode(_ packet: MediaPacket?) {
        do {
            try decoder.send(packet)
        } catch {
            pipeline.report(error)
        }
        while !pipeline.packets.isOutdated(generation) {
            do {
                guard let frame = try decoder.receive() else { return }
                take(frame)
            } catch {
                pipeline.report(error)
            }
        }
    }

    private func take(_ frame: VideoFrame) {
        var frame = frame
        // A frame without a time follows on the one before it.
        if !frame.presentationTime.isNumeric {
            frame.presentationTime = end.isNumeric ? end : seek?.target ?? .zero
        }
        let duration = frame.duration.isNumeric ? frame.duration : track.frameDuration
        let frameEnd =
            duration.isNumeric ? frame.presentationTime + duration : frame.presentationTime
        if !end.isValid || frameEnd > end { end = frameEnd }
        guard let seek else {
            push(frame, end: frameEnd)
            return
        }
        if seek.accepts(from: frame.presentationTime, to: frameEnd) {
            land(at: frame, of: seek)
        } else {
            candidate = frame
        }
    }

    /// The target has been reached with `frame`, or passed: then the frame before is shown there.
    private func land(at frame: VideoFrame, of seek: Seek) {
        self.seek = nil
        let before = candidate
        candidate = nil
        if frame.presentationTime > seek.target, let before { push(before, end: .invalid) }
        let shown = frame.presentationTime > seek.target ? before ?? frame : frame
        if seek.toleranceBefore > .zero, shown.presentationTime < seek.target {
            pipeline.landEarly(at: shown.presentationTime, generation: generation)
        }
        push(frame, end: .invalid)
    }

    private func push(_ frame: VideoFrame, end: MediaTime) {
        let result = pipeline.frames.push(
            frame, generation: generation, timebase: pipeline.timebase)
        guard result == .stored else { return }
        isLate = end.isNumeric && pipeline.timebase.time - end > Self.latenessLimit
        pipeline.videoAdvanced(generation: generation)
    }

    private func finish() {
        guard !pipeline.packets.isOutdated(generation) else { return }
        // The stream ended before the target: its last frame is what is shown there.
        seek = nil
        if let candidate { push(candidate, end: .invalid) }
        candidate = nil
        pipeline.frames.finish(generation: generation)
        pipeline.videoEnded(at: end, generation: generation)
    }
}
