// SPDX-License-Identifier: Apache-2.0

import CPlayheadV4L2
import PlayheadBuffers
import PlayheadCapturing
import PlayheadTime

/// The formats of a video device, as its driver lists them.
enum V4L2Formats {
    /// The supported sample formats, each given by its four characters.
    static let known: Set<String> = [
        "YUYV", "UYVY", "NV12", "YU12", "NM12", "YM12", "GREY", "MJPG", "JPEG", "H264",
    ]

    /// The sizes to offer if the driver scales to any size.
    private static let usualSizes = [
        (1920, 1080), (1280, 720), (1024, 576), (800, 600), (640, 480), (640, 360), (320, 240),
    ]
    /// The maximum number of entries, in case a driver's list never ends.
    private static let limit: UInt32 = 256
    private static let action = "queried for its formats"

    /// Returns all supported formats.
    static func all(of device: V4L2Device) throws(CaptureError) -> [CaptureFormat] {
        var formats: [CaptureFormat] = []
        for index in 0..<limit {
            var description = v4l2_fmtdesc()
            description.index = index
            description.type = device.bufferType
            let code = ph_v4l2_enumerate_format(device.descriptor, &description)
            if code == EINVAL { break }
            if code != 0 { throw device.failure(code, while: action) }
            let subType = text(description.pixelformat)
            guard known.contains(subType) else { continue }
            for (width, height) in try sizes(of: description.pixelformat, device) {
                formats.append(
                    CaptureFormat(
                        mediaSubType: subType, width: width, height: height,
                        frameRateRanges: try rates(
                            of: description.pixelformat, width, height, device)))
            }
        }
        return formats
    }

    static func text(_ code: UInt32) -> String {
        String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: code >> (8 * $0)) }, as: UTF8.self)
    }

    private static func sizes(
        of format: UInt32, _ device: V4L2Device
    ) throws(CaptureError) -> [(width: Int, height: Int)] {
        var sizes: [(width: Int, height: Int)] = []
        for index in 0..<limit {
            var entry = v4l2_frmsizeenum()
            entry.index = index
            entry.pixel_format = format
            let code = ph_v4l2_enumerate_size(device.descriptor, &entry)
            try device.requirePresence(code, while: action)
            guard code == 0 else { break }
            if entry.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue {
                let size = ph_v4l2_size(&entry)
                sizes.append((Int(size.width), Int(size.height)))
                continue
            }
            let range = ph_v4l2_sizes(&entry)
            let step = (max(1, Int(range.step_width)), max(1, Int(range.step_height)))
            let (low, high) = (
                (Int(range.min_width), Int(range.min_height)),
                (Int(range.max_width), Int(range.max_height))
            )
            sizes.append(high)
            sizes += usualSizes.filter { width, height in
                width >= low.0 && height >= low.1 && (width, height) != high
                    && width <= high.0 && height <= high.1 && (width - low.0) % step.0 == 0
                    && (height - low.1) % step.1 == 0
            }
            break
        }
        if sizes.isEmpty, let current = current(device, format) { sizes = [current] }
        return sizes.filter { $0.width > 0 && $0.height > 0 }
    }

    /// Returns the current size, for a driver that lists no sizes.
    private static func current(
        _ device: V4L2Device, _ format: UInt32
    ) -> (width: Int, height: Int)? {
        var values = v4l2_format()
        values.type = device.bufferType
        guard ph_v4l2_get_format(device.descriptor, &values) == 0 else { return nil }
        let pixels = ph_v4l2_pixels(&values)
        return (Int(pixels.width), Int(pixels.height))
    }

    private static func rates(
        of format: UInt32, _ width: Int, _ height: Int, _ device: V4L2Device
    ) throws(CaptureError) -> [CaptureFrameRateRange] {
        var ranges: [CaptureFrameRateRange] = []
        for index in 0..<limit {
            var entry = v4l2_frmivalenum()
            entry.index = index
            entry.pixel_format = format
            entry.width = UInt32(width)
            entry.height = UInt32(height)
            let code = ph_v4l2_enumerate_interval(device.descriptor, &entry)
            try device.requirePresence(code, while: action)
            guard code == 0 else { break }
            if entry.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue {
                if let duration = duration(ph_v4l2_interval(&entry)) {
                    ranges.append(
                        CaptureFrameRateRange(
                            minFrameDuration: duration, maxFrameDuration: duration))
                }
                continue
            }
            let range = ph_v4l2_intervals(&entry)
            if let low = duration(range.min), let high = duration(range.max) {
                ranges.append(
                    CaptureFrameRateRange(minFrameDuration: low, maxFrameDuration: high))
            }
            break
        }
        return ranges.sorted { $0.minFrameDuration < $1.minFrameDuration }
    }

    /// Returns a driver's fraction of a second as a time; nil for a fraction that is not positive.
    static func duration(_ fraction: v4l2_fract) -> MediaTime? {
        guard fraction.numerator > 0, fraction.denominator > 0,
            let scale = Int32(exactly: fraction.denominator)
        else { return nil }
        return MediaTime(value: Int64(fraction.numerator), timescale: scale)
    }

    /// Returns the fraction of a duration.
    static func fraction(_ duration: MediaTime) -> v4l2_fract {
        v4l2_fract(
            numerator: UInt32(clamping: duration.value), denominator: UInt32(duration.timescale))
    }

    /// Returns the order of the fields. Grabbers of analogue video deliver interlaced frames.
    static func fieldOrder(_ pixels: v4l2_pix_format) -> PixelBufferAttachments.FieldOrder {
        switch v4l2_field(rawValue: pixels.field) {
        case V4L2_FIELD_INTERLACED_TB: .topFieldFirst
        case V4L2_FIELD_INTERLACED_BT: .bottomFieldFirst
        // The order depends on the standard: video of 60 Hz has the bottom field first
        // (videodev2.h).
        case V4L2_FIELD_INTERLACED: pixels.height <= 486 ? .bottomFieldFirst : .topFieldFirst
        default: .progressive
        }
    }

    /// Returns the colours that a driver declares for its samples, by the rules of `videodev2.h`
    /// (V4L2_MAP_YCBCR_ENC_DEFAULT, V4L2_MAP_QUANTIZATION_DEFAULT).
    static func color(_ pixels: v4l2_pix_format, _ subType: String) -> ColorAttachments {
        var color = ColorAttachments()
        let space = v4l2_colorspace(rawValue: pixels.colorspace)
        switch space {
        case V4L2_COLORSPACE_REC709: (color.primaries, color.matrix) = (.bt709, .bt709)
        case V4L2_COLORSPACE_BT2020:
            (color.primaries, color.matrix) = (.bt2020, .bt2020NonConstantLuminance)
        case V4L2_COLORSPACE_SMPTE170M: (color.primaries, color.matrix) = (.smpte170m, .bt601)
        default: (color.primaries, color.matrix) = (.bt709, .bt601)
        }
        switch v4l2_ycbcr_encoding(rawValue: pixels.ycbcr_enc) {
        case V4L2_YCBCR_ENC_601, V4L2_YCBCR_ENC_XV601: color.matrix = .bt601
        case V4L2_YCBCR_ENC_709, V4L2_YCBCR_ENC_XV709: color.matrix = .bt709
        case V4L2_YCBCR_ENC_BT2020: color.matrix = .bt2020NonConstantLuminance
        default: break
        }
        color.transfer = space == V4L2_COLORSPACE_SRGB ? .sRGB : .bt709
        let isJPEG = space == V4L2_COLORSPACE_JPEG || subType == "MJPG" || subType == "JPEG"
        switch v4l2_quantization(rawValue: pixels.quantization) {
        case V4L2_QUANTIZATION_FULL_RANGE: color.range = .full
        case V4L2_QUANTIZATION_LIM_RANGE: color.range = .limited
        default: color.range = isJPEG ? .full : .limited
        }
        color.chromaLocation = isJPEG ? .center : .left
        return color
    }
}
