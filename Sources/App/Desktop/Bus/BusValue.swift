// SPDX-License-Identifier: Apache-2.0

/// A D-Bus value of one of the types that desktop interfaces use.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: the type system of the D-Bus specification.
enum BusValue: Sendable, Hashable {
    case flag(Bool)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case double(Double)
    case text(String)
    case path(String)
    case texts([String])
    /// `a{sv}`.
    case dictionary([String: BusValue])
    /// A value with its type.
    indirect case variant(BusValue)

    /// The D-Bus type code.
    var signature: String {
        switch self {
        case .flag: "b"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .double: "d"
        case .text: "s"
        case .path: "o"
        case .texts: "as"
        case .dictionary: "a{sv}"
        case .variant: "v"
        }
    }

    /// The number, for a value of any numeric type; nil for other values.
    var number: Double? {
        switch self {
        case .int32(let value): Double(value)
        case .uint32(let value): Double(value)
        case .int64(let value): Double(value)
        case .double(let value): value
        case .variant(let value): value.number
        default: nil
        }
    }

    /// The text or path; nil for other values.
    var words: String? {
        switch self {
        case .text(let text), .path(let text): text
        case .variant(let value): value.words
        default: nil
        }
    }

    /// The Boolean value; nil for other values.
    var isTrue: Bool? {
        switch self {
        case .flag(let flag): flag
        case .variant(let value): value.isTrue
        default: nil
        }
    }
}
