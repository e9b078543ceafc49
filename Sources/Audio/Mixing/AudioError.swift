// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// A failure that prevents audio output.
///
/// - Corresponds to: the audio part of `AVError`.
public struct AudioError: Error, SubjectError, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, for use by programs.
    public enum Code: Sendable, Hashable {
        /// There is no audio server, or it refuses the connection.
        case noServer
        /// The server has no output device.
        case noDevice
        /// The server did not answer in time.
        case timedOut
        /// The connection to the server was lost.
        case connectionLost
        /// The server does not support a stream of this format.
        case unsupportedFormat
        /// The system is out of memory, threads or descriptors.
        case outOfResources
    }

    /// The kind of failure. Programs should base their decisions on this property.
    public var code: Code
    /// The server or device that failed.
    public var subject: String
    /// The problem, as a clause without a full stop.
    public var cause: String
    /// The remedy, as a clause without a full stop; empty if there is no remedy.
    public var remedy: String

    package init(_ code: Code, subject: String, cause: String, remedy: String = "") {
        self.code = code
        self.subject = subject
        self.cause = cause
        self.remedy = remedy
    }

    /// One line with subject, cause and remedy.
    public var description: String { line }
}
