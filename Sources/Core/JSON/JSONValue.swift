// SPDX-License-Identifier: Apache-2.0

/// A JSON value of any shape: ISF's headers mix types under one key.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The value of a number; 0 or 1 for a Boolean.
    package var number: Double? {
        switch self {
        case .number(let value): value
        case .bool(let value): value ? 1 : 0
        default: nil
        }
    }

    /// The number as shaders represent it; values out of range become the largest finite ones.
    package var float: Float? {
        let most = Double(Float.greatestFiniteMagnitude)
        return number.map { Float(min(max($0, -most), most)) }
    }

    /// The value of a Boolean, of a number (true if not 0) or of a word for either; files use all
    /// of these.
    package var bool: Bool? {
        switch self {
        case .bool(let value): return value
        case .number(let value): return value != 0
        case .string(let text):
            switch text.lowercased() {
            case "true", "yes", "1": return true
            case "false", "no", "0": return false
            default: return nil
            }
        default: return nil
        }
    }

    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    package var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    package var object: [String: JSONValue]? {
        if case .object(let value) = self { value } else { nil }
    }

    package var numbers: [Float]? {
        guard let array else { return nil }
        let numbers = array.compactMap(\.float)
        return numbers.count == array.count ? numbers : nil
    }
}
