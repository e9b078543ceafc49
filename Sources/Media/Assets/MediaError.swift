// SPDX-License-Identifier: Apache-2.0

/// Why a film, or part of one, cannot be read, decoded or played.
///
/// Says three things, each fit for a line on a terminal: which file, what is wrong, what to do.
///
/// - Corresponds to: `AVError`, with its description and recovery suggestion always present.
public struct MediaError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure, for programs.
    public enum Code: Sendable, Hashable {
        /// There is no such file, or it is a directory, or may not be read.
        case cannotOpen
        /// The data is in no format that can be demuxed, or is empty.
        case unknownFormat
        /// The container is known, but its contents are damaged beyond use.
        case damaged
        /// There is nothing to play: no video and no audio track.
        case noPlayableTracks
        /// No decoder for a track's codec.
        case unsupportedCodec
        /// A packet or a frame could not be decoded; others may be.
        case decodingFailed
        /// A limit on size, count or memory was passed.
        case limitExceeded
        /// It leads to a file or an address that `AssetAccessRules` keep out.
        case notAllowed
        /// The operation was cancelled, or its deadline passed.
        case cancelled, timedOut
        /// No frame at the time that was asked for.
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
    /// The remedy, as a clause without a full stop; empty when nothing can be done.
    public var remedy: String

    package init(_ code: Code, subject: String, cause: String, remedy: String = "") {
        self.code = code
        self.subject = subject
        self.cause = cause
        self.remedy = remedy
    }

    /// The error for media that has nothing that can be decoded, made from the error of its last
    /// packet.
    package var withNothingDecoded: MediaError {
        MediaError(
            code, subject: subject, cause: "nothing of it can be decoded: \(cause)",
            remedy: "check that it is complete, and not encrypted")
    }

    /// One line: subject, where there is one, cause, remedy.
    public var description: String {
        let line = subject.isEmpty ? cause : "\(subject): \(cause)"
        return remedy.isEmpty ? line : "\(line); \(remedy)"
    }
}
