// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// The reason why a device cannot be found, opened or used.
///
/// Like `MediaError`, it consists of three texts, each suitable for a line in a terminal: the
/// device, the problem and the remedy.
///
/// - Corresponds to: `AVError` of a capture session.
public struct CaptureError: Error, SubjectError, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, for use by programs.
    public enum Code: Sendable, Hashable {
        /// No device has the requested name or identifier.
        case noSuchDevice
        /// Another program uses the device.
        case deviceInUse
        /// The user may not open the device.
        case notAuthorized
        /// The device was unplugged, or its driver has gone.
        case deviceDisconnected
        /// The device delivers no frames.
        case stalled
        /// The device does not have the requested format, or has no format that is supported.
        case unsupportedFormat
        /// The bus does not have enough bandwidth for the format.
        case noBandwidth
        /// The device or its driver reports a failure.
        case deviceFailed
        /// An input, an output or a connection cannot be added to the session.
        case cannotAdd
        /// The session or the output is not in the state that the call requires.
        case wrongState
        /// The frames of a compressed format cannot be decoded.
        case decodingFailed
        /// The recording cannot be written.
        case cannotWrite
        /// The disk or the user's quota is full. A temporary file has the recording until then.
        case diskFull
        /// The recording has reached its maximum duration. The file is complete.
        case maximumDurationReached
        /// The recording has reached its maximum size. The file is complete.
        case maximumFileSizeReached
    }

    /// The kind of failure. Base decisions on this property.
    public var code: Code
    /// The name of the device or the path of the file.
    public var subject: String
    /// The problem, as a clause without a full stop.
    public var cause: String
    /// The remedy, as a clause without a full stop; may be empty.
    public var remedy: String

    package init(_ code: Code, subject: String, cause: String, remedy: String = "") {
        self.code = code
        self.subject = subject
        self.cause = cause
        self.remedy = remedy
    }

    /// A Boolean value that indicates whether the recording has ended at a limit, with a complete
    /// file.
    package var isLimitOfRecording: Bool {
        code == .maximumDurationReached || code == .maximumFileSizeReached
    }

    /// One line with the subject, the cause and the remedy.
    public var description: String { line }
}
