// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// The video codec of a file. It also determines the audio codec.
package enum MovieCodec: String, Sendable, Hashable, CaseIterable {
    /// H.264, 4:2:0, in good quality, for MP4 and MOV. Stores no alpha.
    case h264
    /// HEVC, 4:2:0, in good quality, for MP4 and MOV. Stores no alpha.
    case hevc
    /// FFV1 with R'G'B' and alpha, lossless, for Matroska.
    case ffv1
    /// VP9 with alpha, 4:2:0, for WebM and Matroska.
    case vp9
    /// ProRes 4444 with alpha, 10 bits, for MOV.
    case prores

    /// Creates the default codec for a file extension. Fails if it is not the extension of a video
    /// file.
    package init?(pathExtension: String) {
        switch pathExtension.lowercased() {
        case "mp4", "m4v": self = .h264
        case "mkv": self = .ffv1
        case "webm": self = .vp9
        case "mov": self = .prores
        default: return nil
        }
    }

    /// The file extensions that support the codec. The most common extension is first.
    package var pathExtensions: [String] {
        switch self {
        case .h264: ["mp4", "mov", "mkv", "m4v"]
        case .hevc: ["mp4", "mov", "mkv"]
        case .ffv1: ["mkv", "mov"]
        case .vp9: ["webm", "mkv", "mp4"]
        case .prores: ["mov", "mkv"]
        }
    }

    /// Returns whether a file with this name can contain the codec, according to its extension.
    package func fits(_ path: String) -> Bool {
        let ending = path.split(separator: "/").last?.split(separator: ".").last?.lowercased() ?? ""
        if pathExtensions.contains(ending) { return true }
        // Other containers are looked up in FFmpeg's tables. The tables are not used for the known
        // containers, because they allow codecs that FFmpeg then cannot write, such as VP9 in MOV.
        guard Self(pathExtension: ending) == nil, let container = av_guess_format(nil, path, nil),
            let codec = avcodec_find_encoder_by_name(encoder)
        else { return false }
        return avformat_query_codec(container, codec.pointee.id, FF_COMPLIANCE_NORMAL) != 0
    }

    /// The remedy for a file extension that does not support the codec.
    package var endingRemedy: String {
        let endings = pathExtensions.prefix(3).map { ".\($0)" }
        return "use \(endings.dropLast().joined(separator: ", ")) or \(endings.last ?? "")"
    }

    /// A Boolean value that indicates whether the codec stores alpha.
    package var hasAlpha: Bool {
        switch self {
        case .h264, .hevc: false
        case .ffv1, .vp9, .prores: true
        }
    }

    /// The name of the video encoder in FFmpeg.
    var encoder: String {
        switch self {
        case .h264: "libx264"
        case .hevc: "libx265"
        case .ffv1: "ffv1"
        case .vp9: "libvpx-vp9"
        case .prores: "prores_ks"
        }
    }

    /// The name of the audio encoder in FFmpeg. It is lossless if the video is.
    var soundEncoder: String {
        switch self {
        case .h264, .hevc: "aac"
        case .vp9: "libopus"
        case .ffv1, .prores: "pcm_f32le"
        }
    }

    /// Returns the sample rate at which audio of rate `rate` is stored: `rate` if the encoder
    /// supports it, otherwise the nearest rate that the encoder supports.
    package func soundRate(nearest rate: Int) -> Int {
        // Opus uses 48 kHz.
        if self == .vp9 { return 48_000 }
        return SampleWriting.rate(nearest: rate, of: soundEncoder)
    }

    var pixelFormat: AVPixelFormat {
        switch self {
        case .h264, .hevc: AV_PIX_FMT_YUV420P
        case .ffv1: AV_PIX_FMT_BGRA
        case .vp9: AV_PIX_FMT_YUVA420P
        case .prores: AV_PIX_FMT_YUVA444P10LE
        }
    }

    /// Returns FFmpeg's encoder options as names and values.
    ///
    /// - Parameters:
    ///   - rateFactor: The constant rate factor; nil for good quality. FFV1 and ProRes ignore it.
    ///   - codesPartsAlike: A Boolean value that indicates whether parts of a frame are encoded
    ///     independently of their surroundings; see `MovieSettings`.
    func options(rateFactor: Int?, codesPartsAlike: Bool = false) -> [(String, String)] {
        func crf(_ standard: Int) -> (String, String) { ("crf", "\(rateFactor ?? standard)") }
        return switch self {
        case .h264:
            [crf(18), ("preset", "medium")]
                + (codesPartsAlike && rateFactor != 0 ? [("x264-params", Self.alikeH264)] : [])
        case .hevc:
            [
                crf(20), ("preset", "medium"),
                ("x265-params", "log-level=error" + (codesPartsAlike ? ":" + Self.alikeHEVC : "")),
            ]
        case .ffv1: [("level", "3"), ("slicecrc", "1")]
        case .vp9: [crf(24), ("b", "0"), ("auto-alt-ref", "0"), ("row-mt", "1")]
        case .prores: [("profile", "4444"), ("alpha_bits", "16")]
        }
    }

    // With these options, the cost of a block depends only on its content: no macroblock tree, no
    // quantizer for the complexity of the whole frame, no weighted prediction, no psychovisual
    // optimisation. Flat blocks get a finer quantizer, because steps are visible in them. Chroma
    // gets one too, because its steps are twice as large in R'G'B'.
    private static let alikeH264 =
        "mbtree=0:qcomp=1:aq-mode=1:aq-strength=1.5:psy=0:weightp=0:chroma-qp-offset=-12"
    /// The options for HEVC. Blocks have 16 x 16 pixels, as in H.264, because larger blocks would
    /// extend across the borders of parts.
    private static let alikeHEVC =
        "cutree=0:qcomp=1:aq-mode=1:aq-strength=1.5:psy-rd=0:psy-rdoq=0:weightp=0:sao=0:"
        + "ctu=16:max-tu-size=16:qg-size=16:cbqpoffs=-12:crqpoffs=-12"
}
