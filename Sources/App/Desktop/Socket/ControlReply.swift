// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadCommands

/// Encodes messages to IPC clients as lines of JSON, as mpv does.
///
/// - Corresponds to: "JSON IPC" of mpv's manual.
enum ControlReply {
    /// mpv's error strings, and `success`.
    enum Status: String {
        case success
        case invalidParameter = "invalid parameter"
        case propertyNotFound = "property not found"
        case propertyUnavailable = "property unavailable"
        case propertyFormat = "unsupported format for accessing property"
        case commandFailed = "error running command"

        init(_ error: CommandError) {
            switch error {
            case .unknownProperty: self = .propertyNotFound
            case .unavailable, .readOnly: self = .propertyUnavailable
            case .wrongValue: self = .propertyFormat
            case .unknownCommand, .unknownKey, .missingArgument, .tooManyArguments, .openQuote:
                self = .invalidParameter
            case .unsupported, .failed: self = .commandFailed
            }
        }
    }

    /// Encodes the reply to a request.
    static func answer(
        _ status: Status, data: PropertyValue?? = .none, request: Int?, explanation: String? = nil
    ) -> [UInt8] {
        var fields: [String: Any] = ["error": status.rawValue, "request_id": request ?? 0]
        if case .some(let data) = data { fields["data"] = json(data) }
        if let explanation { fields["message"] = explanation }
        return line(fields)
    }

    /// Encodes an event.
    static func event(_ name: String, _ fields: [String: Any] = [:]) -> [UInt8] {
        line(fields.merging(["event": name]) { $1 })
    }

    /// Encodes the change of an observed property.
    static func change(of name: String, number: Int, to value: PropertyValue?) -> [UInt8] {
        event("property-change", ["id": number, "name": name, "data": json(value)])
    }

    /// Returns a value in the form in which mpv reports it: the value `no` of a choice is reported
    /// as the Boolean false.
    static func told(_ value: PropertyValue, of property: PlayerProperty) -> PropertyValue {
        switch property.details.form {
        case .choice, .track: value == .no ? .flag(false) : value
        default: value
        }
    }

    static func json(_ value: PropertyValue?) -> Any {
        switch value {
        case .flag(let flag)?: return flag
        case .number(let number)?:
            // Whole numbers, such as tracks, chapters and indices, are written without a fraction.
            return number == number.rounded() && abs(number) < 1e15 ? Int(number) : number
        case .text(let text)?: return text
        case .list(let values)?: return values.map { json($0) }
        case .map(let values)?: return values.mapValues { json($0) }
        case nil: return NSNull()
        }
    }

    private static func line(_ fields: [String: Any]) -> [UInt8] {
        let data = try? JSONSerialization.data(
            withJSONObject: fields, options: [.sortedKeys, .withoutEscapingSlashes])
        return data.map { Array($0) } ?? Array(#"{"error":"invalid parameter"}"#.utf8)
    }
}
