// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers
import PlayheadWriting

/// One of FFmpeg's encoders for given video settings, and its options.
struct EncoderChoice {
    let name: String
    /// A Boolean value that indicates whether it is a hardware encoder.
    let isHardware: Bool
    /// A Boolean value that indicates whether the encoder accepts only frames in the hardware's
    /// memory.
    var usesSurfaces: Bool { name.hasSuffix("_vaapi") }

    /// Returns the encoders to try. The preferred encoder is first.
    static func candidates(for settings: VideoOutputSettings) -> [EncoderChoice] {
        let software = softwareNames(settings.codec).map {
            EncoderChoice(name: $0, isHardware: false)
        }
        // The statistics of a first pass can be used only by the same encoder, and hardware
        // encoders have no passes.
        guard settings.prefersHardware, settings.pass == nil else { return software }
        let hardware: [String] =
            switch settings.codec {
            case .h264: ["h264_nvenc", "h264_vaapi"]
            case .hevc: ["hevc_nvenc", "hevc_vaapi"]
            case .av1: ["av1_nvenc", "av1_vaapi"]
            case .vp9: ["vp9_vaapi"]
            default: []
            }
        return hardware.map { EncoderChoice(name: $0, isHardware: true) } + software
    }

    private static func softwareNames(_ codec: VideoCodecType) -> [String] {
        switch codec {
        case .h264: ["libx264"]
        case .hevc: ["libx265"]
        case .av1: ["libsvtav1", "libaom-av1"]
        case .vp9: ["libvpx-vp9"]
        case .proRes: ["prores_ks"]
        case .ffv1: ["ffv1"]
        case .dnxHR: ["dnxhd"]
        case .motionJPEG: ["mjpeg"]
        case .gif: ["gif"]
        case .webP: ["libwebp_anim"]
        case .apng: ["apng"]
        }
    }

    /// The names of the encoder's presets; empty if they are not listed here. They are checked here
    /// because x264 and x265 print a line of their own about an unknown name.
    var presets: [String] {
        guard name == "libx264" || name == "libx265" else { return [] }
        return [
            "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower",
            "veryslow", "placebo",
        ]
    }

    /// Returns FFmpeg's pixel format for the frames in main memory.
    func pixelFormat(_ settings: VideoOutputSettings) -> AVPixelFormat {
        if isHardware, settings.sampleFormat.model == .yuv420, !settings.sampleFormat.hasAlpha {
            // Hardware interleaves the samples of chroma.
            return settings.sampleFormat.bitDepth == 8
                ? AV_PIX_FMT_NV12
                : settings.sampleFormat.bitDepth == 10
                    ? AV_PIX_FMT_P010LE : av_get_pix_fmt(settings.encoderPixelFormat.name)
        }
        if settings.codec == .gif { return AV_PIX_FMT_RGB8 }
        let format = settings.encoderPixelFormat
        if settings.codec == .motionJPEG {
            // For this encoder, FFmpeg has separate names for the full-range formats.
            switch settings.sampleFormat.model {
            case .yuv420: return AV_PIX_FMT_YUVJ420P
            case .yuv422: return AV_PIX_FMT_YUVJ422P
            case .yuv444: return AV_PIX_FMT_YUVJ444P
            case .rgb: break
            }
        }
        return av_get_pix_fmt(format.name)
    }

    /// Returns the options of the encoder as names and values.
    func options(for settings: VideoOutputSettings) -> [(String, String)] {
        var options: [(String, String)] = []
        let hasRate = settings.bitRate != nil
        func crf(_ standard: Int) {
            if !hasRate { options.append(("crf", "\(settings.rateFactor ?? standard)")) }
        }
        switch name {
        case "libx264":
            crf(18)
            options.append(("preset", settings.preset ?? "medium"))
            if let pass = settings.pass { options.append(("passlogfile", pass.statisticsPath)) }
            if settings.codesPartsAlike, settings.rateFactor != 0 {
                options.append(("x264-params", Self.alikeH264))
            }
        case "libx265":
            crf(20)
            options.append(("preset", settings.preset ?? "medium"))
            options.append(("forced-idr", "1"))
            options.append(("x265-params", Self.x265Parameters(settings)))
        case "libsvtav1":
            crf(30)
            options.append(("preset", settings.preset ?? "8"))
        case "libaom-av1":
            crf(30)
            options.append(("cpu-used", settings.preset ?? "6"))
            options.append(("row-mt", "1"))
        case "libvpx-vp9":
            crf(24)
            options += [("row-mt", "1"), ("auto-alt-ref", "0")]
            if !hasRate { options.append(("b", "0")) }
            if let preset = settings.preset { options.append(("deadline", preset)) }
        case "prores_ks":
            let isFull = settings.sampleFormat.model == .yuv444
            options.append(("profile", settings.preset ?? (isFull ? "4444" : "hq")))
            if settings.sampleFormat.hasAlpha { options.append(("alpha_bits", "16")) }
        case "ffv1": options += [("level", "3"), ("slicecrc", "1"), ("g", "1")]
        case "dnxhd":
            let profile =
                settings.sampleFormat.model == .yuv444
                ? "dnxhr_444" : settings.sampleFormat.bitDepth > 8 ? "dnxhr_hqx" : "dnxhr_hq"
            options.append(("profile", settings.preset ?? profile))
        case "mjpeg": options.append(("q", "\(settings.rateFactor ?? 3)"))
        case "libwebp_anim":
            options += [("quality", "\(settings.rateFactor ?? 80)"), ("loop", "0")]
        default:
            if usesSurfaces {
                let factor = settings.codec == .vp9 || settings.codec == .av1 ? 4 : 1
                if !hasRate {
                    // AV1 and VP9 have 255 steps of quality, H.264 and HEVC have 51.
                    let quality = min(max(settings.rateFactor ?? 20, 0), 1000) * factor
                    options += [("rc_mode", "CQP"), ("global_quality", "\(quality)")]
                }
            } else if isHardware {
                options += [("preset", "p4"), ("forced-idr", "1")]
                if !hasRate { options.append(("cq", "\(settings.rateFactor ?? 20)")) }
            }
        }
        return options
            + settings.encoderOptions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    // Options with which the cost of a block depends only on its content: no macroblock tree, no
    // quantizer for the complexity of the whole frame, no weighted prediction, no psychovisual
    // optimisation. Flat blocks, in which steps are visible, get a finer quantizer. So does chroma,
    // whose steps are twice as large in R'G'B'.
    private static let alikeH264 =
        "mbtree=0:qcomp=1:aq-mode=1:aq-strength=1.5:psy=0:weightp=0:chroma-qp-offset=-12"
    /// The options of `alikeH264` for HEVC, with blocks of 16 x 16 as in H.264. Larger blocks would
    /// extend across the borders of parts.
    private static let alikeHEVC =
        "cutree=0:qcomp=1:aq-mode=1:aq-strength=1.5:psy-rd=0:psy-rdoq=0:weightp=0:sao=0:"
        + "ctu=16:max-tu-size=16:qg-size=16:cbqpoffs=-12:crqpoffs=-12"

    /// Returns x265's own options. They limit its log to errors and set the properties of high
    /// dynamic range. The units are those of H.265, D.2.28: 0.00002 and 0.0001 candela per square
    /// metre.
    private static func x265Parameters(_ settings: VideoOutputSettings) -> String {
        var parameters = ["log-level=error"]
        if settings.codesPartsAlike { parameters.append(alikeHEVC) }
        if let pass = settings.pass {
            // Colons separate parameters.
            let path = pass.statisticsPath.split(
                separator: ":" as Character, omittingEmptySubsequences: false
            ).joined(separator: "\\:")
            parameters.append("pass=\(pass.isFirst ? 1 : 2):stats=\(path)")
        }
        if settings.declaredColor.transfer == .pq { parameters.append("hdr10=1") }
        if let volume = settings.masteringDisplayColorVolume, let places = volume.codedPlaces {
            let texts = places.map { "(\($0.x),\($0.y))" }
            let light = volume.codedLuminances ?? (0, 0)
            parameters.append(
                "master-display=G\(texts[1])B\(texts[2])R\(texts[0])WP\(texts[3])"
                    + "L(\(light.maximum),\(light.minimum))")
        }
        if let level = settings.contentLightLevel {
            parameters.append(
                "max-cll=\(level.maximumContentLightLevel),"
                    + "\(level.maximumFrameAverageLightLevel)")
        }
        return parameters.joined(separator: ":")
    }
}
