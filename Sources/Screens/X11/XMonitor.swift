// SPDX-License-Identifier: Apache-2.0

import CPlayheadScreens

/// A monitor of an X server: a part of its root window.
struct XMonitor: Hashable {
    /// The name of the output, such as `HDMI-1`.
    var name: String
    var area: ScreenArea

    /// Returns the monitors, the primary one first. If the server lists none, its root window is
    /// the only monitor.
    static func all(_ connection: XConnection) -> [XMonitor] {
        let handle = connection.handle
        var monitors: [(monitor: XMonitor, isPrimary: Bool)] = []
        if ph_randr_exists(handle) {
            if let reply = xcb_randr_get_monitors_reply(
                handle, xcb_randr_get_monitors(handle, connection.root, 1), nil)
            {
                var iterator = xcb_randr_get_monitors_monitors_iterator(reply)
                while iterator.rem > 0 {
                    let info = iterator.data.pointee
                    monitors.append(
                        (
                            XMonitor(
                                name: Self.name(info.name, connection),
                                area: ScreenArea(
                                    x: Int(info.x), y: Int(info.y), width: Int(info.width),
                                    height: Int(info.height))), info.primary != 0
                        ))
                    xcb_randr_monitor_info_next(&iterator)
                }
                free(reply)
            }
        }
        let usable = monitors.filter { $0.monitor.area.width > 0 && $0.monitor.area.height > 0 }
        if usable.isEmpty {
            let size = connection.size
            return [
                XMonitor(
                    name: "screen",
                    area: ScreenArea(x: 0, y: 0, width: size.width, height: size.height))
            ]
        }
        return usable.filter(\.isPrimary).map(\.monitor)
            + usable.filter { !$0.isPrimary }.map(\.monitor)
    }

    private static func name(_ atom: xcb_atom_t, _ connection: XConnection) -> String {
        guard
            let reply = xcb_get_atom_name_reply(
                connection.handle, xcb_get_atom_name(connection.handle, atom), nil)
        else { return "screen" }
        defer { free(reply) }
        let count = Int(xcb_get_atom_name_name_length(reply))
        guard let name = xcb_get_atom_name_name(reply) else { return "screen" }
        return String(
            decoding: UnsafeRawBufferPointer(start: name, count: count), as: UTF8.self)
    }
}
