// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

extension AudioBuffer {
    /// The same with what exceeds full scale rounded off, as it is when it plays: for files and devices
    /// that would cut it. The same buffer where nothing does.
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
