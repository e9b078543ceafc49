// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime
import Synchronization

/// A tap that provides the waveform and the spectrum at a given time to any thread.
///
/// The tap stores the last second of audio, addressed by item time, and does not change it. Pass
/// the item's current time for the audio that is heard now, or the time of a frame for the audio
/// that belongs to the frame. The audio callback only stores samples; the thread that requests a
/// spectrum computes it.
///
///     let analyzer = AudioAnalyzerTap()
///     parameters.taps = [analyzer]
///     var spectrum = [Float](repeating: 0, count: 256)
///     spectrum.withUnsafeMutableBufferPointer {
///         _ = analyzer.copySpectrum(into: $0, channel: nil, at: item.currentTime)
///     }
///
/// - Concurrency: any thread may request data. Requests are served one at a time.
/// - Corresponds to: an `MTAudioProcessingTap` with `vDSP`, or `AVAudioNode.installTap`.
public final class AudioAnalyzerTap: AudioProcessingTap, AudioPictureSource, @unchecked Sendable {
    // Unchecked: `writing` is set while no audio is processed; everything else is locked.

    private struct Analysis: ~Copyable {
        let transform = FourierTransform(size: spectrumFrames)
        let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: spectrumFrames)
        let amplitudes = UnsafeMutableBufferPointer<Float>.allocate(capacity: spectrumFrames / 2)

        deinit {
            samples.deallocate()
            amplitudes.deallocate()
        }
    }

    /// The number of frames of a spectrum: 43 ms at 48 kHz, with bins of 23 Hz.
    public static let spectrumFrames = 2048

    /// The value of `history`, which the audio callback reads without reference counting.
    private var writing: Unmanaged<AudioSampleHistory>?
    private let history = Mutex<AudioSampleHistory?>(nil)
    private let analysis = Mutex(Analysis())

    /// Creates a tap.
    public override init() {}

    /// Allocates the storage for a format.
    public override func prepare(maxFrames: Int, format: AudioFormat) {
        let new = AudioSampleHistory(
            sampleRate: format.sampleRate, channelCount: format.channelCount, seconds: 1 + lead)
        writing = Unmanaged.passUnretained(new)
        history.withLock { $0 = new }
    }

    /// Pulls the source audio and stores it.
    public override func process(_ block: inout AudioTapBlock) {
        let source = block.pull()
        let samples = block.samples
        writing?._withUnsafeGuaranteedRef {
            $0.append(
                samples, frameCount: source.frameCount, timeRange: source.timeRange,
                isReversed: source.isReversed)
        }
    }

    /// Stores decoded audio that is not played, for offline rendering. Calls must be in the order
    /// of item time. The last second is kept.
    ///
    /// - Parameter itemTime: The item time of the first frame.
    /// - Precondition: the tap does not belong to a mix.
    /// - Concurrency: one thread at a time.
    package func append(_ buffer: AudioBuffer, at itemTime: MediaTime) {
        let (rate, channels) = (buffer.format.sampleRate, buffer.format.channelCount)
        let history = history.withLock { history in
            if let history, history.sampleRate == rate, history.channelCount == channels {
                return history
            }
            let new = AudioSampleHistory(sampleRate: rate, channelCount: channels)
            history = new
            return new
        }
        buffer.withSamples { samples in
            // The buffer is appended in parts that are no longer than the storage.
            for first in stride(from: 0, to: buffer.frameCount, by: max(1, rate / 4)) {
                let count = min(buffer.frameCount - first, max(1, rate / 4))
                let part = samples[(first * channels)..<((first + count) * channels)]
                let start = itemTime + MediaTime(value: Int64(first), timescale: Int32(rate))
                history.append(
                    UnsafeMutableBufferPointer(
                        mutating: UnsafeBufferPointer(rebasing: part)),
                    frameCount: count,
                    timeRange: MediaTimeRange(
                        start: start,
                        duration: MediaTime(value: Int64(count), timescale: Int32(rate))))
            }
        }
    }

    /// The sample rate, in frames per second; 0 before playback.
    public var sampleRate: Int { history.withLock { $0?.sampleRate ?? 0 } }

    /// The number of channels; 0 before playback.
    public var channelCount: Int { history.withLock { $0?.channelCount ?? 0 } }

    /// Copies the samples around an item time; see `AudioPictureSource`.
    public func copyWaveform(
        into samples: UnsafeMutableBufferPointer<Float>, channel: Int?, at itemTime: MediaTime
    ) -> Bool {
        copy(into: samples, channel: channel, at: itemTime)
    }

    /// Copies the spectrum around an item time; see `AudioPictureSource`.
    public func copySpectrum(
        into bins: UnsafeMutableBufferPointer<Float>, channel: Int?, at itemTime: MediaTime
    ) -> Bool {
        analysis.withLock { analysis in
            guard copy(into: analysis.samples, channel: channel, at: itemTime) else { return false }
            analysis.transform.amplitudes(
                of: UnsafeBufferPointer(analysis.samples), into: analysis.amplitudes)
            let count = Self.spectrumFrames / 2
            for bin in bins.indices {
                // A bin shows the largest amplitude among its frequencies.
                let first = bin * count / bins.count
                let last = max(first + 1, (bin + 1) * count / bins.count)
                var loudest: Float = 0
                for index in first..<last { loudest = max(loudest, analysis.amplitudes[index]) }
                bins[bin] = loudest
            }
            return true
        }
    }

    /// Copies samples around a time, with that time in the middle of the copy.
    private func copy(
        into samples: UnsafeMutableBufferPointer<Float>, channel: Int?, at itemTime: MediaTime
    ) -> Bool {
        guard let history = history.withLock({ $0 }), let time = itemTime.nanoseconds,
            channel.map({ (0..<history.channelCount).contains($0) }) != false
        else { return false }
        return history.copy(into: samples, channel: channel, at: time, lead: samples.count / 2)
    }
}
