// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// Decodes an audio track of a composition: hands each packet to the decoder of its source, cuts
/// the samples to the run, and gives them the composition's times.
///
/// A joint lies at the sample nearest to its time: at index `round(time * rate)`, counted from 0 of
/// the composition, so that roundings do not add up. A run that is played faster or slower is
/// resampled, which changes its pitch.
///
/// - Concurrency: one thread at a time.
final class CompositionAudioDecoder: AudioDecoder, @unchecked Sendable {
    // Unchecked: used by one thread at a time, as the protocol demands.

    let format: AudioFormat
    private let sources: SourcePool
    private let trackID: Int
    /// Decoders by the rate that they deliver.
    private var decoders: [Int: SourceDecoders<any AudioDecoder>] = [:]
    private var playing: Playing?
    private var output = DecodedOutput<AudioBuffer>()

    /// A run that is decoded, in sample frames.
    private struct Playing {
        var run: CompositionRun
        var pass: Int
        var decoder: any AudioDecoder
        /// The rate at which the source is decoded: that of the output times the speed.
        var sourceRate: Int
        /// The frame of the source that is heard first, counted from its time 0.
        var firstFrame: Int64
        /// The frames of the output from `firstFrame` to the end of the run, counted from time 0 of
        /// the composition.
        var targetFrames: Range<Int64>
        /// The frame after the last that was decoded; nil at the beginning.
        var next: Int64?
    }

    /// Buffers whose time is off by less than 1/50 s continue the one before: containers round
    /// times to milliseconds.
    private static let toleranceDivisor = 50
    /// The rates that a source is resampled to.
    private static let sourceRates = 1000...1_536_000

    init(trackID: Int, sources: SourcePool, format: AudioFormat) {
        self.trackID = trackID
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
        if run.isScaled {
            let (source, target) = (run.sourceRange.duration, run.targetRange.duration)
            // Rounded up: more frames than needed are cut, fewer would leave a gap.
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
        // Other speeds are rare: only those of this run are kept beside the natural one.
        self.decoders = self.decoders.filter { $0.key == format.sampleRate }
        self.decoders[sourceRate] = decoders
        let decoder = try decoders.decoder(for: run.source)
        decoder.flush()
        return Playing(
            run: run, pass: pass, decoder: decoder, sourceRate: sourceRate,
            firstFrame: Self.frame(run.sourceRange.start, Int32(clamping: sourceRate)),
            targetFrames: Self.frame(
                run.targetRange.start, rate)..<Self.frame(run.targetRange.end, rate),
            next: nil)
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
        playing = nil
    }

    // MARK: - Samples

    /// The most errors that are taken from a decoder before it counts as empty.
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
        // The composition's frame at which the buffer's first one is heard.
        let place = playing.targetFrames.lowerBound + (frame - playing.firstFrame)
        let wanted = playing.targetFrames.clamped(to: place..<(place + Int64(buffer.frameCount)))
        guard !wanted.isEmpty else { return }
        let step = format.channelCount
        let offset = Int(wanted.lowerBound - place) * step
        output.append(
            AudioBuffer(
                format: format,
                presentationTime: MediaTime(
                    value: wanted.lowerBound, timescale: Int32(clamping: format.sampleRate)),
                frameCount: wanted.count
            ) { target in
                buffer.withSamples { samples in
                    _ = target.update(
                        fromContentsOf: samples[offset..<(offset + wanted.count * step)])
                }
            })
    }
}
