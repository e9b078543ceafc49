// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadCapturing
import Synchronization

/// The driver's side of a camera of the Video for Linux interface.
///
/// - Concurrency: any thread.
final class V4L2Camera: CaptureDeviceBackend {
    let uniqueID: String
    let localizedName: String
    private let decoding: any SampleDecoding
    /// The current node, which may change when the camera is plugged in again.
    private let node: Mutex<String>

    init(uniqueID: String, name: String, node: String, decoding: any SampleDecoding) {
        self.uniqueID = uniqueID
        localizedName = name
        self.decoding = decoding
        self.node = Mutex(node)
    }

    var path: String {
        get { node.withLock { $0 } }
        set { node.withLock { $0 = newValue } }
    }

    var isPresent: Bool {
        guard let device = try? V4L2Device(path, name: localizedName) else { return false }
        return (try? V4L2Identity(of: device)) != nil
    }

    var nodePath: String? { path }

    func loadControls() throws(CaptureError) -> [CaptureControl] {
        try V4L2Controls.all(of: V4L2Device(path, name: localizedName))
    }

    func setControl(_ name: String, to value: Int) throws(CaptureError) {
        try V4L2Controls.set(name, to: value, of: V4L2Device(path, name: localizedName))
    }

    func loadFormats() throws(CaptureError) -> [CaptureFormat] {
        try V4L2Formats.all(of: V4L2Device(path, name: localizedName))
    }

    func start(
        _ configuration: CaptureConfiguration,
        receiver: @escaping @Sendable (CaptureStreamEvent) -> Void
    ) throws(CaptureError) -> any CaptureStream {
        try V4L2Stream(
            V4L2Device(path, name: localizedName), configuration, decoding: decoding,
            receiver: receiver)
    }
}
