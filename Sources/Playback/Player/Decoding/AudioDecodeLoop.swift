// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// The loop of an item's audio decoding thread. It takes packets from the queue and fills the
/// renderer's ring buffer. In reverse playback, it reads the asset itself, the latest audio first.
final class AudioDecodeLoop {
    /// The time to wait for space, in nanoseconds, before checking whether any space can still
    /// become free.
    private static let waitNanoseconds: Int64 = 100_000_000
    /// The time to wait while the timeline is stopped, in nanoseconds. A change of the timeline
    /// wakes the thread, so the thread sleeps while an item is paused. If the start of the timeline
    /// is not reported, the thread still wakes in time, because the ring buffer holds audio for
    /// longer than this.
    private static let standingWaitNanoseconds: Int64 = 500_000_000
    /// The free space to wait for once the ring buffer is full, in seconds of audio. A thread that
    /// wakes for each block of a device takes more processor time than decoding does.
    private static let refillSeconds = 0.05
    /// The distance behind the playhead up to which a running device may still request audio.
    private static let keptBehind = MediaTime(value: 1, timescale: 5)

    private let host: any AudioDecodingHost
    /// The decoders of the tracks that can be read, by the lane of the track in the packet queue.
    private let decoders: [Int: any AudioDecoder]
    /// The lane that is read. Each generation can have a different one.
    private var lane: Int
    private var decoder: any AudioDecoder
    private let renderer: AudioRenderer
    private let refillFrames: Int
    private var generation = 0
    /// The time before which audio is skipped; nil if no audio is skipped.
    private var start: MediaTime?
    /// The end of the last decoded buffer. If audio is enqueued in reverse, it is a negated item
    /// time, as are the times of buffers.
    private var end = MediaTime.invalid
    /// The reader for reverse playback; nil before it is first needed.
    private var reversedReader: ReversedAudioReader?
    private let reading: GenerationCancellation

    init(
        host: any AudioDecodingHost, lane: Int, decoder: any AudioDecoder,
        decoders: [Int: any AudioDecoder], renderer: AudioRenderer
    ) {
        self.host = host
        self.lane = lane
        self.decoder = decoder
        self.decoders = decoders
        self.renderer = renderer
        reading = GenerationCancellation(packets: host.packets)
        refillFrames = Int(Self.refillSeconds * Double(renderer.format.sampleRate))
    }

    func run() {
        while true {
            switch host.packets.next(track: lane) {
            case .closed: return
            case .flush(let generation), .redirect(let generation): begin(generation)
            case .packet(let packet): decode(packet)
            case .ranDry, .passedOver: host.audioRanDry()
            case .endOfStream:
                decode(nil)
                finish()
            }
        }
    }

    private func begin(_ generation: Int) {
        if let chosen = host.audioLane, let decoder = decoders[chosen] {
            self.decoder = decoder
            if lane != chosen { host.packets.moveReader(to: chosen, generation: generation) }
            lane = chosen
        }
        decoder.flush()
        let reversal = host.reversal(of: generation)
        renderer.flush(isReversed: reversal != nil)
        host.audioFlushed(generation: generation)
        self.generation = generation
        end = .invalid
        start = nil
        if let reversal {
            reading.begin(generation, lane: lane)
            decodeBackwards(from: reversal.time)
        } else {
            start = host.landingTime(generation: generation)
        }
    }

    private func decode(_ packet: MediaPacket?) {
        do {
            try decoder.send(packet)
        } catch {
            host.report(error)
        }
        while !isOutdated {
            do {
                guard let buffer = try decoder.receive() else { return }
                host.noteDecoded()
                write(buffer)
            } catch {
                host.report(error)
            }
        }
    }

    private func write(_ buffer: AudioBuffer) {
        let bufferStart = buffer.presentationTime.isNumeric ? buffer.presentationTime : end
        if bufferStart.isNumeric { end = bufferStart + buffer.duration }
        // The playhead has passed the audio, so it is not needed. If the sink is stopped, a wait
        // for space would not end.
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
            if isOutdated { return }
            let count = renderer.enqueue(buffer, startingAt: written)
            written += count
            if count > 0 {
                host.audioAdvanced()
            } else if !renderer.waitUntilReady(
                frames: refillFrames,
                nanoseconds: host.timebase.rate == 0
                    ? Self.standingWaitNanoseconds : Self.waitNanoseconds)
            {
                // After a jump of the playhead, no space becomes free. Steps, a declared start, and
                // video that continues without the device cause such jumps. Therefore audio behind
                // the playhead is discarded.
                let now = soundTime
                if end.isNumeric, end < now { return }
                renderer.discard(before: isUnheard ? now : now - Self.keptBehind)
            }
        }
    }

    /// A Boolean value that indicates whether another generation has begun, the lane has been
    /// removed, or the item has been closed.
    private var isOutdated: Bool { host.packets.isOutdated(generation, lane: lane) }

    /// The time of the audio that is heard at the current time of the timeline, negated if audio is
    /// enqueued in reverse.
    private var soundTime: MediaTime {
        let time = renderer.soundTime(at: host.timebase.time)
        return renderer.isReversed ? -time : time
    }

    /// A Boolean value that indicates whether the renderer's output is stopped, because it is
    /// paused or its device is gone.
    private var isUnheard: Bool {
        if case .running = renderer.sink.status { false } else { true }
    }

    private func finish() {
        guard !isOutdated else { return }
        renderer.markEndOfStream()
        host.audioEnded(at: end, generation: generation)
    }

    // MARK: - Backwards

    /// Decodes in reverse until the beginning of the item has been decoded or another generation
    /// begins.
    private func decodeBackwards(from time: MediaTime) {
        // The time at which decoding begins; nil while it continues.
        var start: MediaTime? = time
        while !isOutdated {
            if host.waitWhileSilent(generation: generation) {
                start = renderer.soundTime(at: host.timebase.time)
                continue
            }
            guard let reader = openReversedReader() else { break }
            if let time = start.take() { reader.begin(at: time) }
            guard let buffer = reader.next(heardAt: renderer.soundTime(at: host.timebase.time))
            else { break }
            host.noteDecoded()
            write(buffer)
        }
        if reversedReader?.isInterrupted ?? false { reversedReader = nil }
        guard !isOutdated else { return }
        renderer.markEndOfStream()
        // A start may wait for more audio than there is.
        host.audioRanDry()
    }

    /// Returns the reader of the present track, which is opened when it is first needed. Returns
    /// nil if it cannot be opened; there is no audio then.
    private func openReversedReader() -> ReversedAudioReader? {
        guard let track = host.audioTrack else { return nil }
        if let reader = reversedReader, reader.trackID == track.id { return reader }
        reversedReader = nil
        do {
            reversedReader = try ReversedAudioReader(
                host.openReader(reading.cancellation), trackID: track.id,
                format: renderer.format, report: { [host] in host.report($0) },
                isOver: { [reading] in reading.isOver })
        } catch {
            if !isOutdated { host.report(error) }
        }
        return reversedReader
    }
}
