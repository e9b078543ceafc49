// SPDX-License-Identifier: Apache-2.0

import PlayheadEffects

/// A row of the effect panel: a label and a control.
struct EffectPanelRow: Equatable {
    /// The control at the right of the row.
    enum Control: Equatable {
        case none
        case toggle(Bool)
        /// A slider for a number in a range; `isWhole` is true for integers.
        case slider(value: Float, range: ClosedRange<Float>, isWhole: Bool)
        /// A menu, with the title of the chosen item. While the menu is open, its items follow as
        /// rows.
        case menu(String, isOpen: Bool)
        /// An item of an open menu.
        case choice(Int32, isChosen: Bool)
        /// A point in the video. If `isPicking` is true, the next click sets it.
        case point(SIMD2<Float>, isPicking: Bool)
        /// A colour. While it is open, its channels follow as rows.
        case color(SIMD4<Float>, isOpen: Bool)
        /// A channel of an open colour row.
        case channel(Int, value: Float)
        /// A row below an open colour. A click on it starts picking the colour from the video.
        case picker(isPicking: Bool)
        /// A bar without a knob, for a fraction from 0 to 1.
        case share(Double)
        case button

        /// A Boolean value that indicates whether a double click resets the input. In other rows,
        /// each of the two clicks has an effect.
        var isResetByDoubleClick: Bool {
            if case .slider = self { true } else { false }
        }

        /// A Boolean value that indicates whether the value can be typed as a number.
        var isNumber: Bool {
            switch self {
            case .slider, .channel: true
            default: false
            }
        }

        /// The number that the slider shows, as text.
        var number: String {
            switch self {
            case .slider(let value, _, let isWhole): isWhole ? "\(Int64(value))" : Self.short(value)
            case .channel(_, let value): Self.short(value)
            default: ""
            }
        }

        /// Returns a number as text, with about three significant digits.
        static func short(_ value: Float) -> String {
            guard value.isFinite, value.magnitude < 1e6 else { return "\(value)" }
            let places: Float = value.magnitude >= 100 ? 1 : value.magnitude >= 10 ? 10 : 1000
            let rounded = (value * places).rounded() / places
            return rounded == rounded.rounded() && places == 1 ? "\(Int(rounded))" : "\(rounded)"
        }
    }

    enum Style: Equatable {
        /// A row with the name of an effect.
        case title
        /// A row with the name of a group of inputs, or the title of the table of passes.
        case group
        /// A row of the table of passes.
        case pass
        case input
        /// A row that is a part of the row above it.
        case part
        case note, problem
    }

    /// An action of a row that belongs to no input.
    enum Action: String, Equatable, CaseIterable {
        case split = "Compare with original"
        case probe = "Inspect pixels"
        case reset = "Reset all"
        case copy = "Copy as --set"

        var isForEffects: Bool { self == .split || self == .probe }
    }

    var label: String
    var style = Style.input
    var control = Control.none
    /// The text at the right edge of a row without a slider.
    var value = ""
    /// The unit that follows the number.
    var unit = ""
    /// The index of the effect, or `EffectPanel.settingsIndex`.
    var effect = 0
    /// The name of the effect's input or of the setting; nil for the effect itself.
    var input: String?
    var action: Action?
    /// The part of the panel that the row folds, or nil.
    var fold: State.Fold?
    /// A Boolean value that indicates whether the part in `fold` is visible.
    var isOpen = true

    /// The number of a slider, with its unit.
    var numberWithUnit: String { unit.isEmpty ? control.number : "\(control.number) \(unit)" }
}

extension EffectPanelRow {
    /// The open parts of the panel, and the pointer's current action.
    struct State: Equatable {
        /// An input.
        struct Place: Hashable {
            var effect: Int
            var input: String
        }

        /// A part of the panel that can be folded.
        struct Fold: Hashable {
            enum Part: Hashable {
                case effect, passes
                case group(String)
            }

            var effect: Int
            var part: Part
        }

        var open: Set<Place> = []
        /// The parts that the user has opened or folded, contrary to their default.
        var toggled: Set<Fold> = []
        var picking: Place?
        var isSplit = false
        var isProbing = false

        /// Returns whether a part is open. By default, all parts are open except the table of
        /// passes.
        func isOpen(_ fold: Fold) -> Bool { toggled.contains(fold) == (fold.part == .passes) }
    }

    /// Returns the rows for effects.
    ///
    /// - Parameters:
    ///   - settings: the rows of the settings, which precede those of the effects.
    ///   - failures: the errors in the newest versions of the effects' files, by index.
    ///   - columns: the number of monospaced characters in a line of an error.
    static func rows(
        for effects: [EffectInstance], settings: [EffectPanelRow] = [], _ state: State,
        failures: [Int: String], columns: Int = problemColumns
    ) -> [EffectPanelRow] {
        func problems(_ text: String?, effect: Int = 0) -> [EffectPanelRow] {
            guard let text else { return [] }
            return problemLines(text, columns: columns).prefix(mostProblemLines).map {
                EffectPanelRow(label: $0, style: .problem, effect: effect)
            }
        }
        var rows = problems(failures[EffectPanel.preset]) + settings
        for (index, instance) in effects.enumerated() {
            let times = instance.passNanoseconds
            var title = EffectPanelRow(
                label: instance.effect.name, style: .title, control: .toggle(instance.isEnabled),
                effect: index, fold: State.Fold(effect: index, part: .effect))
            if !times.isEmpty { title.value = milliseconds(times.reduce(0, +)) }
            title.isOpen = title.fold.map(state.isOpen) ?? true
            rows.append(title)
            rows += problems(failures[index] ?? instance.error?.excerpt, effect: index)
            guard title.isOpen else { continue }
            rows += passRows(of: instance.effect, times, index, state)
            rows += inputRows(of: instance, index, state)
            if let probe = instance.probe, state.isProbing {
                rows += probe.readings.map {
                    EffectPanelRow(label: $0.text, style: .note, effect: index)
                }
            }
        }
        return rows
            + Action.allCases.filter { !effects.isEmpty || !$0.isForEffects }.map { action in
                let control: Control =
                    switch action {
                    case .split: .toggle(state.isSplit)
                    case .probe: .toggle(state.isProbing)
                    case .reset, .copy: .button
                    }
                return EffectPanelRow(label: action.rawValue, control: control, action: action)
            }
    }

    /// Returns the table of passes with their times. It is empty for an effect with one pass.
    private static func passRows(
        of effect: Effect, _ times: [Int64], _ index: Int, _ state: State
    ) -> [EffectPanelRow] {
        guard times.count > 1 else { return [] }
        var header = EffectPanelRow(
            label: "Passes", style: .group, value: "\(times.count)", effect: index,
            fold: State.Fold(effect: index, part: .passes))
        header.isOpen = header.fold.map(state.isOpen) ?? false
        guard header.isOpen else { return [header] }
        let longest = Double(max(1, times.max() ?? 1))
        // Skipped passes take no time and are not in the list.
        let names = times.count == effect.passes.count ? effect.passes.map(\.target) : []
        return [header]
            + times.enumerated().map { number, time in
                let name = names.indices.contains(number) ? names[number] ?? "output" : "pass"
                return EffectPanelRow(
                    label: "\(number + 1)  \(name)", style: .pass,
                    control: .share(Double(time) / longest), value: milliseconds(time),
                    effect: index)
            }
    }

    /// Returns the rows of inputs: first those without a group, then each group below its name.
    private static func inputRows(
        of instance: EffectInstance, _ index: Int, _ state: State
    ) -> [EffectPanelRow] {
        let inputs = instance.effect.inputs.filter { !$0.isSampler && $0.name != "progress" }
        var groups = [""]
        for input in inputs where !groups.contains(input.group) { groups.append(input.group) }
        return groups.flatMap { group in
            let rows = inputs.filter { $0.group == group }.flatMap {
                Self.rows(for: $0, of: instance, index, state)
            }
            if group.isEmpty { return rows }
            let fold = State.Fold(effect: index, part: .group(group))
            let header = EffectPanelRow(
                label: group, style: .group, effect: index, fold: fold, isOpen: state.isOpen(fold))
            return header.isOpen ? [header] + rows : [header]
        }
    }

    private static let mostProblemLines = 8
    private static let problemColumns = 43

    /// Returns an error as lines. Sentences are wrapped between words. A source line is reduced to
    /// the part around the caret.
    ///
    /// - Parameter columns: The number of characters in a line.
    static func problemLines(_ text: String, columns: Int = problemColumns) -> [String] {
        let lines = text.split(separator: "\n").map { String($0) }
        var result: [String] = []
        for (index, line) in lines.enumerated() {
            if isCaret(line) { continue }
            let next = lines.indices.contains(index + 1) ? lines[index + 1] : ""
            guard isCaret(next), let place = next.firstIndex(of: "^") else {
                result += line.wrapped(to: columns)
                continue
            }
            // The width of a tab is unknown here.
            let source = line.map { $0.isWhitespace ? " " : $0 }
            let column = next.distance(from: next.startIndex, to: place)
            let indentation = source.prefix { $0 == " " }.count
            let first = max(indentation, column - columns * 2 / 3)
            result.append(String(source[min(first, source.count)...].prefix(columns)))
            result.append(String(repeating: " ", count: max(0, column - first)) + "^")
        }
        return result
    }

    private static func isCaret(_ line: String) -> Bool {
        line.last == "^" && line.dropLast().allSatisfy(\.isWhitespace)
    }

    private static func rows(
        for input: EffectInput, of instance: EffectInstance, _ effect: Int, _ state: State
    ) -> [EffectPanelRow] {
        let place = State.Place(effect: effect, input: input.name)
        let isOpen = state.open.contains(place)
        let isPicking = state.picking == place
        let label = InputLabel(input.label)
        var row = EffectPanelRow(
            label: label.text, unit: label.unit, effect: effect, input: input.name)
        if instance.animation(for: input.name) != nil { row.label += " (animated)" }
        switch instance.value(for: input.name) {
        case .event: row.control = .button
        case .bool(let value): row.control = .toggle(value)
        case .float(let value):
            row.control = .slider(value: value, range: input.sliderRange, isWhole: false)
        case .long(let value):
            guard !input.choices.isEmpty else {
                row.control = .slider(
                    value: Float(value), range: input.sliderRange, isWhole: true)
                break
            }
            let chosen = input.choices.first { $0.value == value }
            row.control = .menu(chosen?.label ?? "\(value)", isOpen: isOpen)
            guard isOpen else { break }
            return [row]
                + input.choices.map {
                    EffectPanelRow(
                        label: $0.label, style: .part,
                        control: .choice($0.value, isChosen: $0.value == value), effect: effect,
                        input: input.name)
                }
        case .point2D(let value): row.control = .point(value, isPicking: isPicking)
        case .color(let value):
            row.control = .color(value, isOpen: isOpen)
            guard isOpen else { break }
            var rows = [row]
            for (channel, name) in ["Red", "Green", "Blue", "Alpha"].enumerated() {
                rows.append(
                    EffectPanelRow(
                        label: name, style: .part,
                        control: .channel(channel, value: value[channel]), effect: effect,
                        input: input.name))
            }
            rows.append(
                EffectPanelRow(
                    label: "From the video", style: .part, control: .picker(isPicking: isPicking),
                    effect: effect, input: input.name))
            return rows
        case .image, nil: return []
        }
        return [row]
    }

    private static func milliseconds(_ nanoseconds: Int64) -> String {
        let hundredths = Int((Double(nanoseconds) / 10_000).rounded())
        let digits = hundredths % 100
        return "\(hundredths / 100).\(digits / 10)\(digits % 10) ms"
    }
}

extension EffectValue {
    /// Returns the integer nearest to a number, clamped to the range of 32 bits.
    static func long(nearest number: Float) -> EffectValue {
        .long(Int32(exactly: number.rounded()) ?? (number < 0 ? .min : .max))
    }
}

extension EffectInput {
    /// The range of the slider. If the file specifies no minimum, it is 0, or twice the default
    /// value if that is lower. If the file specifies no maximum, it is 1, or twice the default
    /// value if that is higher.
    var sliderRange: ClosedRange<Float> {
        func number(_ value: EffectValue?) -> Float? {
            switch value {
            case .float(let value): value
            case .long(let value): Float(value)
            default: nil
            }
        }
        // The length of the range must be finite, too.
        func bound(_ number: Float) -> Float { min(max(number, -1e38), 1e38) }
        let standard = number(defaultValue) ?? 0
        let low = bound(number(minimum) ?? min(0, 2 * standard))
        let high = bound(number(maximum) ?? max(1, 2 * standard))
        return low < high ? low...high : low...(low + 1)
    }

    /// Returns the value of a point input for a position in the video. The position is in fractions
    /// of the video, from its lower left corner.
    func point(at place: SIMD2<Float>) -> SIMD2<Float> {
        guard case .point2D(let low) = minimum, case .point2D(let high) = maximum else {
            return place
        }
        return low + (high - low) * place
    }
}

extension String {
    /// Wraps the text between words into lines of at most `columns` characters. A word that is
    /// longer has a line of its own.
    fileprivate func wrapped(to columns: Int) -> [String] {
        var lines: [String] = []
        for word in split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= columns {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
