// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// The settings of a device: a format, and a frame duration within the format's ranges.
///
/// - Corresponds to: `activeFormat` and `activeVideoMinFrameDuration` of `AVCaptureDevice`.
public struct CaptureConfiguration: Sendable, Hashable {
    /// The format of the frames, one of those that `CaptureDevice.loadFormats` returns. Setting
    /// another format resets `frameDuration` to `invalid`.
    public var format: CaptureFormat {
        didSet { if format != oldValue { frameDuration = .invalid } }
    }
    /// The requested duration of a frame; `invalid` for the format's shortest duration. In dim
    /// light, the device may deliver frames more slowly, but their times are always correct.
    public var frameDuration: MediaTime

    /// The range of the samples. Set it if the driver declares a wrong range: screen grabbers often
    /// deliver full range without declaring it. `.unspecified`, the default, selects the driver's
    /// range.
    public var range = ColorAttachments.Range.unspecified

    package init(format: CaptureFormat, frameDuration: MediaTime = .invalid) {
        self.format = format
        self.frameDuration = frameDuration
    }

    /// The duration to request from the device; `invalid` if the device does not state its rates.
    package var requestedFrameDuration: MediaTime {
        frameDuration.isNumeric ? frameDuration : format.minFrameDuration
    }
}
