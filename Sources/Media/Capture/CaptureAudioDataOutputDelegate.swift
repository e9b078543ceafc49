// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// A receiver of the audio of a `CaptureAudioDataOutput`.
///
/// - Concurrency: called on the output's queue, one call at a time, in the order of the samples.
/// - Corresponds to: `AVCaptureAudioDataOutputSampleBufferDelegate`.
public protocol CaptureAudioDataOutputDelegate: AnyObject, Sendable {
    /// Called for each block of samples. The time of the block is on the session's clock. A block
    /// begins where the previous one ended, unless the device has paused.
    func captureOutput(
        _ output: CaptureAudioDataOutput, didOutput audio: AudioBuffer,
        from connection: CaptureConnection)

    /// Called for samples that were dropped because the delegate was ten seconds behind.
    func captureOutput(
        _ output: CaptureAudioDataOutput, didDropAudioIn range: MediaTimeRange,
        from connection: CaptureConnection)
}

extension CaptureAudioDataOutputDelegate {
    /// Does nothing.
    public func captureOutput(
        _ output: CaptureAudioDataOutput, didDropAudioIn range: MediaTimeRange,
        from connection: CaptureConnection
    ) {}
}
