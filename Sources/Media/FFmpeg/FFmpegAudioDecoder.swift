// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// An audio decoder based on libavcodec and libswresample.
///
/// Times are exact to the sample: within a run of audio, they are counted from the first sample of
/// the run. `AudioPlacement` decides where a run begins; a change of the format also begins a run.
/// libavcodec removes the priming and padding that the container declares, with two exceptions,
/// which are removed here: padding in the last packet beyond an edit list, and priming that is
/// repeated after a seek to the beginning.
///
/// - Concurrency: one thread at a time, as `AudioDecoder` requires.
/// - Corresponds to: `AVCodecContext`, `SwrContext`.
final class FFmpegAudioDecoder: AudioDecoder, @unchecked Sendable {
    // Unchecked: only one thread at a time, as the protocol requires, accesses mutable state.

    let format: AudioFormat
    private var parameters: StreamParameters
    private var codec: CodecContext
    /// A Boolean value that indicates whether the decoder has received packets.
    private var isUsed = false
    /// A Boolean value that indicates whether the decoder uses a header other than the track's
    /// header.
    private var hasNewHeader = false
    /// The end of the track's edit list.
    private let end: MediaTime
    /// The decoded buffers that have not been returned yet.
    private var ready: [AudioBuffer] = []
    private var resampler: Resampler?
    /// The start of the run of audio, and the number of its frames that were returned.
    private var run = Run()
    /// Decoded frames that have not been placed yet. They match the held frames of `placement`.
    private var held: [FrameBox] = []
    /// The format of the latest decoded frame.
    private var input: Resampler.InputFormat?
    /// The placer of frames; nil until the first frame after a flush.
    private var placement: AudioPlacement?
    /// The beginning of the track; nil if unknown.
    private var trackStart: TrackStart?
    /// A Boolean value that indicates whether no packet has arrived since the last flush.
    private var isFlushed = true
    /// A Boolean value that indicates whether decoding began in the middle of the track.
    private var beganInside = false
    /// The time before which there is only priming; nil if there is no priming.
    private var audibleStart: MediaTime?

    private struct Run {
        var start = MediaTime.invalid
        var framesOut: Int64 = 0
    }

    /// The largest error that counts as rounding if the stream's unit of time is coarse. It is
    /// about a tenth of the smallest lip-sync error that viewers notice (45 ms, ITU-R BT.1359), and
    /// shorter than any audio frame that could be missing.
    private static let largestRounding = MediaTime(value: 4, timescale: 1000)

    init(_ parameters: StreamParameters, format: AudioFormat) throws(MediaError) {
        // A track without a format of its own cannot be decoded.
        guard format.sampleRate > 0, format.channelCount > 0 else {
            throw MediaError(
                .unsupportedCodec, subject: parameters.subject,
                cause: "\(format.channelCount) channels of \(format.sampleRate) Hz are unsupported",
                remedy: "request another format, such as stereo at 48000 Hz")
        }
        self.parameters = parameters
        self.format = format
        end = Self.editEnd(parameters.track)
        if let rate = parameters.track.formatDescription.audio?.sampleRate, rate != 0 {
            try Self.requireUsable(rate, parameters)
        }
        codec = try Self.open(parameters)
    }

    private static func open(_ parameters: StreamParameters) throws(MediaError) -> CodecContext {
        try CodecContext(parameters) { context in
            // Decoding audio costs little, and frame threads would add delay.
            context.pointee.thread_count = 1
            // AC-3 fills bands that have no bits with noise. The seed is taken from the packet, not
            // from earlier decoding, so that the same position sounds the same after every seek.
            if [AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3].contains(context.pointee.codec_id) {
                av_opt_set(context, "cons_noisegen", "1", AV_OPT_SEARCH_CHILDREN)
            }
        }
    }

    /// Returns the end of the edit list. It is infinite if there is no edit list, if an edit
    /// changes the speed, or if the last edit has a duration of 0.
    private static func editEnd(_ track: AssetTrack) -> MediaTime {
        let mappings = track.segments.map(\.timeMapping)
        let isPlayed = mappings.allSatisfy {
            $0.isEmpty || $0.source.duration == $0.target.duration
        }
        // In a fragmented file, a duration of 0 means the whole media.
        guard isPlayed, let last = mappings.last?.target, last.duration > .zero else {
            return .positiveInfinity
        }
        // The list uses the movie's unit of time; the track's own duration is exact.
        let own = track.timeRange.end
        let unit = MediaTime(value: 1, timescale: last.end.timescale)
        return own.isNumeric && (own - last.end).magnitude <= unit ? own : last.end
    }

    /// The accepted sample rates. Below the minimum, resampling turns each sample of a packet into
    /// thousands of samples. The maximum is FFmpeg's; `MediaLimits` has a lower one.
    private static let sampleRates = 1000...Int(Int32.max)

    private static func requireUsable(
        _ sampleRate: Int, _ parameters: StreamParameters
    ) throws(MediaError) {
        guard !sampleRates.contains(sampleRate) else { return }
        throw MediaError(
            .unsupportedCodec, subject: parameters.subject,
            cause: "track \(parameters.track.id) has a sample rate of \(sampleRate) Hz; "
                + "the minimum is \(sampleRates.lowerBound) Hz",
            remedy: "convert its audio, or play without this track")
    }

    func send(_ packet: MediaPacket?) throws(MediaError) {
        if let next = parameters.replacement(in: packet) { try replaceCodec(by: next) }
        if isFlushed, let packet { try begin(with: packet) }
        hasNewHeader = hasNewHeader || Self.bringsHeader(packet)
        var result = codec.send(packet)
        while result == .again {
            guard try decodeOne() else { break }
            result = codec.send(packet)
        }
        guard result.rawValue >= 0 || result == .endOfFile else { throw codec.failure(result) }
    }

    /// Continues with another codec, after all samples of the current one.
    private func replaceCodec(by next: StreamParameters) throws(MediaError) {
        // Damaged data at the end of the stream does not concern the next one.
        if !isFlushed, codec.send(nil).rawValue >= 0 { while (try? decodeOne()) == true {} }
        codec = try Self.open(next)
        parameters = next
        (held, resampler, run) = ([], nil, Run())
        (input, placement) = (nil, nil)
        (isFlushed, hasNewHeader, isUsed) = (true, false, false)
    }

    func receive() throws(MediaError) -> AudioBuffer? {
        while ready.isEmpty, try decodeOne() {}
        return ready.isEmpty ? nil : ready.removeFirst()
    }

    func flush() {
        codec.flush()
        ready.removeAll()
        held.removeAll()
        resampler = nil
        run = Run()
        input = nil
        placement = nil
        isFlushed = true
    }

    /// Returns whether a packet contains the header of another variant of a stream.
    private static func bringsHeader(_ packet: MediaPacket?) -> Bool {
        guard let box = packet?.payload as? PacketBox else { return false }
        return av_packet_get_side_data(box.pointer, AV_PKT_DATA_NEW_EXTRADATA, nil) != nil
    }

    /// Determines from the first packet after a flush where decoding begins.
    private func begin(with packet: MediaPacket) throws(MediaError) {
        isFlushed = false
        trackStart = (packet.payload as? PacketBox)?.trackStart
        beganInside = trackStart.map { $0.time != packet.presentationTime } ?? false
        // Flushing some decoders does not reset their windows, overlaps, and information about
        // priming. Only a new decoder begins in the same state as the first one.
        if trackStart != nil, !beganInside, isUsed, !hasNewHeader {
            codec = try Self.open(parameters)
        }
        isUsed = true
        let rate = parameters.codec.pointer.pointee.sample_rate
        audibleStart = trackStart.flatMap { start in
            guard start.skippedSamples > 0, rate > 0 else { return nil }
            return firstPosition(of: start)
                + MediaTime(value: Int64(start.skippedSamples), timescale: rate)
        }
    }

    /// Decodes and converts one frame. Returns false if the decoder needs more packets or has
    /// ended.
    private func decodeOne() throws(MediaError) -> Bool {
        guard let box = FrameBox() else { throw codec.failure(.outOfMemory) }
        let result = codec.receive(into: box)
        if result == .again { return false }
        if result == .endOfFile {
            try placeRest()
            endRun()
            return false
        }
        guard result.rawValue >= 0 else { throw codec.failure(result) }
        let frame = box.pointer
        guard frame.pointee.nb_samples > 0, frame.pointee.sample_rate > 0 else { return true }
        try Self.requireUsable(Int(frame.pointee.sample_rate), parameters)
        let format = Resampler.InputFormat(frame.pointee)
        if let input, input != format {
            try placeRest()
            place(.firstStamp(fallback: placement?.end ?? .invalid), at: format.sampleRate)
        }
        input = format
        if placement == nil {
            let fallback = parameters.startTime
            place(
                beganInside ? .median(fallback: fallback) : .firstStamp(fallback: fallback),
                at: format.sampleRate)
        }
        held.append(box)
        let steps = placement?.add(
            stamp: statedTime(of: frame), count: Int(frame.pointee.nb_samples))
        try perform(steps ?? [])
        return true
    }

    /// Begins to place frames. Called for the first frame, and for a frame with another format.
    private func place(_ beginning: AudioPlacement.Beginning, at sampleRate: Int32) {
        placement = AudioPlacement(
            sampleRate: sampleRate, beginning: beginning, grid: grid(at: sampleRate))
    }

    private func placeRest() throws(MediaError) { try perform(placement?.finish() ?? []) }

    private func perform(_ steps: [AudioPlacement.Step]) throws(MediaError) {
        for step in steps {
            switch step {
            case .begin(let time):
                endRun()
                run.start = time.isNumeric ? time : parameters.startTime
            case .take(let count):
                let frames = held.prefix(count)
                held.removeFirst(frames.count)
                for frame in frames { try convert(frame.pointer) }
            }
        }
    }

    private func convert(_ frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) {
        if resampler == nil { resampler = Resampler(from: frame, to: format) }
        guard let resampler else {
            throw MediaError(
                .unsupportedCodec, subject: parameters.subject,
                cause: "track \(parameters.track.id) cannot be mixed to "
                    + "\(format.channelCount)-channel audio",
                remedy: "convert its audio to stereo")
        }
        guard resampler.convert(frame, body: { deliver($0) }) != nil else {
            throw codec.failure(.invalidData)
        }
    }

    // MARK: - Time

    private func statedTime(of frame: UnsafeMutablePointer<AVFrame>) -> MediaTime {
        var time = MediaTime(frame.pointee.pts, timeBase: parameters.timeBase)
        if !time.isNumeric {
            time = MediaTime(
                frame.pointee.best_effort_timestamp, timeBase: parameters.timeBase)
        }
        return time - parameters.timestampOffset
    }

    /// Returns the grid on which frames lie, for a stream whose unit of time cannot express
    /// samples.
    private func grid(at sampleRate: Int32) -> AudioPlacement.Grid? {
        let base = parameters.timeBase
        guard let trackStart, base.num > 0,
            Int64(base.den) % (Int64(sampleRate) * Int64(base.num)) != 0
        else { return nil }
        let unit = min(MediaTime(1, timeBase: base), Self.largestRounding)
        let sample = MediaTime(value: 1, timescale: sampleRate)
        let half = MediaTime(value: unit.value, timescale: unit.timescale)
            .multiplied(by: 1, over: 2)
        return AudioPlacement.Grid(
            origin: firstPosition(of: trackStart), step: frameUnit(at: sampleRate),
            rounding: max(unit + half, sample + sample))
    }

    /// Returns the time of the track's first sample. Containers with coarse timestamps round this
    /// time. For Opus, the exact time is computed from the number of priming samples, which end at
    /// time 0.
    private func firstPosition(of start: TrackStart) -> MediaTime {
        let codec = parameters.codec.pointer.pointee
        guard codec.codec_id == AV_CODEC_ID_OPUS, codec.sample_rate > 0 else { return start.time }
        let exact = MediaTime(
            value: -Int64(start.skippedSamples), timescale: codec.sample_rate)
        let unit = min(MediaTime(1, timeBase: parameters.timeBase), Self.largestRounding)
        return (exact - start.time).magnitude <= unit ? exact : start.time
    }

    /// Returns a number of samples that divides the length of every frame; nil if all frames have
    /// equal lengths.
    private func frameUnit(at sampleRate: Int32) -> Int? {
        let codec = parameters.codec.pointer.pointee
        switch codec.codec_id {
        // The unit is 2.5 ms (RFC 6716, 2.1.4).
        case AV_CODEC_ID_OPUS: return Int(sampleRate) / 400
        case AV_CODEC_ID_VORBIS: return Self.vorbisUnit(codec)
        default: return nil
        }
    }

    /// Returns a quarter of the length of the short block, because blocks overlap by half of their
    /// own length or of their neighbour's length. The identification header contains the exponents
    /// of both lengths (Vorbis I, 4.2.2).
    private static func vorbisUnit(_ codec: AVCodecParameters) -> Int? {
        guard let data = codec.extradata, codec.extradata_size > 0 else { return nil }
        let bytes = UnsafeBufferPointer(start: data, count: Int(codec.extradata_size))
        let name: [UInt8] = [1] + Array("vorbis".utf8)
        guard let place = bytes.indices.first(where: { bytes[$0...].starts(with: name) }),
            place + 28 < bytes.count
        else { return nil }
        return max(1, 1 << Int(bytes[place + 28] & 15) / 4)
    }

    /// Outputs the samples that remain in the resampler, and ends the run. Called before the format
    /// changes, or before the stream ends.
    private func endRun() {
        _ = resampler?.drain { deliver($0) }
        resampler = nil
        run = Run()
    }

    private func deliver(_ samples: UnsafeBufferPointer<Float>) {
        let count = samples.count / format.channelCount
        guard count > 0 else { return }
        let time =
            run.start
            + MediaTime(value: run.framesOut, timescale: Int32(clamping: format.sampleRate))
        run.framesOut += Int64(count)
        let skipped = skippedCount(of: count, from: time)
        let kept = keptCount(of: count, from: time) - skipped
        guard kept > 0 else { return }
        let channels = format.channelCount
        let part = UnsafeBufferPointer(
            rebasing: samples[(skipped * channels)..<((skipped + kept) * channels)])
        let rate = Int32(clamping: format.sampleRate)
        ready.append(
            AudioBuffer(
                format: format,
                presentationTime: time + MediaTime(value: Int64(skipped), timescale: rate),
                frameCount: kept
            ) { target in
                _ = target.update(fromContentsOf: part)
            })
    }

    /// Returns the number of frames that consist of priming.
    private func skippedCount(of count: Int, from time: MediaTime) -> Int {
        guard let audibleStart, time.isNumeric, time < audibleStart else { return 0 }
        let priming = (audibleStart - time).converted(
            toTimescale: Int32(clamping: format.sampleRate))
        return min(max(0, Int(priming.value)), count)
    }

    /// Returns the number of frames that belong to the track. The edit list is rounded to the
    /// movie's time scale, so audio may extend beyond its end by less than one unit.
    private func keptCount(of count: Int, from time: MediaTime) -> Int {
        guard end.isNumeric, time.isNumeric else { return count }
        let rate = Int32(clamping: format.sampleRate)
        let excess = time + MediaTime(value: Int64(count), timescale: rate) - end
        guard excess > MediaTime(value: 1, timescale: end.timescale) else { return count }
        let room = (end - time).converted(toTimescale: rate, method: .roundTowardPositiveInfinity)
        return min(max(0, Int(room.value)), count)
    }
}
