// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
import PlayheadAssets

/// An error code of FFmpeg. This type contains all conversions to `MediaError`.
///
/// - Corresponds to: `AVERROR(…)`. Unknown codes are preserved, with the text of `av_strerror`.
struct FFmpegError: RawRepresentable, Hashable, Sendable {
    let rawValue: Int32
    init(rawValue: Int32) { self.rawValue = rawValue }
    init(_ code: Int32) { self.init(rawValue: code) }

    static let endOfFile = FFmpegError(ph_AVERROR_EOF())
    static let again = FFmpegError(ph_AVERROR(EAGAIN))
    static let outOfMemory = FFmpegError(ph_AVERROR(ENOMEM))
    static let invalidData = FFmpegError(ph_AVERROR_INVALIDDATA())
    /// The interrupt callback ended the call.
    static let interrupted = FFmpegError(ph_AVERROR_EXIT())
    static let decoderNotFound = FFmpegError(ph_AVERROR_DECODER_NOT_FOUND())
    static let notImplemented = FFmpegError(ph_AVERROR_PATCHWELCOME())
    static let protocolNotFound = FFmpegError(ph_AVERROR_PROTOCOL_NOT_FOUND())
    static let httpNotFound = FFmpegError(ph_AVERROR_HTTP_NOT_FOUND())
    static let httpForbidden = FFmpegError(ph_AVERROR_HTTP_FORBIDDEN())
    static let httpUnauthorized = FFmpegError(ph_AVERROR_HTTP_UNAUTHORIZED())
    static let httpServerError = FFmpegError(ph_AVERROR_HTTP_SERVER_ERROR())

    /// FFmpeg's message.
    var text: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            buffer.initialize(repeating: 0)
            av_strerror(rawValue, buffer.baseAddress, buffer.count)
            return String(cString: buffer.baseAddress!)
        }
    }

    /// Returns the error for a failure to open or read `subject`.
    func whileReading(_ subject: String, interrupt: Interrupt? = nil) -> MediaError {
        switch self {
        case .interrupted where interrupt?.isCancelled == true:
            return MediaError(.cancelled, subject: subject, cause: "reading was cancelled")
        case .interrupted:
            return MediaError(
                .timedOut, subject: subject,
                cause: "no answer within \(interrupt?.seconds ?? 0) seconds",
                remedy: "check the disk or the network, or allow more time")
        case .outOfMemory:
            return MediaError(
                .outOfResources, subject: subject, cause: "there is not enough memory to read it")
        case .invalidData:
            return MediaError(
                .damaged, subject: subject, cause: "its data is damaged or incomplete",
                remedy: "copy or download it again")
        case .protocolNotFound:
            return MediaError(
                .cannotOpen, subject: subject,
                cause: "FFmpeg was built without support for its protocol",
                remedy: "download the file and open it from disk")
        case .httpNotFound:
            return MediaError(
                .cannotOpen, subject: subject, cause: "the server has no such file (404)",
                remedy: "check the address")
        case .httpForbidden, .httpUnauthorized:
            return MediaError(
                .cannotOpen, subject: subject, cause: "the server refuses access (401 or 403)",
                remedy: "check the address and the permission to use it")
        case .httpServerError:
            return MediaError(
                .cannotOpen, subject: subject, cause: "the server failed (5xx)",
                remedy: "try again later")
        case FFmpegError(ph_AVERROR(EACCES)), FFmpegError(ph_AVERROR(EPERM)):
            return MediaError(
                .cannotOpen, subject: subject, cause: "reading it is not permitted",
                remedy: "check its permissions")
        case FFmpegError(ph_AVERROR(EMFILE)), FFmpegError(ph_AVERROR(ENFILE)):
            return MediaError.tooManyOpenFiles(subject)
        default:
            return MediaError(
                .cannotOpen, subject: subject, cause: "it cannot be read (\(text))",
                remedy: "check that the file exists or the network is available")
        }
    }

    /// Returns the error for a packet or frame of a track that cannot be decoded.
    func whileDecoding(_ codec: String, track: Int, of subject: String) -> MediaError {
        if self == .outOfMemory {
            return MediaError(
                .outOfResources, subject: subject, cause: "there is not enough memory to decode it")
        }
        return MediaError(
            .decodingFailed, subject: subject,
            cause: "damaged \(codec) data in track \(track) (\(text))",
            remedy: "playback continues with the next frame or audio that can be decoded")
    }
}
