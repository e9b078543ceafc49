// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// A receiver of the frames of a `CaptureVideoDataOutput`.
///
/// - Concurrency: called on the output's queue, one call at a time, in the order of the frames.
/// - Corresponds to: `AVCaptureVideoDataOutputSampleBufferDelegate`.
public protocol CaptureVideoDataOutputDelegate: AnyObject, Sendable {
    /// Called for each frame. The frame's time is on the session's clock, and its duration is
    /// `invalid`.
    func captureOutput(
        _ output: CaptureVideoDataOutput, didOutput frame: VideoFrame,
        from connection: CaptureConnection)

    /// Called once for each frame that was not delivered, with its time or the nearest time that is
    /// known.
    func captureOutput(
        _ output: CaptureVideoDataOutput, didDropFrameAt time: MediaTime,
        reason: CaptureDropReason, from connection: CaptureConnection)
}

extension CaptureVideoDataOutputDelegate {
    /// The default implementation does nothing.
    public func captureOutput(
        _ output: CaptureVideoDataOutput, didDropFrameAt time: MediaTime,
        reason: CaptureDropReason, from connection: CaptureConnection
    ) {}
}
