// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadCapturing
import PlayheadTime
import Synchronization

/// A screen or a window that the user selects in a dialog of the desktop, as a device.
///
/// The user selects when the device is started for the first time. Later starts use that selection
/// again, as long as the object exists.
///
/// - Concurrency: any thread.
final class PortalSource: CaptureDeviceBackend {
    let content: ScreenContent
    let part: ScreenArea?
    let showsCursor: Bool
    /// The address of the session bus; nil for that of the user.
    let busAddress: String?
    /// The maximum time until the first frame after the user has selected, in nanoseconds.
    let patienceNanoseconds: Int64
    let uniqueID: String
    let asksUser = true
    static let screenIdentifier = "wayland:portal"
    /// Called with each token that restores the selection; nil if the selection must not be used
    /// after the program has ended.
    let tokenHandler: (@Sendable (String) -> Void)?
    private let token: Mutex<String?>
    /// The connection of the last stream, if the portal keeps the selection only for it.
    private let connection = Mutex<PortalConnection?>(nil)

    init(
        _ content: ScreenContent, part: ScreenArea? = nil, showsCursor: Bool = true,
        restoreToken: String? = nil, busAddress: String? = nil,
        patienceNanoseconds: Int64 = 10_000_000_000,
        tokenHandler: (@Sendable (String) -> Void)? = nil
    ) {
        self.content = content
        self.part = part
        self.showsCursor = showsCursor
        self.busAddress = busAddress
        self.patienceNanoseconds = patienceNanoseconds
        self.tokenHandler = tokenHandler
        token = Mutex(restoreToken)
        uniqueID = content == .screen ? Self.screenIdentifier : "wayland-window:portal"
    }

    deinit { connection.withLock { $0 }?.close() }

    /// Returns the connection of the last stream, or a new one; nil if there is no bus. The caller
    /// has to close it, or to pass it to `keep`.
    func takeConnection() -> PortalConnection? {
        let kept = exchangeConnection(nil)
        if let kept, !kept.hasEnded { return kept }
        kept?.close()
        return PortalConnection(address: busAddress)
    }

    /// Keeps a connection for the next stream.
    func keep(_ connection: PortalConnection) { exchangeConnection(connection)?.close() }

    private func exchangeConnection(_ next: PortalConnection?) -> PortalConnection? {
        connection.withLock { connection in
            defer { connection = next }
            return connection
        }
    }

    var localizedName: String {
        content == .screen ? "Screen selected in a dialog" : "Window selected in a dialog"
    }

    /// A Boolean value that indicates whether the device can be started. The portal itself is only
    /// asked then.
    var isPresent: Bool { true }

    /// The token of the newest selection.
    var restoreToken: String? { token.withLock { $0 } }

    /// Called with the token of a selection. It replaces the one before, which may be used once.
    func remember(_ token: String) {
        self.token.withLock { $0 = token }
        tokenHandler?(token)
    }

    /// Returns a format without a size, which is that of what the user selects.
    func loadFormats() -> [CaptureFormat] {
        [
            CaptureFormat(
                mediaSubType: "BGR0", width: 0, height: 0,
                frameRateRanges: [
                    CaptureFrameRateRange(
                        minFrameDuration: MediaTime(value: 1, timescale: 60),
                        maxFrameDuration: MediaTime(value: 10, timescale: 1))
                ], color: ColorAttachments(range: .full))
        ]
    }

    func start(
        _ configuration: CaptureConfiguration,
        receiver: @escaping @Sendable (CaptureStreamEvent) -> Void
    ) throws(CaptureError) -> any CaptureStream {
        guard let library = PipeWireLibrary.shared else { throw PipeWireLibrary.absence }
        return try PortalStream(self, library, configuration, receiver: receiver)
    }
}
