// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime
import Synchronization

/// Lets any thread look at the sound of a moment: its waveform and its spectrum.
///
/// The tap keeps the sound of the last second that was heard by item time, and changes nothing. What is heard now
/// is asked for by the item's time; what goes with a picture, by the picture's. The sound callback
/// only stores samples: the spectrum is worked out by who asks for it.
///
///     let analyzer = AudioAnalyzerTap()
///     parameters.taps = [analyzer]
///     var spectrum = [Float](repeating: 0, count: 256)
///     spectrum.withUnsafeMutableBufferPointer {
///         _ = analyzer.copySpectrum(into: $0, channel: nil, at: item.currentTime)
///     }
///
/// - Concurrency: any thread asks; one at a time is answered.
/// - Corresponds to: an `MTAudioProcessingTap` with `vDSP`, or `AVAudioNode.installTap`.
public final class AudioAnalyzerTap: AudioProcessingTap, AudioPictureSource, @unchecked Sendable {
    // Unchecked: `writing` is set while nothing is processed; everything else is locked.

    private struct Analysis: ~Copyable {
        let transform = FourierTransform(size: spectrumFrames)
        let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: spectrumFrames)
        let amplitudes = UnsafeMutableBufferPointer<Float>.allocate(capacity: spectrumFrames / 2)

        deinit {
            samples.deallocate()
            amplitudes.deallocate()
        }
    }

    /// Frames that a spectrum is made of: at 48 kHz 43 ms, and 23 Hz from bin to bin.
    public static let spectrumFrames = 2048

    /// What `history` keeps, as the sound callback gets at it without counting references.
    private var writing: Unmanaged<AudioSampleHistory>?
    private let history = Mutex<AudioSampleHistory?>(nil)
    private let analysis = Mutex(Analysis())

    public override init() {}

    public override func prepare(maxFrames: Int, format: AudioFormat) {
        let new = AudioSampleHistory(
            sampleRate: format.sampleRate, channelCount: format.channelCount, seconds: 1 + lead)
        writing = Unmanaged.passUnretained(new)
        history.withLock { $0 = new }
    }

    public override func process(_ block: inout AudioTapBlock) {
        let source = block.pull()
        let samples = block.samples
        writing?._withUnsafeGuaranteedRef {
            $0.append(samples, frameCount: source.frameCount, timeRange: source.timeRange)
        }
    }

    /// Takes sound that is decoded and not played, for pictures that are drawn offline. Calls follow each other in
    /// item time; the last second is kept.
    ///
    /// - Parameter itemTime: of the first frame.
    /// - Precondition: the tap is in no mix.
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
            // No more at a time than is kept.
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

    /// Frames a second; 0 before the item has begun to play.
    public var sampleRate: Int { history.withLock { $0?.sampleRate ?? 0 } }

    /// How many channels the sound has; 0 before any is heard.
    public var channelCount: Int { history.withLock { $0?.channelCount ?? 0 } }

    public func copyWaveform(
        into samples: UnsafeMutableBufferPointer<Float>, channel: Int?, at itemTime: MediaTime
    ) -> Bool {
        copy(into: samples, channel: channel, at: itemTime)
    }

    public func copySpectrum(
        into bins: UnsafeMutableBufferPointer<Float>, channel: Int?, at itemTime: MediaTime
    ) -> Bool {
        analysis.withLock { analysis in
            guard copy(into: analysis.samples, channel: channel, at: itemTime) else { return false }
            analysis.transform.amplitudes(
                of: UnsafeBufferPointer(analysis.samples), into: analysis.amplitudes)
            let count = Self.spectrumFrames / 2
            for bin in bins.indices {
                // The loudest of the frequencies that the bin stands for.
                let first = bin * count / bins.count
                let last = max(first + 1, (bin + 1) * count / bins.count)
                var loudest: Float = 0
                for index in first..<last { loudest = max(loudest, analysis.amplitudes[index]) }
                bins[bin] = loudest
            }
            return true
        }
    }

    /// The time is in the middle of what is copied.
    private func copy(
        into samples: UnsafeMutableBufferPointer<Float>, channel: Int?, at itemTime: MediaTime
    ) -> Bool {
        guard let history = history.withLock({ $0 }), let time = itemTime.nanoseconds,
            channel.map({ (0..<history.channelCount).contains($0) }) != false
        else { return false }
        return history.copy(into: samples, channel: channel, at: time, lead: samples.count / 2)
    }
}
