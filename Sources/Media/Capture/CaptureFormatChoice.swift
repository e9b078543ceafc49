// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A request for a size, rate and sample format that selects one of a device's formats.
package struct CaptureFormatChoice: Sendable, Hashable {
    /// The requested size in pixels; nil for any.
    package var width: Int?
    package var height: Int?
    /// The requested frames per second; nil for any.
    package var framesPerSecond: Double?
    /// The four characters of the requested sample format, in upper or lower case; nil for any.
    package var mediaSubType: String?

    package init(
        width: Int? = nil, height: Int? = nil, framesPerSecond: Double? = nil,
        mediaSubType: String? = nil
    ) {
        self.width = width
        self.height = height
        self.framesPerSecond = framesPerSecond
        self.mediaSubType = mediaSubType
    }

    /// Returns the largest format of up to 1280 x 720 and at least 24 frames per second. Cameras
    /// deliver larger formats slowly or compressed. Of several formats with the same size, a format
    /// whose samples need no decoder is preferred. If no format meets both limits, the frame rate
    /// takes precedence over the size.
    package static func preferred(_ formats: [CaptureFormat]) -> CaptureFormat? {
        let slow = MediaTime(value: 1, timescale: 24)
        func rank(_ format: CaptureFormat) -> (Int, Int, Int) {
            let isFast = !format.minFrameDuration.isNumeric || format.minFrameDuration <= slow
            let isSmall = format.width * format.height <= 1280 * 720
            let area = format.width * format.height
            return (
                (isFast ? 2 : 0) + (isSmall ? 1 : 0), isSmall ? area : -area,
                format.isCompressed ? 0 : 1
            )
        }
        // Of equal formats, the first one in the driver's order is kept.
        return formats.reduce(nil) { best, format in
            guard let best else { return format }
            return rank(format) > rank(best) ? format : best
        }
    }

    /// Returns the format and frame duration that meet all requests.
    ///
    /// - Throws: `unsupportedFormat`, which lists what the device offers instead.
    package func configuration(
        among formats: [CaptureFormat], of device: String
    ) throws(CaptureError) -> CaptureConfiguration {
        var left = formats
        if let mediaSubType {
            let wanted = Self.subType(mediaSubType)
            left = left.filter { $0.mediaSubType == wanted }
            guard !left.isEmpty else {
                let names = Set(formats.map(\.mediaSubType)).sorted().joined(separator: ", ")
                throw refusal(device, "format=\(mediaSubType)", "use \(names)")
            }
        }
        if let width, let height {
            let sizes = left
            left = left.filter { $0.width == width && $0.height == height }
            guard !left.isEmpty else {
                var seen: Set<String> = []
                let names = sizes.map { "\($0.width)x\($0.height)" }
                    .filter { seen.insert($0).inserted }
                throw refusal(
                    device, "size=\(width)x\(height)", "use \(names.joined(separator: ", "))")
            }
        }
        guard let framesPerSecond else {
            guard let format = Self.preferred(left) else {
                throw refusal(device, "it", "choose another device")
            }
            return CaptureConfiguration(format: format)
        }
        let matching = left.compactMap { format in
            Self.frameDuration(framesPerSecond, in: format).map { (format, $0) }
        }
        guard let format = Self.preferred(matching.map(\.0)),
            let match = matching.first(where: { $0.0 == format })
        else {
            let durations = Set(
                left.flatMap(\.frameRateRanges).flatMap {
                    [$0.minFrameDuration, $0.maxFrameDuration]
                })
            let names = durations.sorted().map(CaptureFormat.rate)
            throw refusal(
                device, "rate=\(Self.text(framesPerSecond))",
                "use \(names.joined(separator: ", "))")
        }
        return CaptureConfiguration(format: match.0, frameDuration: match.1)
    }

    private static func text(_ rate: Double) -> String {
        rate == rate.rounded() && abs(rate) < 1e6 ? "\(Int(rate))" : "\(rate)"
    }

    /// Returns the device's frame duration that is nearest to a rate and within 1 % of it, so that
    /// 30 selects 29.97 if the device offers only 29.97.
    private static func frameDuration(
        _ rate: Double, in format: CaptureFormat
    ) -> MediaTime? {
        guard rate > 0, rate.isFinite else { return nil }
        if format.frameRateRanges.isEmpty { return MediaTime(seconds: 1 / rate) }
        var best: (MediaTime, Double)?
        for range in format.frameRateRanges {
            let exact =
                rate == rate.rounded()
                ? MediaTime(value: 1, timescale: Int32(clamping: Int(rate)))
                : MediaTime(seconds: 1 / rate)
            for duration in [exact, range.minFrameDuration, range.maxFrameDuration]
            where range.contains(duration) {
                let error = abs(duration.seconds * rate - 1)
                if error < 0.01, error < best?.1 ?? 1 { best = (duration, error) }
            }
        }
        return best?.0
    }

    /// Returns the driver's four characters for a name that users know.
    private static func subType(_ name: String) -> String {
        switch name.lowercased() {
        case "mjpeg", "mjpg", "jpeg": "MJPG"
        case "yuyv", "yuy2", "yuyv422": "YUYV"
        case "h.264", "h264", "avc": "H264"
        default: name.uppercased()
        }
    }

    private func refusal(
        _ device: String, _ wish: String, _ remedy: String
    ) -> CaptureError {
        CaptureError(
            .unsupportedFormat, subject: device,
            cause: "it does not offer \(wish)", remedy: remedy)
    }
}
