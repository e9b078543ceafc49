// SPDX-License-Identifier: Apache-2.0

public import PlayheadCapturing

extension CaptureDiscoverySession {
    /// The monitors of the X server that `DISPLAY` names, with the primary one first. A frame is
    /// delivered whenever something was drawn, and includes the cursor.
    ///
    /// Changes are not observed. Each call of `devices` queries the server.
    ///
    /// In a Wayland session, that is if `WAYLAND_DISPLAY` is set, programs cannot list screens. The
    /// list then has one device, `portal`. When a session with it starts running, the desktop asks
    /// the user which screen to share, and frames arrive after that. If the user declines, the
    /// session reports `notAuthorized` as `runtimeError`.
    ///
    /// - Corresponds to: `AVCaptureScreenInput`, `SCShareableContent.displays`.
    public static let screens = CaptureDiscoverySession(ScreenProvider(.screens), of: "screen")

    /// The windows of the X server that `DISPLAY` names. A window is captured whole, even if other
    /// windows cover it. Frames keep the size that a window has when the session starts.
    ///
    /// Changes are not observed. Each call of `devices` queries the server.
    ///
    /// In a Wayland session, the list has one device, `portal`, with which the user selects a
    /// window.
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
    ///   `unsupportedFormat` if the part is not within the screen. In a Wayland session, the
    ///   session reports it as `runtimeError`.
    /// - Corresponds to: `AVCaptureScreenInput.cropRect` and `capturesCursor`.
    public static func screen(
        _ name: String = "0", part: ScreenArea? = nil, showsCursor: Bool = true
    ) throws(CaptureError) -> CaptureDevice {
        let device = try CaptureDiscoverySession.screens.device(name)
        if part == nil, showsCursor { return device }
        if device.uniqueID == PortalSource.screenIdentifier {
            return selected(.screen, part: part, showsCursor: showsCursor)
        }
        return CaptureDevice(
            ScreenSource(
                .monitor(device.localizedName, part: part), name: device.localizedName,
                showsCursor: showsCursor, display: nil))
    }

    /// Returns a device that lets the user select a screen or a window in a dialog of the desktop.
    ///
    /// The dialog opens when a session with the device starts running. Starting does not wait for
    /// it: frames arrive once the user has made a selection, and the size of the format is 0 x 0
    /// until then. If the session is started again, the selection is used again. Stopping the
    /// session closes the dialog. The desktop's portal and PipeWire are needed, on Wayland or X11.
    ///
    /// - Parameters:
    ///   - content: The kind of content that the user can select.
    ///   - part: The part of it to capture; nil for all.
    ///   - showsCursor: A Boolean value that indicates whether the cursor is in the frames.
    ///   - restoreToken: The newest token that `tokenHandler` has received, perhaps in an earlier
    ///     run of the program; nil to ask the user. If the selection is no longer available, the
    ///     user is asked.
    ///   - tokenHandler: A function that receives a token for the next session, on a thread of the
    ///     device. A token can be used once. Without a function, the selection is forgotten when
    ///     the program ends.
    /// - Corresponds to: `SCContentSharingPicker`.
    public static func selected(
        _ content: ScreenContent, part: ScreenArea? = nil, showsCursor: Bool = true,
        restoreToken: String? = nil, tokenHandler: (@Sendable (_ token: String) -> Void)? = nil
    ) -> CaptureDevice {
        CaptureDevice(
            PortalSource(
                content, part: part, showsCursor: showsCursor, restoreToken: restoreToken,
                tokenHandler: tokenHandler))
    }
}
