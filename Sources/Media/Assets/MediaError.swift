// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// The reason why media, or a part of it, cannot be read, decoded or played.
///
/// An error consists of three texts: the file, the problem and the remedy. Each is suitable for a
/// line in a terminal.
///
/// - Corresponds to: `AVError`, with its description and recovery suggestion always present.
public struct MediaError: Error, SubjectError, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, for use by programs.
    public enum Code: Sendable, Hashable {
        /// The file does not exist, is a directory, or cannot be read.
        case cannotOpen
        /// The data is in a format that cannot be demuxed, or is empty.
        case unknownFormat
        /// The container format is known, but the contents are too damaged to use.
        case damaged
        /// There is neither a video nor an audio track.
        case noPlayableTracks
        /// There is no decoder for the codec of a track.
        case unsupportedCodec
        /// A packet or a frame could not be decoded. Others may be decodable.
        case decodingFailed
        /// A limit on size, count or memory was exceeded.
        case limitExceeded
        /// The media refers to a file or an address that `AssetAccessRules` do not allow.
        case notAllowed
        /// The operation was cancelled, or its deadline passed.
        case cancelled, timedOut
        /// There is no frame at the requested time.
        case noSuchFrame
        /// The system is out of memory, threads or descriptors.
        case outOfResources
    }

    /// The kind of failure. Programs should base their decisions on this property.
    public var code: Code
    /// The path or URL, as the user gave it.
    public var subject: String
    /// The problem, as a clause without a full stop.
    public var cause: String
    /// The remedy, as a clause without a full stop; empty if there is no remedy.
    public var remedy: String
    /// The status of the HTTP response that caused the error; nil for other errors. It is not
    /// compared, because the cause states it.
    package var httpStatus: Int?

    package init(_ code: Code, subject: String, cause: String, remedy: String = "") {
        self.code = code
        self.subject = subject
        self.cause = cause
        self.remedy = remedy
    }

    /// The error for media in which nothing could be decoded. It is derived from this error, which
    /// must be the error of the last packet.
    package var withNothingDecoded: MediaError {
        MediaError(
            code, subject: subject, cause: "nothing in it can be decoded: \(cause)",
            remedy: "check that it is complete and not encrypted")
    }

    public static func == (one: MediaError, other: MediaError) -> Bool {
        one.code == other.code && one.subject == other.subject && one.cause == other.cause
            && one.remedy == other.remedy
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(subject)
        hasher.combine(cause)
        hasher.combine(remedy)
    }

    /// One line with the subject, if there is one, the cause and the remedy.
    public var description: String { line }
}
