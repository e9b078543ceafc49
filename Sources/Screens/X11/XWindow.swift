// SPDX-License-Identifier: Apache-2.0

import CPlayheadScreens

/// A window of an application on an X server.
struct XWindow: Hashable {
    var identifier: xcb_window_t
    var title: String

    /// Returns the windows that the window manager lists, or if it lists none, the visible ones.
    /// Windows without a title are left out.
    static func all(_ connection: XConnection) -> [XWindow] {
        let listed = connection.property(
            connection.atom("_NET_CLIENT_LIST"), of: connection.root)
        var identifiers = listed.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count - 3, by: 4).map {
                bytes.loadUnaligned(fromByteOffset: $0, as: xcb_window_t.self)
            }
        }
        if identifiers.isEmpty {
            identifiers = children(connection).filter { isVisible($0, connection) }
        }
        return identifiers.compactMap { identifier in
            let title = title(of: identifier, connection)
            return title.isEmpty ? nil : XWindow(identifier: identifier, title: title)
        }
    }

    private static func children(_ connection: XConnection) -> [xcb_window_t] {
        guard
            let reply = xcb_query_tree_reply(
                connection.handle, xcb_query_tree(connection.handle, connection.root), nil)
        else { return [] }
        defer { free(reply) }
        let count = Int(xcb_query_tree_children_length(reply))
        guard let first = xcb_query_tree_children(reply) else { return [] }
        return Array(UnsafeBufferPointer(start: first, count: count))
    }

    private static func isVisible(_ window: xcb_window_t, _ connection: XConnection) -> Bool {
        guard
            let reply = xcb_get_window_attributes_reply(
                connection.handle, xcb_get_window_attributes(connection.handle, window), nil)
        else { return false }
        defer { free(reply) }
        return reply.pointee.map_state == UInt8(XCB_MAP_STATE_VIEWABLE.rawValue)
    }

    /// Returns the UTF-8 title of a window, or its Latin 1 title if it has no UTF-8 title.
    static func title(of window: xcb_window_t, _ connection: XConnection) -> String {
        let modern = connection.property(connection.atom("_NET_WM_NAME"), of: window)
        if !modern.isEmpty { return String(decoding: modern, as: UTF8.self) }
        let old = connection.property(xcb_atom_t(XCB_ATOM_WM_NAME.rawValue), of: window)
        return String(String.UnicodeScalarView(old.map { Unicode.Scalar($0) }))
    }
}
