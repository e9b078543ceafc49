// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// An audio decoder over libavcodec and libswresample.
///
/// Times are exact to the sample. Containers round them, some to a millisecond, so within a run of
/// sound they are counted from its first sample instead; a run ends where the container's time
/// differs from the count by more than such rounding, at a seek, and where the sound changes form.
/// Priming and padding that the container declares are left out by libavcodec, except what fills
/// the last packet beyond an edit list: that is left out here.
///
/// - Concurrency: one thread at a time, as `AudioDecoder` says.
/// - Corresponds to: `AVCodecContext`, `SwrContext`.
final class FFmpegAudioDecoder: AudioDecoder, @unchecked Sendable {
    // Unchecked: mutable state is touched by the one thread that the protocol allows at a time.

    let format: AudioFormat
    private let parameters: StreamParameters
    private let codec: CodecContext
    /// Where the track's edit list ends.
    private let end: MediaTime
    /// Decoded and waiting to be taken.
    private var ready: [AudioBuffer] = []
    private var resampler: Resampler?
    /// Where the run of sound began, and how much of it has gone in and come out, in sample frames
    /// of either side.
    private var run = Run()

    private struct Run {
        var start = MediaTime.invalid
        var framesIn: Int64 = 0
        var framesOut: Int64 = 0
    }

    /// The largest difference between stated and counted time that passes for rounding, where the
    /// stream's unit of time is coarse: a tenth of what is noticed as lip sync (ITU-R BT.1359, 45
    /// ms) and less than any frame of sound that could be missing.
    private static let largestRounding = MediaTime(value: 4, timescale: 1000)

    init(_ parameters: StreamParameters, format: AudioFormat) throws(MediaError) {
        // Of a track that says nothing of its own, it is nothing that one could know.
        guard format.sampleRate > 0, format.channelCount > 0 else {
            throw MediaError(
                .unsupportedCodec, subject: parameters.subject,
                cause: "\(format.channelCount) channels of \(format.sampleRate) Hz are unsupported",
                remedy: "request a rate and channels such as stereo at 48,000 Hz")
        }
        self.parameters = parameters
        self.format = format
        end = Self.editEnd(parameters.track)
        if let rate = parameters.track.formatDescription.audio?.sampleRate, rate != 0 {
            try Self.requireUsable(rate, parameters)
        }
        // One thread: sound costs little, and frame threads would delay it.
        codec = try CodecContext(parameters) { $0.pointee.thread_count = 1 }
    }

    /// Infinite where there is no edit list, or one that is not played as it says.
    private static func editEnd(_ track: AssetTrack) -> MediaTime {
        let mappings = track.segments.map(\.timeMapping)
        let isPlayed = mappings.allSatisfy {
            $0.isEmpty || $0.source.duration == $0.target.duration
        }
        // In a film of fragments a duration of nothing means all there is.
        guard isPlayed, let last = mappings.last?.target, last.duration > .zero else {
            return .positiveInfinity
        }
        return last.end
    }

    /// Slower is no sound, and every sample of a packet would become thousands; the other end is
    /// that of what FFmpeg counts, for `MediaLimits` has a lower one.
    private static let sampleRates = 1000...Int(Int32.max)

    private static func requireUsable(
        _ sampleRate: Int, _ parameters: StreamParameters
    ) throws(MediaError) {
        guard !sampleRates.contains(sampleRate) else { return }
        throw MediaError(
            .unsupportedCodec, subject: parameters.subject,
            cause: "track \(parameters.track.id) has a sample rate of \(sampleRate) Hz; "
                + "the minimum is \(sampleRates.lowerBound) Hz",
            remedy: "convert its audio, or play without it")
    }

    func send(_ packet: MediaPacket?) throws(MediaError) {
        var result = codec.send(packet)
        while result == .again {
            guard try decodeOne() else { break }
            result = codec.send(packet)
        }
        guard result.rawValue >= 0 || result == .endOfFile else { throw codec.failure(result) }
    }

    func receive() throws(MediaError) -> AudioBuffer? {
        while ready.isEmpty, try decodeOne() {}
        return ready.isEmpty ? nil : ready.removeFirst()
    }

    func flush() {
        codec.flush()
        ready.removeAll()
        resampler = nil
        run = Run()
    }

    /// Decodes and converts one frame; false when the decoder needs more packets or has ended.
    private func decodeOne() throws(MediaError) -> Bool {
        guard let box = FrameBox() else { throw codec.failure(.outOfMemory) }
        let result = codec.receive(into: box)
        if result == .again { return false }
        if result == .endOfFile {
            endRun()
            return false
        }
        guard result.rawValue >= 0 else { throw codec.failure(result) }
        let frame = box.pointer
        guard frame.pointee.nb_samples > 0, frame.pointee.sample_rate > 0 else { return true }
        try Self.requireUsable(Int(frame.pointee.sample_rate), parameters)

        let stated = statedTime(of: frame)
        if let resampler, resampler.input == Resampler.InputFormat(frame.pointee),
            continuesRun(stated, inputRate: frame.pointee.sample_rate)
        {
            // The run goes on.
        } else {
            let following = countedTime(inputRate: resampler?.input.sampleRate)
            endRun()
            guard let resampler = Resampler(from: frame, to: format) else {
                throw MediaError(
                    .unsupportedCodec, subject: parameters.subject,
                    cause: "the channels of track \(parameters.track.id) cannot be mixed to "
                        + "\(format.channelCount)",
                    remedy: "convert its audio to stereo")
            }
            self.resampler = resampler
            run.start =
                stated.isNumeric
                ? stated : (following.isNumeric ? following : parameters.startTime)
        }
        let frames = Int64(frame.pointee.nb_samples)
        guard resampler?.convert(frame, body: { deliver($0) }) != nil else {
            throw codec.failure(.invalidData)
        }
        run.framesIn += frames
        return true
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

    /// When the next frame of sound that goes in is heard, counted.
    private func countedTime(inputRate: Int32?) -> MediaTime {
        guard let inputRate, run.start.isNumeric else { return .invalid }
        return run.start + MediaTime(value: run.framesIn, timescale: inputRate)
    }

    private func continuesRun(_ stated: MediaTime, inputRate: Int32) -> Bool {
        guard stated.isNumeric else { return true }
        let difference = (stated - countedTime(inputRate: inputRate)).magnitude
        let unit = MediaTime(1, timeBase: parameters.timeBase)
        let sample = MediaTime(value: 1, timescale: inputRate)
        let rounding = max(min(unit, Self.largestRounding), sample)
        return difference <= rounding + rounding
    }

    /// Takes the rest out of the resampler, before the sound changes or ends.
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
        let kept = keptCount(of: count, from: time)
        guard kept > 0 else { return }
        let part = UnsafeBufferPointer(rebasing: samples.prefix(kept * format.channelCount))
        ready.append(
            AudioBuffer(format: format, presentationTime: time, frameCount: kept) { target in
                _ = target.update(fromContentsOf: part)
            })
    }

    /// How many frames belong to the track. Its edit list is rounded to the movie's unit of time,
    /// so less than that beyond its end may be sound.
    private func keptCount(of count: Int, from time: MediaTime) -> Int {
        guard end.isNumeric, time.isNumeric else { return count }
        let rate = Int32(clamping: format.sampleRate)
        let excess = time + MediaTime(value: Int64(count), timescale: rate) - end
        guard excess > MediaTime(value: 1, timescale: end.timescale) else { return count }
        let room = (end - time).converted(toTimescale: rate, method: .roundTowardPositiveInfinity)
        return min(max(0, Int(room.value)), count)
    }
}
