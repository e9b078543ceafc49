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
        let flags = Self.flags(values)
        let video = UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_CAPTURE_MPLANE)
        isCamera = flags & video != 0 && flags & UInt32(V4L2_CAP_STREAMING) != 0
    }

    /// Returns the capabilities of the node or, if the driver does not state these, of the whole
    /// device.
    private static func flags(_ values: v4l2_capability) -> UInt32 {
        values.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0
            ? values.device_caps : values.capabilities
    }

    /// Returns the type of an open node's buffers: buffers with one memory plane or, if the node
    /// has no such buffers, with several planes.
    static func bufferType(of descriptor: Int32) -> v4l2_buf_type {
        var values = v4l2_capability()
        guard ph_v4l2_query_capabilities(descriptor, &values) == 0 else {
            return V4L2_BUF_TYPE_VIDEO_CAPTURE
        }
        let isPlain = flags(values) & UInt32(V4L2_CAP_VIDEO_CAPTURE) != 0
        let isPlanar = flags(values) & UInt32(V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0
        return isPlanar && !isPlain
            ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE
    }

    /// Returns the text of a field of fixed size.
    private static func text<Field>(_ field: Field) -> String {
        withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
