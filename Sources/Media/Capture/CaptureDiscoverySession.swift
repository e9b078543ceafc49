// SPDX-License-Identifier: Apache-2.0

public import PlayheadPlayback

/// A list of the connected devices, which can be observed.
///
///     let cameras = CaptureDiscoverySession.cameras
///     let token = cameras.observe(on: .main) { devices in menu.show(devices) }
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVCaptureDevice.DiscoverySession`.
public final class CaptureDiscoverySession: Sendable {
    private let provider: any CaptureDeviceProvider
    /// The word for a device of this kind, such as `camera`. It is also the scheme of the addresses
    /// of such devices.
    private let kind: String

    /// Creates a list of a provider's devices.
    ///
    /// - Parameter kind: The word for a device, such as `camera`.
    package init(_ provider: any CaptureDeviceProvider, of kind: String) {
        self.provider = provider
        self.kind = kind
    }

    /// The connected devices. Each call searches for devices, which takes some milliseconds.
    public var devices: [CaptureDevice] { provider.loadDevices() }

    /// Calls a handler whenever devices were connected or disconnected, until the token is
    /// cancelled or released.
    public func observe(
        on queue: ObservationQueue = .background,
        _ handler: @escaping @Sendable ([CaptureDevice]) -> Void
    ) -> ObservationToken {
        let provider = provider
        return provider.observe {
            queue.async { handler(provider.loadDevices()) }
        }
    }

    /// Returns the device that `name` identifies: by its number in the list, its unique identifier
    /// (with or without the part before the colon), its name, or its node, such as `/dev/video0`.
    ///
    /// - Throws: `noSuchDevice`, which lists the connected devices.
    public func device(_ name: String) throws(CaptureError) -> CaptureDevice {
        let devices = devices
        if let index = Int(name), devices.indices.contains(index) { return devices[index] }
        if let device = devices.first(where: {
            $0.uniqueID == name || $0.localizedName == name || $0.nodePath == name
                || $0.uniqueID.drop { $0 != ":" }.dropFirst() == name
        }) {
            return device
        }
        throw CaptureError(
            .noSuchDevice, subject: "\(kind):\(name)",
            cause: devices.isEmpty ? "there is no \(kind)" : "there is no such \(kind)",
            remedy: devices.isEmpty
                ? "plug one in, and run 'playhead devices'"
                : "use " + devices.indices.map { "\(kind):\($0)" }.joined(separator: ", ")
                    + "; 'playhead devices' lists them")
    }
}
