// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
import PlayheadAssets

/// The detection of formats, and the errors for what cannot be opened.
extension FormatContext {
    /// Returns the format of the description of an RTSP session, which is written by this library.
    static func sessionFormat(
        _ subject: String
    ) throws(MediaError) -> (UnsafePointer<AVInputFormat>, score: Int32, picture: AVCodecID?) {
        guard let format = av_find_input_format("sdp") else {
            throw FFmpegError.protocolNotFound.whileReading(subject)
        }
        return (format, AVPROBE_SCORE_MAX, nil)
    }

    /// Detects the format.
    ///
    /// - Returns: The format. For an image that was detected only by its name, the codec is also
    ///   returned.
    static func probe(
        _ input: StreamInput, url: String, loader: AssetResourceLoader
    ) throws(MediaError) -> (UnsafePointer<AVInputFormat>, score: Int32, picture: AVCodecID?) {
        var picture: AVCodecID?
        var format: UnsafePointer<AVInputFormat>?
        var score = av_probe_input_buffer2(input.pointer, &format, url, nil, 0, 0)
        if score >= 0, let name = format?.pointee.name, String(cString: name) == "image2" {
            // FFmpeg treats the image as part of a numbered series, because of the image's name.
            // The format is detected again from the contents alone. The probed bytes are read again
            // afterwards.
            format = nil
            score = av_probe_input_buffer2(input.pointer, &format, "", nil, 0, 0)
            if score <= surenessOfFormat, let codec = unsignedPicture(named: url) {
                (format, score) = (av_find_input_format("image2pipe"), surenessOfFormat)
                picture = codec
            }
        }
        // From 6.1 on, FFmpeg detects HLS by its name, or by a media type that it requests from its
        // own protocols. The first line identifies a playlist (RFC 8216, section 4.3.1.1).
        if format.map({ String(cString: $0.pointee.name) }) != "hls",
            input.beginning.starts(with: "#EXTM3U".utf8)
        {
            var playlist: UnsafePointer<AVInputFormat>?
            let sureness = av_probe_input_buffer2(input.pointer, &playlist, "list.m3u8", nil, 0, 0)
            if let name = playlist?.pointee.name, String(cString: name) == "hls" {
                (format, score, picture) = (playlist, sureness, nil)
            }
        }
        guard score >= 0, let format else {
            let error = FFmpegError(score)
            if let failure = loader.violation ?? input.failure { throw failure }
            if TTMLDocument.isTTML(Array(input.beginning)) {
                throw MediaError(subtitlesAlone: loader.subject)
            }
            if error == .invalidData || error == .endOfFile { throw unknownFormat(loader.subject) }
            throw error.whileReading(loader.subject, interrupt: loader.interrupt)
        }
        let names = String(cString: format.pointee.name).split(separator: ",").map(String.init)
        guard names.contains(where: loader.rules.demuxers.contains) else {
            throw notOnTheList(names[0], loader.subject)
        }
        return (format, score, picture)
    }

    /// Returns the codec of an image without a distinctive signature: Targa, and PBM and related
    /// formats if they use spaces in place of line ends.
    private static func unsignedPicture(named name: String) -> AVCodecID? {
        switch name.lowercased().split(separator: ".").last {
        case "tga": AV_CODEC_ID_TARGA
        case "ppm", "pnm": AV_CODEC_ID_PPM
        case "pgm": AV_CODEC_ID_PGM
        case "pbm": AV_CODEC_ID_PBM
        // FFmpeg's detection of PAM expects numbers after the signature, but PAM has words there.
        case "pam": AV_CODEC_ID_PAM
        default: nil
        }
    }

    /// The formats that only refer to other files.
    private static let lists: Set<String> = [
        "concat", "dash", "hls", "imf", "lavfi", "rtp", "rtsp", "sap", "sdp",
        "webm_dash_manifest",
    ]

    private static func notOnTheList(_ name: String, _ subject: String) -> MediaError {
        if name == "vobsub" {
            return MediaError(
                .unknownFormat, subject: subject, cause: "it is an index of subtitles (VobSub)",
                remedy: "open a video, and add this file as its subtitles")
        }
        if lists.contains(name) {
            return MediaError(
                .unknownFormat, subject: subject,
                cause: "it is a list (\(name)) of other files or addresses",
                remedy: "open one of those")
        }
        if ["tty", "bin", "xbin", "adf", "idf", "ffmetadata"].contains(name) {
            return MediaError(
                .unknownFormat, subject: subject, cause: "it is text",
                remedy: "open a video, audio or image file")
        }
        return MediaError(
            .unknownFormat, subject: subject,
            cause: "its format (\(name)) is not among the allowed formats",
            remedy: "add it to the demuxers of the access rules if you trust the file")
    }

    /// The score below which FFmpeg has detected the format mainly by the name of the file. It is
    /// `AVPROBE_SCORE_RETRY`, a quarter of the maximum.
    static let surenessOfFormat = AVPROBE_SCORE_MAX / 4

    static func unknownFormat(_ subject: String) -> MediaError {
        let name = AssetLocation(subject).displayName.lowercased()
        if name.hasSuffix(".m3u") || name.hasSuffix(".m3u8") {
            return MediaError(
                .unknownFormat, subject: subject,
                cause: "according to its name, it is a list of other files or addresses",
                remedy: "open one of those")
        }
        return MediaError(
            .unknownFormat, subject: subject,
            cause: "it is not a video, audio or image file in a known format",
            remedy: "check that it is complete, and check its type with the 'file' command")
    }

    /// Returns the error for a HEIF image that this version of FFmpeg cannot read; nil for other
    /// files.
    ///
    /// FFmpeg reads AVIF with one item since 5.1, and HEIC with one item since 6.1.
    static func unreadImage(_ beginning: [UInt8], subject: String) -> MediaError? {
        // The file type box of ISO/IEC 14496-12, 4.3, contains its size, its type and the major
        // brand.
        guard beginning.count >= 12,
            String(decoding: beginning[4..<8], as: UTF8.self) == "ftyp"
        else { return nil }
        let brand = String(decoding: beginning[8..<12], as: UTF8.self)
        guard AssetDescription.imageBrands.contains(brand) else { return nil }
        return MediaError(
            .unsupportedCodec, subject: subject,
            cause: "it is an image (\(brand == "avif" ? "AVIF" : "HEIC")) of a kind that FFmpeg "
                + "\(String(cString: av_version_info())) does not read",
            remedy: "convert it to PNG or JPEG, for example with heif-convert")
    }

    static func explain(
        _ error: FFmpegError, format: UnsafePointer<AVInputFormat>, subject: String,
        interrupt: Interrupt
    ) -> MediaError {
        let name = String(cString: format.pointee.name)
        if error == .invalidData, name.hasPrefix("mov,") {
            return MediaError(
                .damaged, subject: subject,
                cause: "the file is incomplete: its index (the moov box) is missing or cut off",
                remedy: "copy or download it again")
        }
        switch error {
        case .invalidData, .endOfFile, FFmpegError(ph_AVERROR(EINVAL)):
            return MediaError(
                .damaged, subject: subject, cause: "its \(name) header is damaged or incomplete",
                remedy: "copy or download it again")
        case .notImplemented:
            return MediaError(
                .unknownFormat, subject: subject,
                cause: "it uses a variant of \(name) that is not supported",
                remedy: "convert it, for example with ffmpeg")
        default:
            return error.whileReading(subject, interrupt: interrupt)
        }
    }
}
