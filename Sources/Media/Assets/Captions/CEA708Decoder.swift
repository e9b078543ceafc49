// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// A decoder of one caption service of CEA-708.
///
/// Text is written from left to right and scrolls up; other directions, effects and flashing are
/// not drawn.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: CEA-708-E, 7 and 8; 47 CFR 79.102.
package struct CEA708Decoder: Sendable {
    /// The windows that are defined, by their numbers.
    package private(set) var windows = [CEA708Window?](repeating: nil, count: 8)
    private var current: Int?
    /// The data that waits for the end of a delay.
    private var delayed: [UInt8] = []
    private var delayEnd: MediaTime?

    /// The size of a receiver's buffer. A delay ends when the buffer is full (CEA-708-E,
    /// 8.10.5.13).
    private static let bufferSize = 128

    package init() {}

    /// The displayed windows, from back to front. Empty windows are left out.
    package var displayed: [CEA708Window] {
        windows.compactMap { $0 }.filter { $0.isVisible && !$0.isEmpty }
            .sorted { $0.priority > $1.priority }
    }

    /// A change of the displayed windows.
    package struct Change {
        package var effect: CEA608Decoder.Effect
        package var time: MediaTime
        /// The windows that were displayed before the change.
        package var before: [CEA708Window]
    }

    /// Reads the data of a block.
    package mutating func read(_ bytes: [UInt8], at time: MediaTime) -> [Change] {
        var changes = resume(at: time)
        delayed += bytes
        // Delay Cancel and Reset take effect immediately, even during a delay.
        if delayEnd != nil,
            delayed.count > Self.bufferSize || bytes.contains(0x8E) || bytes.contains(0x8F)
        {
            delayEnd = nil
        }
        if delayEnd == nil { changes += perform(at: time) }
        return changes
    }

    /// Performs the commands after a delay that has ended.
    package mutating func resume(at time: MediaTime) -> [Change] {
        var changes: [Change] = []
        while let end = delayEnd, end <= time {
            delayEnd = nil
            changes += perform(at: end)
        }
        return changes
    }

    private mutating func perform(at time: MediaTime) -> [Change] {
        var changes: [Change] = []
        var place = 0
        while delayEnd == nil, place < delayed.count,
            let length = Self.length(of: delayed[place...])
        {
            let code = delayed[place..<place + length]
            place += length
            let before = windows
            let effect = perform(code, at: time)
            if effect != .none {
                var old = self
                old.windows = before
                changes.append(Change(effect: effect, time: time, before: old.displayed))
            }
        }
        delayed.removeFirst(place)
        return changes
    }

    /// Returns the number of bytes of the first code; nil if it is incomplete.
    private static func length(of bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.first else { return nil }
        let length: Int
        switch first {
        case 0x10:
            guard let second = bytes.dropFirst().first else { return nil }
            switch second {
            case 0x00...0x07: length = 2
            case 0x08...0x0F: length = 3
            case 0x10...0x17: length = 4
            case 0x18...0x1F: length = 5
            case 0x80...0x87: length = 6
            case 0x88...0x8F: length = 7
            case 0x90...0x9F:
                guard let size = bytes.dropFirst(2).first else { return nil }
                length = 3 + Int(size & 0x3F)
            default: length = 2
            }
        case 0x11...0x17: length = 2
        case 0x18...0x1F: length = 3
        case 0x88...0x8D: length = 2
        case 0x90, 0x92: length = 3
        case 0x91: length = 4
        case 0x97: length = 5
        case 0x98...0x9F: length = 7
        default: length = 1
        }
        return length <= bytes.count ? length : nil
    }

    // MARK: - Codes

    private mutating func perform(
        _ code: ArraySlice<UInt8>, at time: MediaTime
    ) -> CEA608Decoder.Effect {
        let bytes = Array(code)
        switch bytes[0] {
        case 0x08: return write { $0.backspace() }
        case 0x0C: return change { $0.clear() }
        case 0x0D: return change { $0.carriageReturn() }
        case 0x0E: return change { $0.clearRow() }
        case 0x10:
            guard (0x20...0x7F).contains(bytes[1]) || bytes[1] >= 0xA0 else { return .none }
            return write { $0.put(CEA708Characters.extended(bytes[1])) }
        case 0x18:
            // A character of 16 bits.
            let scalar = Unicode.Scalar(UInt16(bytes[1]) << 8 | UInt16(bytes[2])) ?? "_"
            return write { $0.put(scalar) }
        case 0x20...0x7F, 0xA0...0xFF:
            return write { $0.put(CEA708Characters.basic(bytes[0])) }
        case 0x80...0x87:
            let number = Int(bytes[0] & 7)
            if windows[number] != nil { current = number }
            return .none
        case 0x88: return each(bytes[1]) { $0?.clear() }
        case 0x89: return each(bytes[1]) { $0?.isVisible = true }
        case 0x8A: return each(bytes[1]) { $0?.isVisible = false }
        case 0x8B: return each(bytes[1]) { $0?.isVisible.toggle() }
        case 0x8C:
            if let current, bytes[1] >> UInt8(current) & 1 != 0 { self.current = nil }
            return each(bytes[1]) { $0 = nil }
        case 0x8D:
            delayEnd = time + MediaTime(value: Int64(bytes[1]), timescale: 10)
            return .none
        case 0x8F:
            current = nil
            return each(0xFF) { $0 = nil }
        case 0x90: return setPen { Self.setAttributes(of: &$0, bytes) }
        case 0x91: return setPen { Self.setColors(of: &$0, bytes) }
        case 0x92:
            return setWindow { $0.move(toRow: Int(bytes[1] & 15), column: Int(bytes[2] & 63)) }
        case 0x97: return change { Self.setAttributes(of: &$0, bytes) }
        case 0x98...0x9F: return define(bytes)
        default: return .none
        }
    }

    /// Changes the windows whose bits are set in a bitmap.
    private mutating func each(
        _ bitmap: UInt8, _ body: (inout CEA708Window?) -> Void
    ) -> CEA608Decoder.Effect {
        let before = displayed
        for number in 0..<8 where bitmap >> UInt8(number) & 1 != 0 && windows[number] != nil {
            body(&windows[number])
        }
        return before == displayed ? .none : .replaced
    }

    private mutating func setWindow(
        _ body: (inout CEA708Window) -> Void
    ) -> CEA608Decoder.Effect {
        if let current, windows[current] != nil { body(&windows[current]!) }
        return .none
    }

    private mutating func setPen(_ body: (inout CaptionStyle) -> Void) -> CEA608Decoder.Effect {
        setWindow { body(&$0.style) }
    }

    /// Writes into the current window.
    private mutating func write(_ body: (inout CEA708Window) -> Void) -> CEA608Decoder.Effect {
        _ = setWindow(body)
        return current.flatMap { windows[$0] }?.isVisible == true ? .written : .none
    }

    /// Changes the current window in a way other than writing.
    private mutating func change(_ body: (inout CEA708Window) -> Void) -> CEA608Decoder.Effect {
        let before = current.flatMap { windows[$0] }
        _ = setWindow(body)
        guard let before, before.isVisible, !before.isEmpty else { return .none }
        return before == current.flatMap { windows[$0] } ? .none : .replaced
    }

    /// Defines a window and makes it the current one (CEA-708-E, 8.10.5.2).
    private mutating func define(_ bytes: [UInt8]) -> CEA608Decoder.Effect {
        let number = Int(bytes[0] & 7)
        let before = displayed
        let isNew = windows[number] == nil
        var window = windows[number] ?? CEA708Window()
        window.isVisible = bytes[1] & 0x20 != 0
        window.priority = Int(bytes[1] & 7)
        window.anchor.isRelative = bytes[2] & 0x80 != 0
        window.anchor.vertical = Int(bytes[2] & 0x7F)
        window.anchor.horizontal = Int(bytes[3])
        window.anchor.point = min(8, Int(bytes[4] >> 4))
        window.resize(rows: Int(bytes[4] & 15) + 1, columns: Int(bytes[5] & 63) + 1)
        // Style 0 keeps the style of an existing window, and selects style 1 for a new one.
        let (windowStyle, penStyle) = (Int(bytes[6] >> 3 & 7), Int(bytes[6] & 7))
        window.apply(windowStyle: isNew ? max(1, windowStyle) : windowStyle)
        window.apply(penStyle: isNew ? max(1, penStyle) : penStyle)
        windows[number] = window
        current = number
        return before == displayed ? .none : .replaced
    }

    // MARK: - Attributes

    private static func color(_ byte: UInt8) -> CaptionStyle.Color {
        let levels: [UInt32] = [0x00, 0x55, 0xAA, 0xFF]
        let rgb =
            levels[Int(byte >> 4 & 3)] << 16 | levels[Int(byte >> 2 & 3)] << 8
            | levels[Int(byte & 3)]
        // Solid, flashing, translucent, transparent.
        let opacities: [UInt8] = [255, 255, CaptionStyle.Color.translucency, 0]
        return CaptionStyle.Color(rgb, opacity: opacities[Int(byte >> 6)])
    }

    private static func setColors(of style: inout CaptionStyle, _ bytes: [UInt8]) {
        style.foreground = color(bytes[1])
        style.background = color(bytes[2])
        style.edgeColor = CaptionStyle.Color(color(bytes[3] & 63).rgb)
    }

    private static func setAttributes(of style: inout CaptionStyle, _ bytes: [UInt8]) {
        let scales = [0.75, 1, 1.25, 1]
        style.scale = scales[Int(bytes[1] & 3)]
        style.isItalic = bytes[2] & 0x80 != 0
        style.isUnderlined = bytes[2] & 0x40 != 0
        style.edge = CaptionStyle.Edge(rawValue: bytes[2] >> 3 & 7) ?? .none
        style.face = CaptionStyle.Face(rawValue: bytes[2] & 7) ?? .standard
    }

    private static func setAttributes(of window: inout CEA708Window, _ bytes: [UInt8]) {
        window.fill = color(bytes[1])
        let border = bytes[2] >> 6 | (bytes[3] >> 7) << 2
        window.border = border == 0 ? nil : CaptionStyle.Color(color(bytes[2] & 63).rgb)
        window.wraps = bytes[3] & 0x40 != 0
        window.justification = CEA708Window.Justification(rawValue: bytes[3] & 3) ?? .left
    }
}
