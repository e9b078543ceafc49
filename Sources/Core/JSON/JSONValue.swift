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

    /// Numbers, and truth values as 0 and 1.
    package var number: Double? {
        switch self {
        case .number(let value): value
        case .bool(let value): value ? 1 : 0
        default: nil
        }
    }

    /// The same as shaders hold it: what is beyond is the largest that they hold.
    package var float: Float? {
        let most = Double(Float.greatestFiniteMagnitude)
        return number.map { Float(min(max($0, -most), most)) }
    }

    /// Truth values, numbers as whether they are not 0, and words for them: files write all of these.
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
