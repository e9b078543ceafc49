// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// How a film's pictures are stored, and what goes with it.
package enum MovieCodec: String, Sendable, Hashable, CaseIterable {
    /// H.264, 4:2:0, in good quality: for MP4 and MOV. No alpha.
    case h264
    /// HEVC, 4:2:0, in good quality: for MP4 and MOV. No alpha.
    case hevc
    /// FFV1 of R'G'B' and alpha, without any loss: for Matroska.
    case ffv1
    /// VP9 with alpha, 4:2:0: for WebM and Matroska.
    case vp9
    /// ProRes 4444 with alpha, 10 bits: for MOV.
    case prores

    /// What a file of this ending is stored as, unless told otherwise; nil for endings that no film
    /// has.
    package init?(pathExtension: String) {
        switch pathExtension.lowercased() {
        case "mp4", "m4v": self = .h264
        case "mkv": self = .ffv1
        case "webm": self = .vp9
        case "mov": self = .prores
        default: return nil
        }
    }

    /// Endings of the files that it goes into, the usual one first.
    package var pathExtensions: [String] {
        switch self {
        case .h264: ["mp4", "mov", "mkv", "m4v"]
        case .hevc: ["mp4", "mov", "mkv"]
        case .ffv1: ["mkv", "mov"]
        case .vp9: ["webm", "mkv", "mp4"]
        case .prores: ["mov", "mkv"]
        }
    }

    /// Whether a file of this name can hold it, by its ending.
    package func fits(_ path: String) -> Bool {
        let ending = path.split(separator: "/").last?.split(separator: ".").last?.lowercased() ?? ""
        if pathExtensions.contains(ending) { return true }
        // Of other containers FFmpeg's tables know; of these they allow what it then does not
        // write, such as VP9 in MOV.
        guard Self(pathExtension: ending) == nil, let container = av_guess_format(nil, path, nil),
            let codec = avcodec_find_encoder_by_name(encoder)
        else { return false }
        return avformat_query_codec(container, codec.pointee.id, FF_COMPLIANCE_NORMAL) != 0
    }

    /// What to do about a file that it does not fit into.
    package var endingRemedy: String {
        let endings = pathExtensions.prefix(3).map { ".\($0)" }
        return "use \(endings.dropLast().joined(separator: ", ")) or \(endings.last ?? "")"
    }

    /// Whether what shows through is stored.
    package var hasAlpha: Bool {
        switch self {
        case .h264, .hevc: false
        case .ffv1, .vp9, .prores: true
        }
    }

    /// FFmpeg's names of encoders.
    var encoder: String {
        switch self {
        case .h264: "libx264"
        case .hevc: "libx265"
        case .ffv1: "ffv1"
        case .vp9: "libvpx-vp9"
        case .prores: "prores_ks"
        }
    }

    /// Sound that suits: compressed where the picture is.
    var soundEncoder: String {
        switch self {
        case .h264, .hevc: "aac"
        case .vp9: "libopus"
        case .ffv1, .prores: "pcm_f32le"
        }
    }

    /// The rate at which sound that has `rate` is stored with it: the same where its sound's
    /// encoder knows that, else the nearest that it knows.
    package func soundRate(nearest rate: Int) -> Int {
        // Opus gets what it works at.
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

    /// FFmpeg's options of the encoders: names and values.
    ///
    /// - Parameters:
    ///   - rateFactor: nil for good quality; of no meaning to FFV1 and ProRes.
    ///   - codesPartsAlike: see `MovieWriter.Settings`.
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

    // What a block costs is decided by what is in it alone: no trees of what is used later, no
    // quantizer for the whole picture's complexity, no weights for the whole picture's brightness,
    // no taste for texture. Flat blocks, in which a step shows, get finer ones; so does chroma, of
    // which a step is two in R'G'B'.
    private static let alikeH264 =
        "mbtree=0:qcomp=1:aq-mode=1:aq-strength=1.5:psy=0:weightp=0:chroma-qp-offset=-12"
    /// In blocks of 16, as H.264 has them: larger ones would reach from one part into another.
    private static let alikeHEVC =
        "cutree=0:qcomp=1:aq-mode=1:aq-strength=1.5:psy-rd=0:psy-rdoq=0:weightp=0:sao=0:"
        + "ctu=16:max-tu-size=16:qg-size=16:cbqpoffs=-12:crqpoffs=-12"
}
