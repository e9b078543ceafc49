// SPDX-License-Identifier: Apache-2.0

import PlayheadJSON

extension ISFImporter.Reader {
    func inputs() throws(EffectError) -> [EffectInput] {
        var inputs: [EffectInput] = []
        for value in try list("INPUTS") {
            let name = try requireName(
                value["NAME"]?.string, "an input's NAME", key: "NAME")
            let type = value["TYPE"]?.string ?? "nothing"
            guard let kind = EffectInput.Kind(rawValue: type) else {
                throw malformed(
                    "input '\(name)' has TYPE '\(type)'; supported types are "
                        + EffectInput.Kind.allCases.map(\.rawValue).joined(separator: ", "),
                    at: name)
            }
            guard inputs.count < SourceLimits.inputs else {
                throw .beyondLimit(
                    path: path, line: line(of: name),
                    reason: "it has more than \(SourceLimits.inputs) inputs")
            }
            guard !inputs.contains(where: { $0.name == name }) else {
                throw .malformedHeader(
                    path: path, line: line(of: name, key: "NAME", isLast: true), column: nil,
                    reason: "two inputs have the name '\(name)'")
            }
            inputs.append(try input(name: name, kind: kind, value))
        }
        return inputs
    }

    private func input(
        name: String, kind: EffectInput.Kind, _ json: JSONValue
    ) throws(EffectError) -> EffectInput {
        var input = EffectInput(name: name, kind: kind)
        input.label = json["LABEL"]?.string ?? name
        input.group = json["GROUP"]?.string ?? ""
        input.choices = kind == .long ? try choices(of: name, json) : []
        input.minimum = try value("MIN", of: input, json)
        input.maximum = try value("MAX", of: input, json)
        input.identity = try value("IDENTITY", of: input, json)
        let written = try value("DEFAULT", of: input, json)
        switch kind {
        case .float:
            input.defaultValue = Self.number(written, from: input.minimum, to: input.maximum)
        // This is VVISF's default, because the specification has none.
        case .bool: input.defaultValue = written ?? .bool(true)
        default:
            if let value = written ?? input.choices.first.map({ .long($0.value) }) {
                input.defaultValue = value
            }
        }
        input.sampleCount = Self.sampleCount(json, kind)
        return input
    }

    /// Returns the default of a number, as in VVISF, the reference implementation. If no default is
    /// given, it is the middle of the range, or 0.5 if there is no range. A given default is
    /// clamped to the range.
    private static func number(
        _ written: EffectValue?, from low: EffectValue?, to high: EffectValue?
    ) -> EffectValue {
        guard case .float(let low) = low, case .float(let high) = high else {
            return written ?? .float(0.5)
        }
        guard case .float(let written) = written else { return .float(low / 2 + high / 2) }
        // If the range is empty, the value is not clamped.
        return .float(low <= high ? min(max(written, low), high) : written)
    }

    /// Returns the choices of the menu of a `long`: numbers, each with a label.
    private func choices(
        of name: String, _ json: JSONValue
    ) throws(EffectError) -> [EffectInput.Choice] {
        let labels = try list("LABELS", in: json)
        var choices: [EffectInput.Choice] = []
        for (index, written) in try list("VALUES", in: json).enumerated() {
            guard let number = written.number ?? written.string.flatMap(Double.init),
                number.isFinite
            else {
                throw malformed("the VALUES of input '\(name)' must be numbers", ofInput: name)
            }
            let value = Self.integer(number)
            var label = "\(value)"
            if labels.indices.contains(index) {
                guard let text = labels[index].string else {
                    throw malformed(
                        "the LABELS of input '\(name)' must be strings", ofInput: name)
                }
                label = text
            }
            choices.append(EffectInput.Choice(value: value, label: label))
        }
        return choices
    }

    /// Returns the value of a key of an input. Strings that stand for another type are parsed in
    /// the notation of the command line.
    private func value(
        _ key: String, of input: EffectInput, _ json: JSONValue
    ) throws(EffectError) -> EffectValue? {
        let expected: String
        switch input.kind {
        case .event, .image, .audio, .audioFFT: return nil
        case .bool: expected = "true or false"
        case .long, .float: expected = "a number"
        case .point2D: expected = "an array of two numbers"
        case .color: expected = "an array of four numbers"
        }
        guard let written = json[key], !written.isNull else { return nil }
        let value =
            if let text = written.string {
                input.value(parsing: String(ShaderText.trimmed(text[...])))
            } else {
                Self.value(written, input.kind)
            }
        guard let value else {
            throw malformed(
                "the \(key) of input '\(input.name)' must be \(expected)", ofInput: input.name)
        }
        return value
    }

    private func malformed(_ reason: String, ofInput name: String) -> EffectError {
        .malformedHeader(
            path: path, line: line(of: name, key: "NAME"), column: nil, reason: reason)
    }

    /// The maximum number of samples: a width that every OpenGL implementation supports.
    private static let mostSamples = 4096.0

    private static func sampleCount(_ json: JSONValue, _ kind: EffectInput.Kind) -> Int? {
        guard kind == .audio || kind == .audioFFT, let number = json["MAX"]?.number,
            number >= 1
        else { return nil }
        return Int(min(number, mostSamples))
    }

    /// Returns the nearest integer that GLSL's `int` can represent.
    private static func integer(_ number: Double) -> Int32 {
        Int32(min(max(number.rounded(), Double(Int32.min)), Double(Int32.max)))
    }

    private static func value(_ json: JSONValue, _ kind: EffectInput.Kind) -> EffectValue? {
        switch kind {
        case .bool: return json.bool.map { .bool($0) }
        case .long: return json.number.map { .long(integer($0)) }
        case .float: return json.float.map { .float($0) }
        case .point2D:
            // In some files a single number stands for both components.
            if let number = json.float { return .point2D([number, number]) }
            guard let numbers = json.numbers, numbers.count >= 2 else { return nil }
            return .point2D([numbers[0], numbers[1]])
        case .color:
            if let number = json.float {
                return .color([number, number, number, 1])
            }
            guard let numbers = json.numbers, numbers.count >= 3 else { return nil }
            return .color([
                numbers[0], numbers[1], numbers[2], numbers.count > 3 ? numbers[3] : 1,
            ])
        case .event, .image, .audio, .audioFFT: return nil
        }
    }
}
