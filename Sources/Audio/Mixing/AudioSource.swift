// SPDX-License-Identifier: Apache-2.0

/// What a sink pulls its sound from.
///
/// - Concurrency: called on the sink's real-time thread, one call at a time. An implementation
///   does not lock, allocate, free, wait, or call into code that might.
/// - Ownership: a sink keeps its source from `start` to `stop`.
/// - Corresponds to: `AURenderCallback`, `AVAudioSourceNode`.
public protocol AudioSource: AnyObject, Sendable {
    /// Fills `frameCount` frames of the sink's format at `samples`, all of them: silence is
    /// written, not left out.
    ///
    /// - Parameters:
    ///   - samples: interleaved; valid during the call only, and not initialised to silence.
    ///   - presentationTime: what the sink's clock will read, in nanoseconds, when the first of
    ///     these frames is heard. Frame *n* is heard *n* / sample rate later by that clock.
    func render(
        into samples: UnsafeMutablePointer<Float>, frameCount: Int, presentationTime: Int64)
}
