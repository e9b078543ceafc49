// SPDX-License-Identifier: Apache-2.0

/// A decoder of one caption channel of CEA-608.
///
///     var decoder = CEA608Decoder(channel: 1)
///     for pair in pairs where decoder.read(pair) == .replaced { show(decoder.displayed) }
///
/// A channel is decoded from its first mode command on, so reading can begin anywhere. Flashing
/// characters are displayed without flashing. Text services and programme data are ignored.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: CEA-608-E; 47 CFR 79.101 (formerly 15.119).
package struct CEA608Decoder: Sendable {
    /// The effect of a pair on the displayed characters.
    package enum Effect: Sendable {
        case none
        /// Characters were added one after another.
        case written
        /// The displayed characters were replaced.
        case replaced
    }

    /// The caption modes.
    private enum Mode: Hashable {
        case popOn, paintOn
        /// Roll-up captions with the given number of rows.
        case rollUp(Int)
    }

    /// The displayed characters.
    package private(set) var displayed = CEA608Memory()
    private var hidden = CEA608Memory()
    private let field: CaptionPair.Kind
    private let isSecondChannel: Bool
    /// The current mode; nil until the first mode command.
    private var mode: Mode?
    private var row = CEA608Memory.rowCount - 1
    /// The column of the next character. After the last column, it is the number of columns.
    private var column = 0
    private var style = CaptionStyle()
    /// The last command, to ignore its repetition: commands are transmitted twice.
    private var command: (UInt8, UInt8)?
    /// A Boolean value that indicates whether the field's characters belong to the channel.
    private var isAddressed = false
    /// A Boolean value that indicates whether characters belong to the channel's text service.
    private var isText = false
    /// A Boolean value that indicates whether characters belong to programme data.
    private var isProgrammeData = false

    /// Creates a decoder.
    ///
    /// - Precondition: The channel is from 1 to 4.
    package init(channel: Int) {
        precondition((1...4).contains(channel), "CEA-608 has the channels 1 to 4")
        field = channel > 2 ? .secondField : .firstField
        isSecondChannel = channel.isMultiple(of: 2)
    }

    /// The colours that preamble and mid-row codes select, in the order of the codes.
    private static let colors: [UInt32] = [
        0xFFFFFF, 0x00FF00, 0x0000FF, 0x00FFFF, 0xFF0000, 0xFFFF00, 0xFF00FF,
    ]

    /// The rows, counted from 0, that preamble codes select. The index is the lowest three bits of
    /// a code's first byte. A bit of the second byte selects the row at that index or the row below
    /// it. For index 0, there is only one row.
    private static let rows = [10, 0, 2, 11, 13, 4, 6, 8]

    /// Reads a pair. Pairs of another field, and packets of CEA-708, have no effect.
    package mutating func read(_ pair: CaptionPair) -> Effect {
        guard pair.kind == field else { return .none }
        let isFirstSound = pair.first.nonzeroBitCount % 2 == 1
        let isSecondSound = pair.second.nonzeroBitCount % 2 == 1
        let (first, second) = (pair.first & 0x7F, pair.second & 0x7F)
        if isFirstSound, (0x10...0x1F).contains(first) {
            // A command is ignored if either byte has an error, because it is sent twice.
            guard isSecondSound, second >= 0x20 else { return .none }
            return control(first, second)
        }
        if first == 0, second == 0 { return .none }
        command = nil
        if isFirstSound, (0x01...0x0F).contains(first) {
            // Programme data ends with 0x0F and a checksum.
            isProgrammeData = field == .secondField && first != 0x0F
            return .none
        }
        guard !isProgrammeData, isAddressed, !isText else { return .none }
        var effect = Effect.none
        for (code, isSound) in [(first, isFirstSound), (second, isSecondSound)] {
            if !isSound {
                effect = put(CEA608Characters.block)
            } else if code >= 0x20 {
                effect = put(CEA608Characters.basic(code))
            }
        }
        return effect
    }

    private mutating func control(_ first: UInt8, _ second: UInt8) -> Effect {
        isProgrammeData = false
        if let command, command == (first, second) {
            self.command = nil
            return .none
        }
        command = (first, second)
        isAddressed = (first & 8 != 0) == isSecondChannel
        guard isAddressed else { return .none }
        let first = first & 0x17
        switch (first, second) {
        case (0x14, 0x20...0x2F), (0x15, 0x20...0x2F): return perform(second)
        case _ where isText: return .none
        case (_, 0x40...): return preamble(first, second)
        case (0x11, 0x20...0x2F): return midRow(second)
        case (0x11, 0x30...0x3F):
            return put(CEA608Characters.special(second))
        case (0x12...0x13, 0x20...0x3F):
            // An extended character replaces the basic character before it, which is a substitute
            // for receivers without extended characters.
            _ = backspace()
            return put(CEA608Characters.extended(first, second))
        case (0x10, 0x20...0x2F), (0x17, 0x2D...0x2F): return attribute(first, second)
        case (0x17, 0x21...0x23):
            column = min(CEA608Memory.columnCount - 1, column + Int(second & 3))
            return .none
        default: return .none
        }
    }

    // MARK: - Commands

    private mutating func perform(_ code: UInt8) -> Effect {
        switch code {
        case 0x20:  // Resume Caption Loading
            return begin(.popOn)
        case 0x21: return isText ? .none : backspace()
        case 0x24:  // Delete to End of Row
            return isText ? .none : change { $0.clear(row: $1, from: min($2, 31)) }
        case 0x25...0x27: return begin(.rollUp(Int(code) - 0x23))
        case 0x28:  // Flash On, which occupies a column
            return isText ? .none : put(" ")
        case 0x29:  // Resume Direct Captioning
            return begin(.paintOn)
        case 0x2A, 0x2B:  // Text Restart, Resume Text Display
            isText = true
            return .none
        case 0x2C:  // Erase Displayed Memory
            defer { displayed = CEA608Memory() }
            return displayed.isEmpty ? .none : .replaced
        case 0x2D: return isText ? .none : carriageReturn()
        case 0x2E:  // Erase Non-displayed Memory
            hidden = CEA608Memory()
            return .none
        case 0x2F:  // End Of Caption
            _ = begin(.popOn)
            swap(&displayed, &hidden)
            return displayed.isEmpty && hidden.isEmpty ? .none : .replaced
        default: return .none
        }
    }

    /// Begins or resumes a caption mode.
    private mutating func begin(_ mode: Mode) -> Effect {
        isText = false
        let old = self.mode
        self.mode = mode
        guard case .rollUp(let count) = mode else { return .none }
        if case .rollUp = old {
            return clearRows(above: row - count + 1) ? .replaced : .none
        }
        // When roll-up captions begin, both memories are erased, and the base row is the last row.
        (row, column, style) = (CEA608Memory.rowCount - 1, 0, CaptionStyle())
        let wasEmpty = displayed.isEmpty
        (displayed, hidden) = (CEA608Memory(), CEA608Memory())
        return wasEmpty ? .none : .replaced
    }

    private mutating func clearRows(above top: Int) -> Bool {
        let old = displayed
        for row in 0..<max(0, top) { displayed.clear(row: row) }
        return old != displayed
    }

    private mutating func carriageReturn() -> Effect {
        guard case .rollUp(let count) = mode else { return .none }
        (column, style) = (0, CaptionStyle())
        let wasEmpty = displayed.isEmpty
        let top = max(0, row - count + 1)
        _ = clearRows(above: top + 1)
        for target in top..<row { displayed.move(row: target + 1, to: target) }
        displayed.clear(row: row)
        return wasEmpty ? .none : .replaced
    }

    private mutating func preamble(_ first: UInt8, _ second: UInt8) -> Effect {
        let index = Int(first & 7)
        let target = Self.rows[index] + (index != 0 && second & 0x20 != 0 ? 1 : 0)
        style = CaptionStyle()
        style.isUnderlined = second & 1 != 0
        let value = Int(second >> 1 & 0xF)
        column = value >= 8 ? (value - 8) * 4 : 0
        if value == 7 { style.isItalic = true }
        if value < 7 { style.foreground = .init(Self.colors[value]) }
        guard case .rollUp(let count) = mode else {
            row = target
            return .none
        }
        return move(to: max(target, count - 1), count)
    }

    /// Moves the roll-up rows to another base row.
    private mutating func move(to target: Int, _ count: Int) -> Effect {
        guard target != row else { return .none }
        let wasEmpty = displayed.isEmpty
        let rows = (max(0, row - count + 1)...row).map { (row: $0, to: $0 + target - row) }
        for step in target < row ? rows : rows.reversed() where step.to >= 0 {
            displayed.move(row: step.row, to: step.to)
        }
        row = target
        return wasEmpty ? .none : .replaced
    }

    /// Handles a mid-row code, which occupies a column.
    private mutating func midRow(_ code: UInt8) -> Effect {
        let effect = put(" ")
        let value = Int(code >> 1 & 7)
        style.isUnderlined = code & 1 != 0
        style.isItalic = value == 7
        if value < 7 { style.foreground = .init(Self.colors[value]) }
        return effect
    }

    /// Handles a colour code, which replaces the space before it.
    private mutating func attribute(_ first: UInt8, _ second: UInt8) -> Effect {
        _ = backspace()
        if first == 0x17 {
            if second == 0x2D {
                style.background = .clear
            } else {
                style.foreground = .black
                style.isUnderlined = second == 0x2F
            }
        } else {
            let value = Int(second >> 1 & 7)
            style.background = .init(
                value < 7 ? Self.colors[value] : 0,
                opacity: second & 1 != 0 ? CaptionStyle.Color.translucency : 255)
        }
        return put(" ")
    }

    // MARK: - Characters

    /// Changes the memory to which characters are written, at the current row and column.
    private mutating func change(_ body: (inout CEA608Memory, Int, Int) -> Void) -> Effect {
        switch mode {
        case nil: return .none
        case .popOn:
            body(&hidden, row, column)
            return .none
        case .paintOn, .rollUp:
            body(&displayed, row, column)
            return .written
        }
    }

    /// Writes a character; nil for a transparent space. A character beyond the last column
    /// overwrites the character in the last column.
    private mutating func put(_ character: Unicode.Scalar?) -> Effect {
        let cell = character.map { CaptionCell($0, style) }
        let effect = change { $0[$1, min($2, CEA608Memory.columnCount - 1)] = cell }
        if mode != nil { column = min(column + 1, CEA608Memory.columnCount) }
        return effect
    }

    private mutating func backspace() -> Effect {
        guard column > 0 else { return .none }
        column -= 1
        return change { $0[$1, $2] = nil }
    }
}
