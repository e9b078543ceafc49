// SPDX-License-Identifier: Apache-2.0

public import PlayheadCapturing

extension CaptureDiscoverySession {
    /// The monitors of the X server that `DISPLAY` names, with the primary one first. A frame is
    /// delivered whenever something was drawn, and includes the cursor.
    ///
    /// Changes are not observed. Each call of `devices` queries the server.
    ///
    /// - Corresponds to: `AVCaptureScreenInput`, `SCShareableContent.displays`.
    public static let screens = CaptureDiscoverySession(ScreenProvider(.screens), of: "screen")

    /// The windows of the X server that `DISPLAY` names. A window is captured whole, even if other
    /// windows cover it. Frames keep the size that a window has when the session starts.
    ///
    /// Changes are not observed. Each call of `devices` queries the server.
    ///
    /// - Corresponds to: `SCShareableContent.windows`.
    public static let windows = CaptureDiscoverySession(ScreenProvider(.windows), of: "window")
}

extension CaptureDevice {
    /// Returns a screen, or a part of one.
    ///
    /// - Parameters:
    ///   - name: The number, the identifier or the name of a screen; `0` is the primary one.
    ///   - part: The part to capture; nil for all of the screen.
    ///   - showsCursor: A Boolean value that indicates whether the cursor is in the frames.
    /// - Throws: `noSuchDevice` if there is no such screen. Calls of the device throw
    ///   `unsupportedFormat` if the part is not within the screen.
    /// - Corresponds to: `AVCaptureScreenInput.cropRect` and `capturesCursor`.
    public static func screen(
        _ name: String = "0", part: ScreenArea? = nil, showsCursor: Bool = true
    ) throws(CaptureError) -> CaptureDevice {
        let device = try CaptureDiscoverySession.screens.device(name)
        if part == nil, showsCursor { return device }
        return CaptureDevice(
            ScreenSource(
                .monitor(device.localizedName, part: part), name: device.localizedName,
                showsCursor: showsCursor, display: nil))
    }
}
