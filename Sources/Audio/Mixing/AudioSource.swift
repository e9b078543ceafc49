// SPDX-License-Identifier: Apache-2.0

/// A source from which a sink requests audio.
///
/// - Concurrency: called on the sink's real-time thread, one call at a time. An implementation does
///   not lock, allocate, free, wait, or call code that might.
/// - Ownership: a sink keeps its source from `start` to `stop`.
/// - Corresponds to: `AURenderCallback`, `AVAudioSourceNode`.
public protocol AudioSource: AnyObject, Sendable {
    /// Fills `frameCount` frames of the sink's format at `samples`, all of them: silence is
    /// written, too.
    ///
    /// - Parameters:
    ///   - samples: The interleaved samples; valid only during the call, and not initialised.
    ///   - presentationTime: The sink's clock time, in nanoseconds, at which the first of these
    ///     frames is heard. Frame *n* is heard *n* / sample rate later by that clock.
    func render(
        into samples: UnsafeMutablePointer<Float>, frameCount: Int, presentationTime: Int64)
}
