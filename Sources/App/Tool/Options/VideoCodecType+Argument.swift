// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadEditing

extension VideoCodecType {
    /// Creates the default codec for a file extension. Returns nil if the extension is not that of
    /// a video file.
    init?(pathExtension: String) {
        switch pathExtension.lowercased() {
        case "mp4", "m4v": self = .h264
        case "mkv": self = .ffv1
        case "webm": self = .vp9
        case "mov": self = .proRes
        case "gif": self = .gif
        case "webp": self = .webP
        case "apng": self = .apng
        default: return nil
        }
    }

    /// The containers that store the codec, the usual one first.
    var fileTypes: [MediaFileType] {
        switch self {
        case .h264, .hevc: [.mp4, .quickTime, .matroska]
        case .av1: [.mp4, .webM, .matroska]
        case .vp9: [.webM, .matroska, .mp4]
        case .proRes, .dnxHR: [.quickTime, .matroska]
        case .motionJPEG: [.quickTime, .matroska, .mp4]
        case .ffv1: [.matroska, .quickTime]
        case .gif: [.gif]
        case .webP: [.webP]
        case .apng: [.apng]
        }
    }

    /// The format in which drawn frames are encoded, with alpha if the codec stores it.
    var drawnSampleFormat: VideoSampleFormat {
        switch self {
        case .vp9: VideoSampleFormat(.yuv420, hasAlpha: true)
        case .proRes: VideoSampleFormat(.yuv444, bitDepth: 10, hasAlpha: true)
        default: defaultSampleFormat
        }
    }

    /// A Boolean value that indicates whether the codec has a rate factor or a bit rate.
    var hasRate: Bool {
        switch self {
        case .h264, .hevc, .av1, .vp9: true
        case .proRes, .dnxHR, .motionJPEG, .ffv1, .gif, .webP, .apng: false
        }
    }

    /// The remedy for a file extension that does not support the codec.
    var endingRemedy: String {
        let endings = fileTypes.prefix(3).compactMap { $0.pathExtensions.first }.map { ".\($0)" }
        guard let last = endings.last, endings.count > 1 else {
            return "use \(endings.first ?? "another extension")"
        }
        return "use \(endings.dropLast().joined(separator: ", ")) or \(last)"
    }

    /// Returns the default audio codec for a container with video of this codec; nil for containers
    /// without audio. The audio codec is lossless if the video codec is lossless.
    func audioCodec(in type: MediaFileType) -> AudioCodecType? {
        guard type.storesAudio else { return nil }
        return switch self {
        case .h264, .hevc, .motionJPEG: .aac
        case .av1: type == .mp4 ? .aac : .opus
        case .vp9: .opus
        case .ffv1, .proRes, .dnxHR: .pcmFloat
        case .gif, .webP, .apng: nil
        }
    }

    /// Returns the codec and the container of an output file.
    ///
    /// - Parameters:
    ///   - name: the value of `--codec`; nil to use the default codec of the file extension.
    ///   - path: the path of the output.
    ///   - endings: the supported extensions, for the error text.
    static func chosen(
        _ name: String?, for path: String, endings: String
    ) throws -> (codec: VideoCodecType, type: MediaFileType) {
        try OutputFile.checkMovie(path)
        let ending = (path as NSString).pathExtension
        guard
            let codec = name.flatMap({ VideoCodecType(rawValue: $0) })
                ?? VideoCodecType(pathExtension: ending)
        else {
            throw ToolError(
                .wrongUsage,
                "\(path): files with this extension cannot be written; use \(endings)")
        }
        guard let type = MediaFileType(path: path), codec.fileTypes.contains(type) else {
            throw ToolError(
                .wrongUsage,
                "\(path): \(codec.rawValue) cannot be stored in "
                    + (ending.isEmpty ? "a file without an extension" : ".\(ending)")
                    + "; \(codec.endingRemedy)")
        }
        return (codec, type)
    }
}
