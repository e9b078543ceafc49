// SPDX-License-Identifier: Apache-2.0

/// Why an atlas cannot be read or made: which file, what is wrong, what to do.
public struct AtlasError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path, as the user gave it.
    public var subject: String
    /// What is wrong, as a clause without a full stop.
    public var cause: String
    /// What to do about it.
    public var remedy: String

    public init(_ subject: String, _ cause: String, remedy: String) {
        self.subject = subject
        self.cause = cause
        self.remedy = remedy
    }

    public var description: String { "\(subject): \(cause); \(remedy)" }
}
