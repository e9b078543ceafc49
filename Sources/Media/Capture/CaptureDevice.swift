// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Synchronization

/// A camera, a microphone, or another source of frames or audio, that a session captures from.
///
///     let camera = try CaptureDevice.defaultCamera()
///     try camera.configure { configuration in
///         configuration.frameDuration = MediaTime(value: 1, timescale: 25)
///     }
///     let session = CaptureSession()
///     try session.addInput(CaptureDeviceInput(device: camera))
///
/// If a device is unplugged and plugged in again, the same object represents it, and sessions that
/// use it continue.
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVCaptureDevice`.
public final class CaptureDevice: Sendable, CustomStringConvertible {
    /// A change of a device.
    package enum Change: Sendable, Hashable {
        case connected, disconnected, configured
    }

    private struct State {
        var configuration: CaptureConfiguration?
        var formats: [CaptureFormat]?
        var isConnected = true
    }

    /// The identifier. It does not change as long as the device is plugged into the same port.
    public let uniqueID: String
    /// The name for users.
    public let localizedName: String
    let backend: any CaptureDeviceBackend
    private let state = Mutex(State())
    /// The handlers of changes. They are called on the thread that reports the change.
    let observers = EventObservers<Change>()

    package init(_ backend: any CaptureDeviceBackend) {
        self.backend = backend
        uniqueID = backend.uniqueID
        localizedName = backend.localizedName
    }

    /// The type of media that the device delivers: video or audio.
    public var mediaType: MediaType { backend.mediaType }

    /// The name.
    public var description: String { localizedName }

    /// A Boolean value that indicates whether the device is connected.
    public var isConnected: Bool { state.withLock { $0.isConnected } }

    /// Returns the supported formats of the device, in the driver's order.
    ///
    /// The first call queries the driver, which takes some milliseconds.
    ///
    /// - Throws: `notAuthorized`, `deviceDisconnected` or `deviceFailed` if the driver cannot be
    ///   queried.
    public func loadFormats() throws(CaptureError) -> [CaptureFormat] {
        if let formats = state.withLock({ $0.formats }) { return formats }
        let formats = try backend.loadFormats()
        guard !formats.isEmpty else {
            throw CaptureError(
                .unsupportedFormat, subject: localizedName,
                cause: "it offers no format that can be used",
                remedy: "choose another device")
        }
        state.withLock { $0.formats = formats }
        return formats
    }

    /// Returns the current settings: those of the last call of `configure`, or the default format
    /// if there was none.
    ///
    /// - Throws: An error of `loadFormats`.
    public func loadConfiguration() throws(CaptureError) -> CaptureConfiguration {
        if let configuration = state.withLock({ $0.configuration }) { return configuration }
        let formats = try loadFormats()
        return CaptureConfiguration(format: CaptureFormatChoice.preferred(formats) ?? formats[0])
    }

    /// Changes the settings in one step. A running session continues with the new settings.
    ///
    /// - Throws: `unsupportedFormat` if the device does not have the format, or the format does not
    ///   have the frame duration; the settings are then unchanged.
    /// - Corresponds to: `lockForConfiguration`, `activeFormat`,
    ///   `activeVideoMinFrameDuration` and `unlockForConfiguration`.
    public func configure(
        _ body: (inout CaptureConfiguration) -> Void
    ) throws(CaptureError) {
        let formats = try loadFormats()
        let old = try loadConfiguration()
        var new = old
        body(&new)
        guard formats.contains(new.format) else {
            throw CaptureError(
                .unsupportedFormat, subject: localizedName,
                cause: "it does not offer \(new.format)",
                remedy: "use one of its formats, which 'playhead devices' lists")
        }
        let ranges = new.format.frameRateRanges
        if new.frameDuration.isValid,
            !ranges.isEmpty && !ranges.contains(where: { $0.contains(new.frameDuration) })
        {
            throw CaptureError(
                .unsupportedFormat, subject: localizedName,
                cause: "it does not offer \(CaptureFormat.rate(new.frameDuration)) fps at "
                    + "\(new.format.width) x \(new.format.height) \(new.format.mediaSubType)",
                remedy: "use \(Self.rates(ranges)) fps")
        }
        state.withLock { $0.configuration = new }
        if new != old { observers.post(.configured) }
    }

    private static func rates(_ ranges: [CaptureFrameRateRange]) -> String {
        let texts = ranges.map { range in
            let (fast, slow) = (
                CaptureFormat.rate(range.minFrameDuration),
                CaptureFormat.rate(range.maxFrameDuration)
            )
            return fast == slow ? fast : "\(slow) to \(fast)"
        }
        guard let last = texts.last, texts.count > 1 else { return texts.first ?? "another" }
        return texts.dropLast().joined(separator: ", ") + " or " + last
    }

    // MARK: - Controls

    /// Queries the driver for the controls and their values.
    ///
    /// - Throws: `notAuthorized`, `deviceDisconnected` or `deviceFailed` if the driver cannot be
    ///   queried.
    public func loadControls() throws(CaptureError) -> [CaptureControl] {
        try backend.loadControls()
    }

    /// Sets a control to a value. A running session continues.
    ///
    /// - Throws: `unsupportedFormat` if the device does not have the control, or the control does
    ///   not have the value.
    public func setControl(_ name: String, to value: Int) throws(CaptureError) {
        let controls = try backend.loadControls()
        guard let control = controls.first(where: { $0.name == name }) else {
            throw CaptureError(
                .unsupportedFormat, subject: localizedName, cause: "it has no control \(name)",
                remedy: controls.isEmpty
                    ? "the device has no controls"
                    : "use " + controls.map(\.name).joined(separator: ", "))
        }
        guard control.contains(value) else {
            throw CaptureError(
                .unsupportedFormat, subject: localizedName,
                cause: "it does not accept \(name)=\(value)", remedy: "use \(control.valuesText)")
        }
        try backend.setControl(name, to: value)
    }

    // MARK: - Interface of providers and sessions

    /// The node of the device in the file system; nil if the device has no node.
    package var nodePath: String? { backend.nodePath }

    /// A Boolean value that indicates whether opening the device asks the user in a dialog.
    package var asksUser: Bool { backend.asksUser }

    /// Called by the provider when the device is connected or disconnected.
    package func setConnected(_ isConnected: Bool) {
        let changed = state.withLock { state in
            defer { state.isConnected = isConnected }
            // A different device with the same name may have been plugged in.
            if isConnected { state.formats = nil }
            return state.isConnected != isConnected
        }
        if changed { observers.post(isConnected ? .connected : .disconnected) }
    }

    /// Called by the provider when a connected device may have become usable.
    package func announceConnection() { observers.post(.connected) }
}
