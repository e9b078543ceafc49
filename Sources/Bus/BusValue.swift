// SPDX-License-Identifier: Apache-2.0

/// A D-Bus value of one of the types that desktop interfaces use.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: the type system of the D-Bus specification.
package enum BusValue: Sendable, Hashable {
    case flag(Bool)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case text(String)
    case path(String)
    case texts([String])
    /// `a{sv}`.
    case dictionary([String: BusValue])
    /// A value with its type.
    indirect case variant(BusValue)
    /// Values of one type; it cannot be empty if it is to be sent.
    indirect case array([BusValue])
    /// Values of any types.
    indirect case structure([BusValue])
    /// An open file.
    case file(BusFile)

    /// The D-Bus type code.
    package var signature: String {
        switch self {
        case .flag: "b"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .text: "s"
        case .path: "o"
        case .texts: "as"
        case .dictionary: "a{sv}"
        case .variant: "v"
        case .array(let values): "a" + (values.first?.signature ?? "v")
        case .structure(let values): "(" + values.map(\.signature).joined() + ")"
        case .file: "h"
        }
    }

    /// The number, for a value of any numeric type; nil for other values.
    package var number: Double? {
        switch self {
        case .int32(let value): Double(value)
        case .uint32(let value): Double(value)
        case .int64(let value): Double(value)
        case .uint64(let value): Double(value)
        case .double(let value): value
        case .variant(let value): value.number
        default: nil
        }
    }

    /// The text or path; nil for other values.
    package var words: String? {
        switch self {
        case .text(let text), .path(let text): text
        case .variant(let value): value.words
        default: nil
        }
    }

    /// The Boolean value; nil for other values.
    package var isTrue: Bool? {
        switch self {
        case .flag(let flag): flag
        case .variant(let value): value.isTrue
        default: nil
        }
    }

    /// The entries, for a dictionary; nil for other values.
    package var entries: [String: BusValue]? {
        switch self {
        case .dictionary(let entries): entries
        case .variant(let value): value.entries
        default: nil
        }
    }

    /// The elements, for an array or a structure; nil for other values.
    package var elements: [BusValue]? {
        switch self {
        case .array(let values), .structure(let values): values
        case .texts(let texts): texts.map { .text($0) }
        case .variant(let value): value.elements
        default: nil
        }
    }
}
