// SPDX-License-Identifier: Apache-2.0

/// Reads the words of a command in order.
struct CommandArguments {
    private let command: String
    private var words: ArraySlice<String>
    /// A Boolean value that indicates whether the command will expand `${property}` in its values
    /// when it is performed.
    private let expandsProperties: Bool

    init(_ words: [String], expandsProperties: Bool = false) {
        command = words[0]
        self.words = words.dropFirst()
        self.expandsProperties = expandsProperties
    }

    var hasMore: Bool { !words.isEmpty }

    /// Returns the remaining words.
    mutating func rest() -> [String] {
        defer { words = [] }
        return Array(words)
    }

    mutating func word(_ name: String) throws(CommandError) -> String {
        guard let word = words.popFirst() else {
            throw .missingArgument(command: command, argument: name)
        }
        return word
    }

    mutating func number(_ name: String) throws(CommandError) -> Double {
        let word = try word(name)
        // mpv's default bindings contain fractions such as 1/1.1.
        let terms = word.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
        let number: Double? =
            switch (terms.count, terms[0], terms.last ?? nil) {
            case (1, let number, _): number
            case (2, let numerator?, let denominator?): numerator / denominator
            default: nil
            }
        guard let number, number.isFinite else {
            throw .wrongValue(argument: name, value: word, expected: "a number")
        }
        return number
    }

    mutating func optionalNumber(_ name: String) throws(CommandError) -> Double? {
        hasMore ? try number(name) : nil
    }

    mutating func integer(_ name: String) throws(CommandError) -> Int {
        let word = try word(name)
        guard let number = Int(word) else {
            throw .wrongValue(argument: name, value: word, expected: "a whole number")
        }
        return number
    }

    /// Returns a number, or nil if the next word is `other`.
    mutating func integer(_ name: String, unless other: String) throws(CommandError) -> Int? {
        guard words.first == other else { return try integer(name) }
        words = words.dropFirst()
        return nil
    }

    mutating func optionalInteger(_ name: String) throws(CommandError) -> Int? {
        hasMore ? try integer(name) : nil
    }

    /// Returns an exit status, or nil if there is no further word.
    mutating func exitStatus() throws(CommandError) -> UInt8? {
        guard let word = words.popFirst() else { return nil }
        guard let status = UInt8(word) else {
            throw .wrongValue(
                argument: "status", value: word, expected: "a whole number from 0 to 255")
        }
        return status
    }

    mutating func property(isSet: Bool) throws(CommandError) -> PlayerProperty {
        let name = try word("a property")
        guard let property = PlayerProperty(name: name) else { throw .unknownProperty(name) }
        if isSet, !property.details.isWritable { throw .readOnly(property) }
        return property
    }

    mutating func value(of property: PlayerProperty) throws(CommandError) -> PropertyValue {
        let word = try word("a value")
        if expandsProperties, word.contains("$") { return .text(word) }
        let form = property.details.form
        guard let value = PropertyValue(word, as: form) else {
            throw .wrongValue(
                argument: property.rawValue, value: word, expected: form.expectation)
        }
        guard let number = value.number else { return value }
        return .number(form.clamped(number))
    }

    /// Returns one of several words, or nil if there is no further word.
    mutating func choice(
        _ name: String, _ choices: [String]
    ) throws(CommandError) -> String? {
        guard let word = words.popFirst() else { return nil }
        guard choices.contains(word) else {
            throw .wrongValue(
                argument: name, value: word, expected: choices.joined(separator: " or "))
        }
        return word
    }

    /// Returns a case of an enumeration by its word, or nil if there is no further word.
    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String
    ) throws(CommandError) -> Choice? where Choice.RawValue == String {
        guard let word = words.popFirst() else { return nil }
        guard let choice = Choice(rawValue: word) else {
            throw .wrongValue(
                argument: name, value: word,
                expected: Choice.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return choice
    }

    func end() throws(CommandError) {
        if let first = words.first { throw .tooManyArguments(command: command, first: first) }
    }
}
