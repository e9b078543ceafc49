// SPDX-License-Identifier: Apache-2.0

/// Why sound cannot be heard.
///
/// - Corresponds to: the sound part of `AVError`.
public struct AudioError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is, for programs.
    public enum Code: Sendable, Hashable {
        /// There is no sound server to connect to, or it refuses.
        case noServer
        /// The server has no device to play on.
        case noDevice
        /// The server did not answer in time.
        case timedOut
        /// The server was there, and is gone.
        case connectionLost
        /// The server refuses a stream of this format.
        case unsupportedFormat
        /// The system is out of memory, threads or descriptors.
        case outOfResources
    }

    /// What kind of thing went wrong: the one to decide by.
    public var code: Code
    /// The server or device.
    public var subject: String
    /// What is wrong, as a clause without a full stop.
    public var cause: String
    /// What to do about it, as a clause without a full stop; empty when nothing can be done.
    public var remedy: String

    package init(_ code: Code, subject: String, cause: String, remedy: String = "") {
        self.code = code
        self.subject = subject
        self.cause = cause
        self.remedy = remedy
    }

    /// One line: subject, cause, remedy.
    public var description: String {
        let line = "\(subject): \(cause)"
        return remedy.isEmpty ? line : "\(line); \(remedy)"
    }
}
