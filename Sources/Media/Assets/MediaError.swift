// SPDX-License-Identifier: Apache-2.0

/// The reason why media, or a part of it, cannot be read, decoded or played.
///
/// It consists of three texts, each suitable for a line in a terminal: the file, the problem and
/// the remedy.
///
/// - Corresponds to: `AVError`, with its description and recovery suggestion always present.
public struct MediaError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure, for programs.
    public enum Code: Sendable, Hashable {
        /// The file does not exist, is a directory, or cannot be read.
        case cannotOpen
        /// The data is in no format that can be demuxed, or is empty.
        case unknownFormat
        /// The container is known, but its contents are damaged beyond use.
        case damaged
        /// There is neither a video nor an audio track.
        case noPlayableTracks
        /// No decoder for a track's codec.
        case unsupportedCodec
        /// A packet or a frame could not be decoded; others may be.
        case decodingFailed
        /// A limit on size, count or memory was passed.
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

    /// The kind of the failure: the property to base decisions on.
    public var code: Code
    /// The path or URL, as the user gave it.
    public var subject: String
    /// The problem, as a clause without a full stop.
    public var cause: String
    /// The remedy, as a clause without a full stop; empty without one.
    public var remedy: String

    package init(_ code: Code, subject: String, cause: String, remedy: String = "") {
        self.code = code
        self.subject = subject
        self.cause = cause
        self.remedy = remedy
    }

    /// The error for media without anything that can be decoded, derived from the error of its last
    /// packet.
    package var withNothingDecoded: MediaError {
        MediaError(
            code, subject: subject, cause: "nothing in it can be decoded: \(cause)",
            remedy: "check that it is complete and not encrypted")
    }

    /// One line: subject, where there is one, cause, remedy.
    public var description: String {
        let line = subject.isEmpty ? cause : "\(subject): \(cause)"
        return remedy.isEmpty ? line : "\(line); \(remedy)"
    }
}
