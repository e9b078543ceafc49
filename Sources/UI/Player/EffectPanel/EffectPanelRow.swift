// SPDX-License-Identifier: Apache-2.0

import PlayheadEffects

/// A line of the effect panel: what it says, and what can be done there.
struct EffectPanelRow: Equatable {
    /// What stands at the right.
    enum Control: Equatable {
        case none
        /// A switch.
        case toggle(Bool)
        /// A number in a range, and whether there are no others between whole ones.
        case slider(value: Float, range: ClosedRange<Float>, isWhole: Bool)
        /// A menu, and whether its lines are seen below.
        case menu(String, isOpen: Bool)
        /// A line of an open menu.
        case choice(Int32, isChosen: Bool)
        /// A place in the picture, and whether the next click sets it.
        case point(SIMD2<Float>, isPicking: Bool)
        /// A colour; whether its channels are seen below, and whether the next click picks it.
        case color(SIMD4<Float>, isOpen: Bool)
        /// A channel of an open colour.
        case channel(Int, value: Float)
        /// The line of an open colour that has it picked from the picture.
        case picker(isPicking: Bool)
        /// Something that happens.
        case button

        /// Others do something with every click.
        var isSetBackByDoubleClick: Bool {
            if case .slider = self { true } else { false }
        }

        /// What stands behind a slider.
        var number: String {
            switch self {
            case .slider(let value, _, let isWhole): isWhole ? "\(Int64(value))" : Self.short(value)
            case .channel(_, let value): Self.short(value)
            default: ""
            }
        }

        /// Three significant digits or so.
        static func short(_ value: Float) -> String {
            guard value.isFinite, value.magnitude < 1e6 else { return "\(value)" }
            let places: Float = value.magnitude >= 100 ? 1 : value.magnitude >= 10 ? 10 : 1000
            let rounded = (value * places).rounded() / places
            return rounded == rounded.rounded() && places == 1 ? "\(Int(rounded))" : "\(rounded)"
        }
    }

    enum Style: Equatable {
        case title, input, group, note, problem
    }

    /// What a button that belongs to no input does.
    enum Action: String, Equatable, CaseIterable {
        case reset = "Reset"
        case copy = "Copy as --set"
        case split = "Before | after"
        case probe = "Look at pixels"
    }

    var label: String
    var style = Style.input
    var control = Control.none
    /// Which of the effects.
    var effect = 0
    /// Which of its inputs, by name; nil for the effect itself.
    var input: String?
    var action: Action?
}

extension EffectPanelRow {
    /// What a panel is folded out to.
    struct State: Equatable {
        /// An input.
        struct Place: Hashable {
            var effect: Int
            var input: String
        }

        var open: Set<Place> = []
        var picking: Place?
        var isSplit = false
        var isProbing = false
    }

    /// The lines for effects.
    ///
    /// - Parameter failures: what is wrong with the newest state of their files, by index.
    static func rows(
        for effects: [EffectInstance], _ state: State, failures: [Int: String]
    ) -> [EffectPanelRow] {
        var rows: [EffectPanelRow] = []
        if let failure = failures[EffectPanel.preset] {
            rows += problemLines(failure).prefix(mostProblemLines).map {
                EffectPanelRow(label: $0, style: .problem)
            }
        }
        for (index, instance) in effects.enumerated() {
            let effect = instance.effect
            var title = effect.name
            let time = instance.passNanoseconds
            if !time.isEmpty {
                title += "   " + time.map(milliseconds).joined(separator: " + ") + " ms"
            }
            rows.append(
                EffectPanelRow(
                    label: title, style: .title, control: .toggle(instance.isEnabled), effect: index
                )
            )
            if let failure = failures[index] ?? instance.error?.excerpt {
                rows += problemLines(failure).prefix(mostProblemLines).map {
                    EffectPanelRow(label: $0, style: .problem, effect: index)
                }
            }
            var group = ""
            for input in effect.inputs where !input.isSampler && input.name != "progress" {
                if input.group != group, !input.group.isEmpty {
                    rows.append(EffectPanelRow(label: input.group, style: .group, effect: index))
                }
                group = input.group
                rows += self.rows(for: input, of: instance, index, state)
            }
            if let probe = instance.probe, state.isProbing {
                rows += probe.readings.map {
                    EffectPanelRow(label: $0.text, style: .note, effect: index)
                }
            }
        }
        for action in Action.allCases {
            var row = EffectPanelRow(label: action.rawValue, control: .button, action: action)
            switch action {
            case .split: row.control = .toggle(state.isSplit)
            case .probe: row.control = .toggle(state.isProbing)
            case .reset, .copy: break
            }
            rows.append(row)
        }
        return rows
    }

    private static let mostProblemLines = 8
    /// Letters of a problem that fit into a line, all being as wide.
    private static let problemColumns = 43

    /// What is wrong in lines of the panel's width: sentences are broken between words, and of a line of the
    /// author's that part is seen which the caret below it points into.
    ///
    /// - Parameter columns: letters that fit into a line.
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
            // Of tabs nobody knows how wide they are here.
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
        var row = EffectPanelRow(label: input.label, effect: effect, input: input.name)
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
                        label: "    " + $0.label,
                        control: .choice($0.value, isChosen: $0.value == value), effect: effect,
                        input: input.name)
                }
        case .point2D(let value): row.control = .point(value, isPicking: isPicking)
        case .color(let value):
            row.control = .color(value, isOpen: isOpen)
            guard isOpen else { break }
            var rows = [row]
            for (channel, name) in ["red", "green", "blue", "alpha"].enumerated() {
                rows.append(
                    EffectPanelRow(
                        label: "    " + name, control: .channel(channel, value: value[channel]),
                        effect: effect, input: input.name))
            }
            rows.append(
                EffectPanelRow(
                    label: "    from the picture", control: .picker(isPicking: isPicking),
                    effect: effect, input: input.name))
            return rows
        case .image, nil: return []
        }
        return [row]
    }

    private static func milliseconds(_ nanoseconds: Int64) -> String {
        let hundredths = Int((Double(nanoseconds) / 10_000).rounded())
        let digits = hundredths % 100
        return "\(hundredths / 100).\(digits / 10)\(digits % 10)"
    }
}

extension EffectValue {
    /// A whole number from a slider, whose range may go beyond all whole numbers.
    static func long(nearest number: Float) -> EffectValue {
        .long(Int32(exactly: number.rounded()) ?? (number < 0 ? .min : .max))
    }
}

extension EffectInput {
    /// From where to where a slider goes; where the file does not say, from 0 to 1, or to twice the
    /// default.
    var sliderRange: ClosedRange<Float> {
        func number(_ value: EffectValue?) -> Float? {
            switch value {
            case .float(let value): value
            case .long(let value): Float(value)
            default: nil
            }
        }
        // So that its length is a number, too.
        func bound(_ number: Float) -> Float { min(max(number, -1e38), 1e38) }
        let standard = number(defaultValue) ?? 0
        let low = bound(number(minimum) ?? min(0, 2 * standard))
        let high = bound(number(maximum) ?? max(1, 2 * standard))
        return low < high ? low...high : low...(low + 1)
    }

    /// The point that a place in the picture stands for, given in fractions with (0, 0) at the lower
    /// left corner: in the input's own range.
    func point(at place: SIMD2<Float>) -> SIMD2<Float> {
        guard case .point2D(let low) = minimum, case .point2D(let high) = maximum else {
            return place
        }
        return low + (high - low) * place
    }
}

extension String {
    /// Its words in lines of so many letters, or longer where a word is.
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
