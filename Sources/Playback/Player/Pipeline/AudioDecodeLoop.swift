// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// What an item's audio decoding thread does: packets in, sound into the renderer's ring.
final class AudioDecodeLoop {
    /// How long to wait for room before looking whether it will ever come.
    private static let waitNanoseconds: Int64 = 100_000_000
    /// The same while the timeline stands: whoever moves it wakes the thread, which so sleeps while a
    /// film is paused; less than what the ring holds, for a start that somebody has not told of.
    private static let standingWaitNanoseconds: Int64 = 500_000_000
    /// For how much room to wait once there is none, of the ring's second: a thread that wakes for each
    /// block of a device takes more of a processor than decoding does.
    private static let refillSeconds = 0.05
    /// What a device that runs may still look back at.
    private static let keptBehind = MediaTime(value: 1, timescale: 5)

    private let pipeline: ItemPipeline
    /// Of every audio track that can be decoded, by the track's identifier.
    private let decoders: [Int: any AudioDecoder]
    /// The track that plays, and what decodes it; another may be chosen with every generation.
    private var track: Int
    private var decoder: any AudioDecoder
    private let renderer: AudioRenderer
    private let refillFrames: Int
    private var generation = 0
    /// Sound before this is left out; nil where nothing has to be.
    private var start: MediaTime?
    private var end = MediaTime.invalid

    init(
        pipeline: ItemPipeline, track: AssetTrack, decoder: any AudioDecoder,
        decoders: [Int: any AudioDecoder], renderer: AudioRenderer
    ) {
        self.pipeline = pipeline
        self.track = track.id
        self.decoder = decoder
        self.decoders = decoders
        self.renderer = renderer
        refillFrames = Int(Self.refillSeconds * Double(renderer.format.sampleRate))
    }

    func run() {
        while true {
            switch pipeline.packets.next(track: track) {
            case .closed: return
            case .flush(let generation), .redirect(let generation): begin(generation)
            case .packet(let packet): decode(packet)
            case .ranDry: pipeline.evaluate()
            case .endOfStream:
                decode(nil)
                finish()
            }
        }
    }

    private func begin(_ generation: Int) {
        if let chosen = pipeline.control.withLock({ $0.audioTrack?.id }),
            let decoder = decoders[chosen]
        {
            self.decoder = decoder
            track = chosen
        }
        decoder.flush()
        renderer.flush()
        pipeline.control.withLock { $0.audioGeneration = generation }
        self.generation = generation
        end = .invalid
        start = pipeline.landingTime(generation: generation)
    }

    private func decode(_ packet: MediaPacket?) {
        do {
            try decoder.send(packet)
        } catch {
            pipeline.report(error)
        }
        while !pipeline.packets.isOutdated(generation) {
            do {
                guard let buffer = try decoder.receive() else { return }
                pipeline.noteDecoded()
                write(buffer)
            } catch {
                pipeline.report(error)
            }
        }
    }

    private func write(_ buffer: AudioBuffer) {
        let bufferStart = buffer.presentationTime.isNumeric ? buffer.presentationTime : end
        if bufferStart.isNumeric { end = bufferStart + buffer.duration }
        // The playhead has passed it. A sink that stands still would not make room for it either.
        if end.isNumeric, end < soundTime { return }
        var written = 0
        if let start, bufferStart.isNumeric {
            if end <= start { return }
            let missing = (start - bufferStart).converted(
                toTimescale: Int32(clamping: buffer.format.sampleRate))
            written = min(max(0, Int(missing.value)), buffer.frameCount)
            self.start = nil
        }
        while written < buffer.frameCount {
            if pipeline.packets.isOutdated(generation) { return }
            let count = renderer.enqueue(buffer, startingAt: written)
            written += count
            if count > 0 {
                pipeline.audioAdvanced()
            } else if !renderer.waitUntilReady(
                frames: refillFrames,
                nanoseconds: pipeline.timebase.rate == 0
                    ? Self.standingWaitNanoseconds : Self.waitNanoseconds)
            {
                // Nothing makes room while the playhead is moved on: by steps, by a declared start, or
                // since pictures play on without the device. What is behind it is let go.
                let now = soundTime
                if end.isNumeric, end < now { return }
                renderer.discard(before: isUnheard ? now : now - Self.keptBehind)
            }
        }
    }

    /// What is heard, or would be, at what the timeline reads.
    private var soundTime: MediaTime { renderer.soundTime(at: pipeline.timebase.time) }

    /// Whether nothing takes sound from the renderer: it is paused, or its device is gone.
    private var isUnheard: Bool {
        if case .running = renderer.sink.status { false } else { true }
    }

    private func finish() {
        guard !pipeline.packets.isOutdated(generation) else { return }
        renderer.markEndOfStream()
        pipeline.audioEnded(at: end, generation: generation)
    }
}
