// SPDX-License-Identifier: Apache-2.0

/// A JSON value of any type. ISF headers use different types under the same key.
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

    /// The number, or 0 or 1 for a Boolean; nil for other types.
    package var number: Double? {
        switch self {
        case .number(let value): value
        case .bool(let value): value ? 1 : 0
        default: nil
        }
    }

    /// The number as a `Float`, the type that shaders use. A value out of range becomes the largest
    /// finite `Float` with the same sign.
    package var float: Float? {
        let most = Double(Float.greatestFiniteMagnitude)
        return number.map { Float(min(max($0, -most), most)) }
    }

    /// The Boolean value of a Boolean, of a number (true if not 0), or of a word such as `"yes"` or
    /// `"no"`. Effect files use all of these.
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
