// SPDX-License-Identifier: Apache-2.0

import CPlayheadV4L2
import PlayheadCapturing

/// The controls of a video device.
enum V4L2Controls {
    /// The maximum number of controls, in case a driver's list never ends.
    private static let limit = 512
    private static let action = "queried for its controls"

    /// Returns the controls that have a number as their value.
    static func all(of device: V4L2Device) throws(CaptureError) -> [CaptureControl] {
        var controls: [CaptureControl] = []
        try forEach(of: device) { query, kind throws(CaptureError) in
            var value = v4l2_control(id: query.id, value: 0)
            let code = ph_v4l2_get_control(device.descriptor, &value)
            try device.requirePresence(code, while: action)
            guard code == 0 else { return }
            let flags = query.flags
            controls.append(
                CaptureControl(
                    name: name(query), kind: kind, defaultValue: Int(query.default_value),
                    value: Int(value.value),
                    isSettable: flags
                        & UInt32(V4L2_CTRL_FLAG_READ_ONLY | V4L2_CTRL_FLAG_INACTIVE) == 0))
        }
        return controls
    }

    /// Sets a control.
    static func set(
        _ wanted: String, to value: Int, of device: V4L2Device
    ) throws(CaptureError) {
        var identifier: UInt32?
        try forEach(of: device) { query, _ in
            if name(query) == wanted { identifier = query.id }
        }
        guard let identifier else {
            throw device.failure(EINVAL, while: "set to \(wanted)=\(value)")
        }
        var control = v4l2_control(id: identifier, value: Int32(clamping: value))
        try device.perform("set to \(wanted)=\(value)", &control, ph_v4l2_set_control)
    }

    private static func forEach(
        of device: V4L2Device,
        _ body: (v4l2_queryctrl, CaptureControl.Kind) throws(CaptureError) -> Void
    ) throws(CaptureError) {
        var query = v4l2_queryctrl()
        query.id = ph_v4l2_next_control()
        for _ in 0..<limit {
            let code = ph_v4l2_query_control(device.descriptor, &query)
            try device.requirePresence(code, while: action)
            guard code == 0 else { return }
            if let kind = try kind(of: query, device) { try body(query, kind) }
            query.id |= ph_v4l2_next_control()
        }
    }

    private static func kind(
        of query: v4l2_queryctrl, _ device: V4L2Device
    ) throws(CaptureError) -> CaptureControl.Kind? {
        guard query.flags & UInt32(V4L2_CTRL_FLAG_DISABLED) == 0 else { return nil }
        switch query.type {
        case V4L2_CTRL_TYPE_BOOLEAN.rawValue: return .boolean
        case V4L2_CTRL_TYPE_INTEGER.rawValue where query.minimum <= query.maximum:
            return .integer(
                Int(query.minimum)...Int(query.maximum), step: Int(query.step))
        case V4L2_CTRL_TYPE_MENU.rawValue where query.minimum <= query.maximum:
            var names: [Int: String] = [:]
            for index in max(0, query.minimum)...max(0, min(query.maximum, query.minimum + 64)) {
                var item = v4l2_querymenu()
                item.id = query.id
                item.index = UInt32(index)
                let code = ph_v4l2_query_menu(device.descriptor, &item)
                try device.requirePresence(code, while: action)
                // Menus may have gaps.
                guard code == 0 else { continue }
                names[Int(index)] = text(ph_v4l2_menu_name(&item), 32)
            }
            return .menu(names)
        default: return nil
        }
    }

    /// Returns the name as v4l2-ctl prints it: letters and digits in lower case, with each run of
    /// other characters replaced by one underscore.
    private static func name(_ query: v4l2_queryctrl) -> String {
        let text = withUnsafeBytes(of: query.name) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        return text.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
            .joined(separator: "_")
    }

    private static func text(_ bytes: UnsafePointer<UInt8>, _ limit: Int) -> String {
        String(
            decoding: UnsafeBufferPointer(start: bytes, count: limit).prefix { $0 != 0 },
            as: UTF8.self)
    }
}
