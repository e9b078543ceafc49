// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// The work of the thread that encodes an audio input. It places samples in the session and encodes
/// them.
///
/// Positions are counted in samples from the start of the session, so that rounded times do not add
/// or drop samples. Silence fills gaps.
///
/// - Concurrency: one thread.
struct AudioEncodingRun: ~Copyable {
    private let encoder: any AudioSampleEncoder
    private let core: WriterCore
    private let lane: Int
    private let settings: AudioOutputSettings
    /// The number of sample frames encoded so far.
    private var position: Int64 = 0

    init(
        _ encoder: any AudioSampleEncoder, _ settings: AudioOutputSettings, core: WriterCore,
        lane: Int
    ) {
        self.encoder = encoder
        self.settings = settings
        self.core = core
        self.lane = lane
    }

    consuming func run() throws(MediaWritingError) {
        while let sample = core.nextSample(of: lane) {
            guard case .audio(let buffer) = sample else { continue }
            try encode(buffer)
        }
        guard core.isActive else { return }
        core.enqueue(try encoder.encode(nil), of: lane)
    }

    private mutating func encode(_ buffer: AudioBuffer) throws(MediaWritingError) {
        let session = core.session
        let time = buffer.presentationTime
        var first = time.isNumeric ? frames(time - session.start) : position
        let tolerance = frames(WritingState.audioTolerance)
        // The time of the first buffer is used exactly, because the buffer does not continue
        // another one.
        if position > 0, abs(first - position) <= tolerance { first = position }
        let limit = session.end.isNumeric ? frames(session.end - session.start) : .max
        let end = min(first + Int64(buffer.frameCount), limit)
        guard end > position else { return }
        try encodeSilence(until: min(first, limit))
        let skipped = Int(position - first)
        let count = Int(end - position)
        let channels = settings.format.channelCount
        let result = buffer.withSamples {
            samples -> Result<[MediaPacket], MediaWritingError> in
            let part = UnsafeBufferPointer(
                rebasing: samples[(skipped * channels)..<((skipped + count) * channels)])
            do throws(MediaWritingError) {
                return .success(try encoder.encode(part))
            } catch {
                return .failure(error)
            }
        }
        position = end
        core.enqueue(try result.get(), of: lane)
        noteEncoded()
    }

    /// Encodes silence, in parts of at most a second.
    private mutating func encodeSilence(until end: Int64) throws(MediaWritingError) {
        guard end > position else { return }
        let channels = settings.format.channelCount
        let second = [Float](repeating: 0, count: settings.format.sampleRate * channels)
        while position < end, core.isActive {
            let count = min(end - position, Int64(settings.format.sampleRate))
            let result = second.withUnsafeBufferPointer {
                samples -> Result<[MediaPacket], MediaWritingError> in
                do throws(MediaWritingError) {
                    return .success(
                        try encoder.encode(
                            UnsafeBufferPointer(rebasing: samples[..<(Int(count) * channels)])))
                } catch {
                    return .failure(error)
                }
            }
            position += count
            core.enqueue(try result.get(), of: lane)
            noteEncoded()
        }
    }

    private func noteEncoded() {
        core.noteEncoded(
            MediaTime(value: position, timescale: Int32(clamping: settings.format.sampleRate)),
            of: lane)
    }

    private func frames(_ time: MediaTime) -> Int64 {
        time.converted(toTimescale: Int32(clamping: settings.format.sampleRate)).value
    }
}
