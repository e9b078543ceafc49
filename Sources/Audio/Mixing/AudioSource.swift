// SPDX-License-Identifier: Apache-2.0

/// A source from which a sink requests audio.
///
/// - Concurrency: called on the sink's real-time thread, one call at a time. An implementation must
///   not lock, allocate, free, wait, or call code that might.
/// - Ownership: a sink retains its source from `start` to `stop`.
/// - Corresponds to: `AURenderCallback`, `AVAudioSourceNode`.
public protocol AudioSource: AnyObject, Sendable {
    /// Fills all `frameCount` frames at `samples`, in the sink's format. Silence must be written as
    /// well.
    ///
    /// - Parameters:
    ///   - samples: The interleaved samples. They are valid only during the call, and not
    ///     initialised.
    ///   - presentationTime: The sink's clock time, in nanoseconds, at which the first of these
    ///     frames is heard. By that clock, frame *n* is heard *n* / sample rate later.
    func render(
        into samples: UnsafeMutablePointer<Float>, frameCount: Int, presentationTime: Int64)
}
