// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadPlayback
import PlayheadTime

/// The properties of file, video and audio formats.
extension PlayerController {
    func provideFormats() {
        offer(.fileFormat) { item in
            guard let container = item.assetDescription?.container, !container.isEmpty else {
                return nil
            }
            // mpv's Matroska demuxer is called mkv.
            return .text(container.hasPrefix("matroska") ? "mkv" : container)
        }
        offer(.displayedWidth) { $0.displayedSize.map { .number($0.width) } }
        offer(.displayedHeight) { $0.displayedSize.map { .number($0.height) } }
        offer(.width) { $0.storedSize.map { .number(Double($0.width)) } }
        offer(.height) { $0.storedSize.map { .number(Double($0.height)) } }
        offer(.videoParameters) { $0.videoParameters }
        offer(.videoFormat) { ($0.playingTracks.video?.formatDescription.codec).map { .text($0) } }
        offer(.videoCodec) { ($0.playingTracks.video?.formatDescription).map(Self.longName) }
        offer(.videoBitRate) { Self.rate($0.playingTracks.video?.estimatedDataRate) }
        offer(.frameRate) { item in item.frameRate.map { .number($0) } }
        offer(.hardwareDecoder) { item in
            item.videoDecodingMethod.map {
                $0.acceleration == .none ? .no : .text($0.acceleration.rawValue)
            }
        }
        offer(.audioParameters) { $0.audioParameters }
        offer(.audioCodec) { ($0.playingTracks.audio?.formatDescription).map(Self.longName) }
        offer(.audioCodecName) {
            ($0.playingTracks.audio?.formatDescription.codec).map { .text($0) }
        }
        offer(.audioBitRate) { Self.rate($0.playingTracks.audio?.estimatedDataRate) }
        offer(.frameNumber) { item in
            item.frameRate.map { rate in
                // A frame's time can be slightly less than a multiple of the rounded period.
                .number((item.currentTime.seconds * rate + 0.01).rounded(.down))
            }
        }
        offer(.frameCount) { item in
            guard let rate = item.frameRate, item.duration.isNumeric else { return nil }
            return .number((item.duration.seconds * rate).rounded())
        }
    }

    /// Provides a property of items that are ready.
    private func offer(
        _ property: PlayerProperty, _ body: @escaping @MainActor (PlayerItem) -> PropertyValue?
    ) {
        provide(property, PropertyAccess(get: { [weak self] in self?.readyItem.flatMap(body) }))
    }

    private static func longName(_ format: FormatDescription) -> PropertyValue {
        .text(format.codecName ?? format.codec)
    }

    private static func rate(_ rate: Int?) -> PropertyValue? {
        guard let rate, rate > 0 else { return nil }
        return .number(Double(rate))
    }
}

extension PlayerItem {
    fileprivate var video: FormatDescription.Video? {
        playingTracks.video?.formatDescription.video
    }

    /// The size at which the video is shown; nil without video.
    fileprivate var displayedSize: (width: Double, height: Double)? {
        let size = presentationSize
        return size == .zero ? nil : (size.width.rounded(), size.height.rounded())
    }

    fileprivate var storedSize: (width: Int, height: Int)? { video.map { ($0.width, $0.height) } }

    /// The frame rate; nil for stills, and if the file does not declare a rate.
    fileprivate var frameRate: Double? {
        guard let track = playingTracks.video, !track.isAttachedPicture,
            assetDescription?.isStill != true
        else { return nil }
        // Implausible rates are artefacts of coarse timestamps.
        let rate = track.nominalFrameRate
        return rate > 0 && rate <= 240 ? rate : nil
    }

    /// The video format, with the field names of mpv's `video-params`.
    fileprivate var videoParameters: PropertyValue? {
        guard let video, let shown = displayedSize else { return nil }
        let (attachments, color) = (video.attachments, video.shownColor)
        let ratio = attachments.pixelAspectRatio
        let isTurned = attachments.orientation.swapsAxes
        let (width, height) =
            isTurned ? (shown.height, shown.width) : (shown.width, shown.height)
        var fields: [String: PropertyValue] = [
            "pixelformat": .text(video.pixelFormat),
            "w": .number(Double(video.width)), "h": .number(Double(video.height)),
            "dw": .number(width), "dh": .number(height),
            "par": .number(Double(ratio.horizontal) / Double(ratio.vertical)),
            "rotate": .number(Double(attachments.orientation.degrees)),
        ]
        if height > 0 { fields["aspect"] = .number(width / height) }
        fields["colormatrix"] = Self.colorMatrices[color.matrix].map { .text($0) }
        fields["primaries"] = Self.colorPrimaries[color.primaries].map { .text($0) }
        fields["gamma"] = Self.transferFunctions[color.transfer].map { .text($0) }
        switch color.range {
        case .limited: fields["colorlevels"] = .text("limited")
        case .full: fields["colorlevels"] = .text("full")
        case .unspecified: break
        }
        return .map(fields)
    }

    // These are mpv's names. A value that has no name in mpv is omitted.

    private static let colorMatrices: [ColorAttachments.Matrix: String] = [
        .rgb: "rgb", .bt709: "bt.709", .bt470bg: "bt.601", .bt601: "bt.601",
        .smpte240m: "smpte-240m", .yCgCo: "ycgco", .bt2020NonConstantLuminance: "bt.2020-ncl",
        .bt2020ConstantLuminance: "bt.2020-cl",
    ]

    private static let colorPrimaries: [ColorAttachments.Primaries: String] = [
        .bt709: "bt.709", .bt470m: "bt.470m", .bt470bg: "bt.601-625", .smpte170m: "bt.601-525",
        .smpte240m: "bt.601-525", .film: "film-c", .bt2020: "bt.2020", .xyz: "cie1931",
        .dciP3: "dci-p3", .displayP3: "display-p3", .ebu3213: "ebu3213",
    ]

    private static let transferFunctions: [ColorAttachments.Transfer: String] = [
        .bt709: "bt.1886", .bt601: "bt.1886", .smpte240m: "bt.1886", .bt2020TenBit: "bt.1886",
        .bt2020TwelveBit: "bt.1886", .gamma22: "gamma2.2", .gamma28: "gamma2.8",
        .linear: "linear", .sRGB: "srgb", .pq: "pq", .smpte428: "st428", .hlg: "hlg",
    ]

    /// The audio format, with the field names of mpv's `audio-params`.
    fileprivate var audioParameters: PropertyValue? {
        guard let audio = playingTracks.audio?.formatDescription.audio else { return nil }
        return .map([
            "format": .text(audio.sampleFormat), "samplerate": .number(Double(audio.sampleRate)),
            "channels": .text(audio.channelLayout), "hr-channels": .text(audio.channelLayout),
            "channel-count": .number(Double(audio.channelCount)),
        ])
    }
}
