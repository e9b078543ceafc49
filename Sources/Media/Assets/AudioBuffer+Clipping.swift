// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadTime

extension AudioBuffer {
    /// Returns the samples in a range of time; nil if the range contains no samples. A sample at
    /// the start of the range is included; a sample at the end is not.
    package func clipped(to range: MediaTimeRange) -> AudioBuffer? {
        guard presentationTime.isNumeric else { return self }
        let first = frameIndex(at: range.start)
        let end = frameIndex(at: range.end)
        guard first < end else { return nil }
        guard first > 0 || end < frameCount else { return self }
        let step = format.channelCount
        let scale = Int32(clamping: format.sampleRate)
        return AudioBuffer(
            format: format,
            presentationTime: presentationTime + MediaTime(value: Int64(first), timescale: scale),
            frameCount: end - first
        ) { target in
            withSamples { samples in
                _ = target.update(fromContentsOf: samples[first * step..<end * step])
            }
        }
    }

    /// Returns the index of the first frame at or after a time, from 0 to `frameCount`.
    private func frameIndex(at time: MediaTime) -> Int {
        // Media of unknown duration has an indefinite end.
        if time.isPositiveInfinity || time.isIndefinite { return frameCount }
        guard time.isNumeric, time > presentationTime else { return 0 }
        let frames = (time - presentationTime).converted(
            toTimescale: Int32(clamping: format.sampleRate), method: .roundTowardPositiveInfinity)
        guard frames.isNumeric else { return frameCount }
        return Int(min(Int64(frameCount), frames.value))
    }
}
