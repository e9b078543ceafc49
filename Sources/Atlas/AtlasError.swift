// SPDX-License-Identifier: Apache-2.0

/// An error of reading or making an atlas: the file, the problem and the remedy.
public struct AtlasError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path, as the user gave it.
    public var subject: String
    /// The problem, as a clause without a full stop.
    public var cause: String
    /// The remedy.
    public var remedy: String

    /// Creates an error from its subject, cause and remedy.
    public init(_ subject: String, _ cause: String, remedy: String) {
        self.subject = subject
        self.cause = cause
        self.remedy = remedy
    }

    /// The subject, the cause and the remedy in one line.
    public var description: String { "\(subject): \(cause); \(remedy)" }
}
