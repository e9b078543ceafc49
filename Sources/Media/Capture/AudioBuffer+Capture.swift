// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

extension AudioBuffer {
    /// The end of the samples.
    var endTime: MediaTime {
        presentationTime
            + MediaTime(
                nanoseconds: Int64(
                    (Double(frameCount) * 1e9 / Double(max(1, format.sampleRate))).rounded()))
    }

    /// Returns the same audio at another time; `self` if the time is the same.
    func moved(to time: MediaTime) -> AudioBuffer {
        time == presentationTime ? self : part(0..<frameCount, at: time)
    }

    /// Returns a part of the frames, as audio that starts at `time`.
    func part(_ frames: Range<Int>, at time: MediaTime) -> AudioBuffer {
        withSamples { samples in
            let channels = format.channelCount
            return AudioBuffer(format: format, presentationTime: time, frameCount: frames.count) {
                for (index, source) in (frames.lowerBound * channels..<frames.upperBound * channels)
                    .enumerated()
                {
                    $0[index] = samples[source]
                }
            }
        }
    }

    /// Measures the levels of the channels, and returns the audio with the channels' volumes
    /// applied.
    func passed(through channels: [CaptureAudioChannel]) -> AudioBuffer {
        let count = format.channelCount
        guard frameCount > 0, channels.count == count else { return self }
        let seconds = Float(frameCount) / Float(max(1, format.sampleRate))
        withSamples { samples in
            for (index, channel) in channels.enumerated() {
                var (peak, sum): (Float, Float) = (0, 0)
                for position in stride(from: index, to: samples.count, by: count) {
                    let sample = samples[position]
                    peak = max(peak, abs(sample))
                    sum += sample * sample
                }
                channel.measure(peak: peak, meanSquare: sum / Float(frameCount), seconds: seconds)
            }
        }
        let gains = channels.map(\.gain)
        guard gains.contains(where: { $0 != 1 }) else { return self }
        return withSamples { samples in
            AudioBuffer(format: format, presentationTime: presentationTime, frameCount: frameCount)
            { target in
                for index in target.indices {
                    target[index] = samples[index] * gains[index % count]
                }
            }
        }
    }
}
