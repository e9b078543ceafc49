// SPDX-License-Identifier: Apache-2.0

import CPlayheadV4L2
import Glibc
import PlayheadCapturing

/// The identity of a node of a video device.
struct V4L2Identity: Hashable {
    /// The name for users.
    var name: String
    /// The place on the bus, such as `usb-0000:00:14.0-1`.
    var bus: String
    /// A Boolean value that indicates whether the node delivers frames. Cameras also have nodes
    /// that deliver only metadata.
    var isCamera: Bool

    /// Creates an identity by querying the driver of an open node.
    init(of device: V4L2Device) throws(CaptureError) {
        var values = v4l2_capability()
        try device.perform("asked for its capabilities", &values, ph_v4l2_query_capabilities)
        name = Self.text(values.card)
        bus = Self.text(values.bus_info)
        // The capabilities of the node, if the driver distinguishes them from those of the whole
        // device.
        let flags =
            values.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0
            ? values.device_caps : values.capabilities
        let needed = UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING)
        isCamera = flags & needed == needed
    }

    /// Returns the text of a field of fixed size.
    private static func text<Field>(_ field: Field) -> String {
        withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
