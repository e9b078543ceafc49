// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// The reason why a file cannot be written or exported.
///
/// Like `MediaError`, it consists of three texts: the file, the problem and the remedy. Each is
/// suitable for a line in a terminal.
///
/// - Corresponds to: `AVError` of `AVAssetWriter` and `AVAssetExportSession`.
public struct MediaWritingError: Error, SubjectError, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, for use by programs.
    public enum Code: Sendable, Hashable {
        /// There is already a file at the path, and the writer may not replace it.
        case fileExists
        /// The output is the same file as an input, according to its device and inode.
        case outputIsInput
        /// The file cannot be created: its folder is missing or not writable, or the path is a
        /// folder, a pipe or a device.
        case cannotCreate
        /// The disk or the user's quota is full.
        case diskFull
        /// The system reports a write error, or the folder no longer exists.
        case writeFailed
        /// The container cannot store a codec, a format or a property of a track.
        case unsupportedFormat
        /// FFmpeg was built without the encoder.
        case encoderMissing
        /// The encoder failed at a sample.
        case encodingFailed
        /// The call is not allowed in the writer's state, such as not started, finished or
        /// cancelled.
        case wrongState
        /// A sample was appended before a session was started.
        case noSession
        /// A sample is earlier than the previous sample of its input.
        case outOfOrder
        /// A sample differs from its input in size or format.
        case wrongFormat
        /// A sample has no time, or audio contains values that are not finite numbers.
        case invalidSample
        /// Nothing was appended, or nothing is within the session.
        case noSamples
        /// The source cannot be read or decoded.
        case unreadable
        /// The file would exceed its maximum size.
        case maximumSizeExceeded
        /// The operation was cancelled.
        case cancelled
        /// The system is out of memory, threads or descriptors.
        case outOfResources
    }

    /// The kind of failure. Programs should base their decisions on this property.
    public var code: Code
    /// The path of the file, as the caller gave it.
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

    /// One line with the subject, the cause and the remedy.
    public var description: String { line }
}
