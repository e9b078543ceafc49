// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// A decoder of an audio track of a composition. It sends each packet to the decoder of the
/// packet's source, trims the samples to the range of the `CompositionRun`, and converts their
/// times to those of the composition.
///
/// A cut is at the sample nearest to its time: at index `round(time * rate)`, counted from the
/// start of the composition, so that rounding errors do not accumulate. A run that is played faster
/// or slower is stretched by a `RunStretcher` or, if its pitch follows the speed, resampled.
///
/// - Concurrency: one thread at a time.
final class CompositionAudioDecoder: AudioDecoder, @unchecked Sendable {
    // Unchecked: used by one thread at a time, as the protocol requires.

    let format: AudioFormat
    private let sources: SourcePool
    private let trackID: Int
    /// A Boolean value that indicates whether runs that are played faster or slower keep their
    /// pitch, if the speed allows it.
    private let keepsPitch: Bool
    /// The decoders, by the sample rate that they deliver.
    private var decoders: [Int: SourceDecoders<any AudioDecoder>] = [:]
    private var playing: Playing?
    private var output = DecodedOutput<AudioBuffer>()

    /// The run that is being decoded. Positions are in sample frames.
    private struct Playing {
        var run: CompositionRun
        var pass: Int
        var decoder: any AudioDecoder
        /// The sample rate to which the source is decoded: the rate of the output times the speed.
        var sourceRate: Int
        /// The first frame of the source that is heard, counted from time 0 of the source.
        var firstFrame: Int64
        /// The frames of the output from `firstFrame` to the end of the run, counted from time 0 of
        /// the composition.
        var targetFrames: Range<Int64>
        /// The position after the last decoded frame; nil at the beginning.
        var next: Int64?
        /// The stretcher of a run that keeps its pitch at another speed.
        var stretcher: RunStretcher?
    }

    /// A buffer whose time differs by less than 1/50 s from the end of the previous one continues
    /// it, because containers round times to milliseconds.
    private static let toleranceDivisor = 50
    /// The rates to which a source can be resampled.
    private static let sourceRates = 1000...1_536_000

    init(trackID: Int, sources: SourcePool, format: AudioFormat, keepsPitch: Bool) {
        self.trackID = trackID
        self.keepsPitch = keepsPitch
        self.sources = sources
        self.format = format
    }

    func send(_ packet: MediaPacket?) throws(MediaError) {
        guard let packet, let payload = packet.payload as? CompositionPayload else {
            try finishRun()
            return
        }
        if playing?.pass != payload.pass {
            try finishRun()
            playing = try start(payload.run, pass: payload.pass)
        }
        guard let decoder = playing?.decoder else { return }
        var failure: MediaError?
        for packet in payload.packets {
            do {
                try decoder.send(packet)
            } catch {
                guard error.code == .decodingFailed else { throw error }
                failure = error
            }
            try collect(from: decoder, &failure)
        }
        if payload.isLast { try finishRun() }
        if let failure { throw failure }
    }

    func receive() throws(MediaError) -> AudioBuffer? { output.takeFirst() }

    func flush() {
        output.removeAll()
        playing = nil
    }

    // MARK: - Runs

    private func start(_ run: CompositionRun, pass: Int) throws(MediaError) -> Playing {
        let rate = Int32(clamping: format.sampleRate)
        var sourceRate = format.sampleRate
        let stretcher = stretcher(of: run)
        if run.isScaled, stretcher == nil {
            let (source, target) = (run.sourceRange.duration, run.targetRange.duration)
            // This is rounded up. Frames in excess are cut, but too few would leave a gap.
            let exact = MediaTime(value: Int64(rate), timescale: 1)
                .mapped(
                    from: MediaTimeRange(start: .zero, duration: source),
                    to: MediaTimeRange(start: .zero, duration: target)
                ).converted(toTimescale: 1, method: .roundTowardPositiveInfinity)
            sourceRate = exact.isNumeric ? Int(exact.value) : 0
            guard Self.sourceRates.contains(sourceRate) else {
                throw MediaError(
                    .limitExceeded, subject: run.source.subject,
                    cause: "its audio cannot be played at \(source.seconds / target.seconds) times "
                        + "its speed",
                    remedy: "scale the audio less, or remove it where the video is scaled")
            }
        }
        var sourceFormat = format
        sourceFormat.sampleRate = sourceRate
        let decoders =
            decoders[sourceRate]
            ?? SourceDecoders(sources: sources, user: trackID) {
                [sourceFormat] (demuxer, track) throws(MediaError) in
                try demuxer.makeAudioDecoder(for: track, format: sourceFormat)
            }
        // Other speeds are rare, so only the decoders for the speed of this run are kept in
        // addition to those for the natural speed.
        self.decoders = self.decoders.filter { $0.key == format.sampleRate }
        self.decoders[sourceRate] = decoders
        let decoder = try decoders.decoder(for: run.source)
        decoder.flush()
        return Playing(
            run: run, pass: pass, decoder: decoder, sourceRate: sourceRate,
            firstFrame: Self.frame(run.sourceRange.start, Int32(clamping: sourceRate)),
            targetFrames: Self.frames(run.targetRange, rate), next: nil, stretcher: stretcher)
    }

    /// Returns a stretcher for a run that keeps its pitch at another speed; nil for other runs.
    private func stretcher(of run: CompositionRun) -> RunStretcher? {
        let speed = run.sourceRange.duration.seconds / run.targetRange.duration.seconds
        guard run.isScaled, keepsPitch, RunStretcher.keepsPitch(at: speed) else { return nil }
        let rate = Int32(clamping: format.sampleRate)
        return RunStretcher(
            source: Self.frames(run.sourceRange, rate),
            count: Int64(Self.frames(run.targetRange, rate).count), speed: speed,
            sampleRate: format.sampleRate, channelCount: format.channelCount)
    }

    private static func frames(_ range: MediaTimeRange, _ rate: Int32) -> Range<Int64> {
        frame(range.start, rate)..<frame(range.end, rate)
    }

    private static func frame(_ time: MediaTime, _ rate: Int32) -> Int64 {
        time.converted(toTimescale: rate).value
    }

    private func finishRun() throws(MediaError) {
        guard let decoder = playing?.decoder else { return }
        var failure: MediaError?
        do {
            try decoder.send(nil)
        } catch {
            guard error.code == .decodingFailed else { throw error }
        }
        try collect(from: decoder, &failure)
        if let playing, let stretcher = playing.stretcher {
            stretcher.finish { emit($0, at: playing.targetFrames.lowerBound + $1, $2) }
        }
        playing = nil
    }

    // MARK: - Samples

    /// The maximum number of errors that are read from a decoder before it counts as empty.
    private static let maximumErrors = 1000

    private func collect(
        from decoder: any AudioDecoder, _ failure: inout MediaError?
    ) throws(MediaError) {
        for _ in 0..<Self.maximumErrors {
            do {
                while let buffer = try decoder.receive() { take(buffer) }
                return
            } catch {
                guard error.code == .decodingFailed else { throw error }
                failure = error
            }
        }
    }

    private func take(_ buffer: AudioBuffer) {
        guard var playing else { return }
        var frame = playing.next ?? playing.firstFrame
        if buffer.presentationTime.isNumeric {
            let stated = Self.frame(
                buffer.presentationTime, Int32(clamping: playing.sourceRate))
            let tolerance = playing.sourceRate / Self.toleranceDivisor
            if playing.next == nil || (stated - frame).magnitude > UInt64(tolerance) {
                frame = stated
            }
        }
        playing.next = frame + Int64(buffer.frameCount)
        self.playing = playing
        if let stretcher = playing.stretcher {
            buffer.withSamples { samples in
                stretcher.append(samples, at: frame) {
                    emit($0, at: playing.targetFrames.lowerBound + $1, $2)
                }
            }
            return
        }
        // The frame of the composition at which the buffer's first frame is heard.
        let place = playing.targetFrames.lowerBound + (frame - playing.firstFrame)
        let wanted = playing.targetFrames.clamped(to: place..<(place + Int64(buffer.frameCount)))
        guard !wanted.isEmpty else { return }
        let step = format.channelCount
        let offset = Int(wanted.lowerBound - place) * step
        buffer.withSamples { samples in
            let samples = samples[offset..<(offset + wanted.count * step)]
            emit(wanted.count, at: wanted.lowerBound) { _ = $0.update(fromContentsOf: samples) }
        }
    }

    /// Outputs frames of the composition.
    private func emit(
        _ count: Int, at frame: Int64, _ write: (UnsafeMutableBufferPointer<Float>) -> Void
    ) {
        output.append(
            AudioBuffer(
                format: format,
                presentationTime: MediaTime(
                    value: frame, timescale: Int32(clamping: format.sampleRate)),
                frameCount: count
            ) { write($0) })
    }
}
