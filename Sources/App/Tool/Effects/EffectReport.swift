// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// The report of `effect info` and `effect list`.
struct EffectReport: Encodable {
    struct Input: Encodable {
        let name: String
        let type: String
        let label: String
        let group: String?
        let defaultValue: Value?
        let minimum: Value?
        let maximum: Value?
        let identity: Value?
        let choices: [Choice]?
    }

    struct Choice: Encodable {
        let value: Int32
        let label: String
    }

    struct Pass: Encodable {
        let target: String?
        let persistent: Bool
        let precision: String
        let width: String?
        let height: String?
        let summary: String?
    }

    /// A value in JSON form: a Boolean, a number, or several numbers. JSON has no infinity, so null
    /// is used.
    struct Value: Encodable {
        let value: EffectValue

        init?(_ value: EffectValue?) {
            switch value {
            case .bool, .long, .float, .point2D, .color: self.value = value ?? .event
            default: return nil
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch value {
            case .bool(let value): try container.encode(value)
            case .long(let value): try container.encode(value)
            case .float(let value): try container.encode(Self.finite(value))
            case .point2D(let value):
                try container.encode([value.x, value.y].map(Self.finite))
            case .color(let value):
                try container.encode([value.x, value.y, value.z, value.w].map(Self.finite))
            case .event, .image: try container.encodeNil()
            }
        }

        private static func finite<Number: BinaryFloatingPoint>(_ value: Number) -> Number? {
            value.isFinite ? value : nil
        }
    }

    let name: String
    let path: String
    let format: String
    let kind: String
    let summary: String
    let credit: String
    let categories: [String]
    let inputs: [Input]
    let passes: [Pass]

    init(_ effect: Effect) {
        name = effect.name
        path = effect.path
        format = effect.format.rawValue
        kind = effect.kind.rawValue
        summary = effect.summary
        credit = effect.credit
        categories = effect.categories
        inputs = effect.inputs.map { input in
            Input(
                name: input.name, type: input.kind.rawValue, label: input.label,
                group: input.group.isEmpty ? nil : input.group,
                defaultValue: Value(input.defaultValue), minimum: Value(input.minimum),
                maximum: Value(input.maximum), identity: Value(input.identity),
                choices: input.choices.isEmpty
                    ? nil : input.choices.map { Choice(value: $0.value, label: $0.label) })
        }
        passes = effect.passes.map {
            Pass(
                target: $0.target, persistent: $0.isPersistent, precision: $0.precision.rawValue,
                width: $0.width?.text, height: $0.height?.text,
                summary: $0.summary.isEmpty ? nil : $0.summary)
        }
    }

    /// The report as text, in lines.
    var lines: [String] {
        var lines = [
            "\(name)  \(summary)",
            "  \(kind), \(format)" + (credit.isEmpty ? "" : ", by \(credit)"),
        ]
        if passes.count > 1 { lines.append("  \(passes.count) passes") }
        for input in inputs {
            var line = "  \(input.name)  \(input.type)"
            if let value = input.defaultValue { line += "  \(value.text)" }
            if let minimum = input.minimum, let maximum = input.maximum {
                line += "  (\(minimum.text) to \(maximum.text))"
            }
            if let choices = input.choices {
                line += "  " + choices.map { "\($0.value) \($0.label)" }.joined(separator: ", ")
            }
            if input.label != input.name { line += "  \(input.label)" }
            lines.append(line)
        }
        return lines
    }
}

extension EffectReport.Value {
    /// The value in the notation of `--set`.
    var text: String {
        switch value {
        case .bool(let value): "\(value)"
        case .long(let value): "\(value)"
        case .float(let value): "\(value)"
        case .point2D(let value): "\(value.x),\(value.y)"
        case .color(let value): "\(value.x),\(value.y),\(value.z),\(value.w)"
        case .event, .image: ""
        }
    }
}
