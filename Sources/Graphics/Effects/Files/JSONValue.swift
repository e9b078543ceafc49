// SPDX-License-Identifier: Apache-2.0

/// A JSON value of any shape: ISF's headers mix types under one key.
enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// Numbers, and truth values as 0 and 1.
    var number: Double? {
        switch self {
        case .number(let value): value
        case .bool(let value): value ? 1 : 0
        default: nil
        }
    }

    /// Truth values, and numbers as whether they are not 0: files write both.
    var bool: Bool? {
        switch self {
        case .bool(let value): value
        case .number(let value): value != 0
        default: nil
        }
    }

    var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    var object: [String: JSONValue]? {
        if case .object(let value) = self { value } else { nil }
    }

    var numbers: [Float]? {
        guard let array else { return nil }
        let numbers = array.compactMap { $0.number.map { Float($0) } }
        return numbers.count == array.count ? numbers : nil
    }
}
