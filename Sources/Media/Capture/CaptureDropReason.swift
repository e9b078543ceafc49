// SPDX-License-Identifier: Apache-2.0

/// The reason why a frame was not delivered.
///
/// - Corresponds to: `kCMSampleBufferDroppedFrameReason_…`.
public enum CaptureDropReason: Sendable, Hashable {
    /// The delegate, or the decoder of a compressed format, was still processing an earlier frame.
    case lateData
    /// The client holds the maximum number of frames that it may have at a time.
    case outOfBuffers
    /// The device or its driver lost the frame.
    case discontinuity
}
