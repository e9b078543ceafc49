// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

extension AudioBuffer {
    /// Returns the buffer with peaks above full scale rounded off, as during playback. Use it for
    /// files and devices that clip peaks. If no sample exceeds full scale, the method returns the
    /// buffer itself.
    package func limited() -> AudioBuffer {
        let isWithin = withSamples { samples in
            samples.allSatisfy { abs($0) <= 1 }
        }
        if isWithin { return self }
        return AudioBuffer(
            format: format, presentationTime: presentationTime, frameCount: frameCount
        ) { limited in
            withSamples { samples in
                guard let first = limited.baseAddress else { return }
                _ = limited.update(fromContentsOf: samples)
                GainRamp.limit(first, count: samples.count)
            }
        }
    }
}
