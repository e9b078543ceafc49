// SPDX-License-Identifier: Apache-2.0

/// An uninterrupted interval of audio that a `CaptureAudioSink` has recorded.
package struct CapturedAudio: Sendable {
    /// The clock time at which the first frame is heard, in nanoseconds.
    package var clockTime: Int64
    /// The interleaved samples.
    package var samples: [Float]
}
