// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// The settings of a device: a format, and a frame duration within its ranges.
///
/// - Corresponds to: `activeFormat` and `activeVideoMinFrameDuration` of `AVCaptureDevice`.
public struct CaptureConfiguration: Sendable, Hashable {
    /// The format of the frames, one of the device's `formats`. If it is set, the frame
    /// duration becomes the default.
    public var format: CaptureFormat {
        didSet { if format != oldValue { frameDuration = .invalid } }
    }
    /// The requested duration of a frame; `invalid` for the shortest of the format. Dim light
    /// may make it longer: the times of the frames are the truth.
    public var frameDuration: MediaTime

    /// The range of the samples, if it is another than the driver declares: grabbers of screens
    /// often deliver full range without saying so. `.unspecified`, the default, is the driver's.
    public var range = ColorAttachments.Range.unspecified

    package init(format: CaptureFormat, frameDuration: MediaTime = .invalid) {
        self.format = format
        self.frameDuration = frameDuration
    }

    /// The duration that the device is asked for; `invalid` if it states no rates.
    package var requestedFrameDuration: MediaTime {
        frameDuration.isNumeric ? frameDuration : format.minFrameDuration
    }
}
