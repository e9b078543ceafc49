// SPDX-License-Identifier: Apache-2.0

import CPlayheadScreens
import PlayheadCapturing

/// A connection to an X server.
///
/// - Concurrency: any thread; libxcb has locks of its own.
/// - Ownership: the connection ends with the object.
final class XConnection: @unchecked Sendable {
    // Unchecked: the pointers are set in init only, and libxcb locks what they point to.

    let handle: OpaquePointer
    let root: xcb_window_t
    private let screen: xcb_screen_t

    /// Connects to an X server; nil selects the one in `DISPLAY`.
    init(display: String? = nil) throws(CaptureError) {
        var number: Int32 = 0
        guard let handle = xcb_connect(display, &number) else { throw Self.absence }
        guard xcb_connection_has_error(handle) == 0, let screen = ph_x_screen(handle, number) else {
            xcb_disconnect(handle)
            throw Self.absence
        }
        self.handle = handle
        self.screen = screen.pointee
        root = screen.pointee.root
    }

    deinit { xcb_disconnect(handle) }

    private static let absence = CaptureError(
        .noSuchDevice, subject: "screen", cause: "there is no X server",
        remedy: "log in to an X11 session, or set DISPLAY")

    /// A Boolean value that indicates whether the server has closed the connection.
    var isBroken: Bool { xcb_connection_has_error(handle) != 0 }

    /// The size of the root window.
    var size: (width: Int, height: Int) {
        let geometry = geometry(of: root)
        return (geometry?.width ?? 0, geometry?.height ?? 0)
    }

    /// Returns the position of a window or pixmap in its parent, and its size and depth; nil if it
    /// no longer exists.
    func geometry(
        of drawable: xcb_drawable_t
    ) -> (x: Int, y: Int, width: Int, height: Int, depth: Int)? {
        guard
            let reply = xcb_get_geometry_reply(handle, xcb_get_geometry(handle, drawable), nil)
        else { return nil }
        defer { free(reply) }
        let values = reply.pointee
        return (
            Int(values.x), Int(values.y), Int(values.width), Int(values.height), Int(values.depth)
        )
    }

    /// Returns the atom of a name; 0 if the server does not have it.
    func atom(_ name: String) -> xcb_atom_t {
        let cookie = xcb_intern_atom(handle, 1, UInt16(name.utf8.count), name)
        guard let reply = xcb_intern_atom_reply(handle, cookie, nil) else { return 0 }
        defer { free(reply) }
        return reply.pointee.atom
    }

    /// Returns the bytes of a window's property; empty if the window does not have it.
    func property(_ name: xcb_atom_t, of window: xcb_window_t) -> [UInt8] {
        guard name != 0 else { return [] }
        let cookie = xcb_get_property(handle, 0, window, name, 0, 0, 65_536)
        guard let reply = xcb_get_property_reply(handle, cookie, nil) else { return [] }
        defer { free(reply) }
        let count = Int(xcb_get_property_value_length(reply))
        guard count > 0, let value = xcb_get_property_value(reply) else { return [] }
        return Array(UnsafeRawBufferPointer(start: value, count: count))
    }

    /// Throws an error unless pixels of the given depth are laid out like those of frames: B, G, R
    /// and an unused byte.
    func requirePixels(ofDepth depth: Int, _ subject: String) throws(CaptureError) {
        guard depth == 24 || depth == 32, ph_x_bits_per_pixel(handle, Int32(depth)) == 32,
            ph_x_is_little_endian(handle)
        else {
            throw CaptureError(
                .unsupportedFormat, subject: subject,
                cause:
                    "its pixels (depth: \(depth) bits) are not stored as four bytes in the order "
                    + "B, G, R, unused",
                remedy: "use a little-endian X server and a screen depth of 24 bits")
        }
    }
}
