// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

extension AssetDescription {
    /// Creates the description of a probed container.
    init(_ context: FormatContext) {
        let format = context.pointer.pointee
        let streams = context.streams.compactMap { $0 }
        let timed = streams.filter { $0.isTimed }
        let starts = timed.map { MediaTime($0.pointee.start_time, timeBase: $0.pointee.time_base) }
            .filter(\.isNumeric)
        let start = starts.min() ?? .zero
        // Formats that allow discontinuous timestamps may begin at any time, because files are cut
        // from broadcasts. In other formats, the start time is intended.
        let isBroadcast =
            format.iformat.pointee.flags & AVFMT_TS_DISCONT != 0
            || String(cString: format.iformat.pointee.name) == "dirac"
        // FFmpeg takes a session's first timestamp that is not zero for its beginning.
        let isBeforeZero = context.isSession && start < .zero
        let offset =
            Self.liveOffset(of: context) ?? context.presentation?.timestampOffset(near: start)
            ?? (isBroadcast || isBeforeZero ? start : .zero)
        let container = context.isSession ? "rtsp" : String(cString: format.iformat.pointee.name)
        let boxes = MovieBoxes(context)
        let edits = boxes?.segments ?? [:]
        let thumbnails = streams.first { $0.isTimedThumbnails }.map { Int($0.pointee.index) }
        let duration = Self.duration(of: format, container, from: start, timed: timed)
        self.init(
            container: container, duration: duration,
            startTime: start - offset, timestampOffset: offset,
            providesPreciseDurationAndTiming: duration.isNumeric && Self.isPrecise(format),
            dataRate: timed.contains { $0.isOfUnknownDuration(in: container) }
                ? 0 : Self.dataRate(of: context),
            missingByteCount: context.missingByteCount,
            tracks: streams.map { AssetTrack($0, of: context, offset: offset, edits: edits) },
            chapters: (0..<Int(format.nb_chapters)).compactMap {
                format.chapters[$0].map {
                    Chapter($0.pointee, offset: offset, imageTrackID: thumbnails)
                }
            },
            metadata: MetadataItem.items(of: format.metadata, container: container)
                + streams.compactMap { MetadataItem(artwork: $0, container: container) })
        for (index, stream) in streams.enumerated() {
            tracks[index].isEncrypted =
                boxes?.encryptedTracks.contains(Int(stream.pointee.id)) ?? false
                // This is Matroska's ContentEncKeyID, as FFmpeg reports it.
                || Options.entries(of: stream.pointee.metadata).contains { $0.key == "enc_key_id" }
            tracks[index].addFormats(boxes?.sampleEntries[Int(stream.pointee.id)] ?? [])
        }
        addGeometry(boxes, MatroskaVideo(context), identifiers: streams.map { Int($0.pointee.id) })
        addGeometry(StillOrientation(context))
        holdsOneImage = Self.holdsOneImage(format, container, streams)
    }

    /// Returns the timestamp of a live stream at the zero of its timeline, so that the segment with
    /// which reading began is at its place; nil for other containers.
    static func liveOffset(of context: FormatContext) -> MediaTime? {
        guard let (_, time) = context.reading.beginning, let start = context.firstTimestamp else {
            return nil
        }
        return start - time
    }

    /// Adds the video geometry that the container states but FFmpeg does not report.
    ///
    /// - Parameter identifiers: The numbers of the tracks in the file.
    private mutating func addGeometry(
        _ boxes: MovieBoxes?, _ matroska: MatroskaVideo?, identifiers: [Int]
    ) {
        var entries = (matroska?.entries ?? [])[...]
        for index in tracks.indices where tracks[index].mediaType == .video {
            guard var video = tracks[index].formatDescription.video else { continue }
            if video.cleanAperture == nil {
                video.cleanAperture = boxes?.cleanApertures[identifiers[index]]
            }
            // In the file, covers are attachments behind all tracks.
            if !tracks[index].isAttachedPicture, let entry = entries.popFirst(),
                entry.width == video.width, entry.height == video.height
            {
                if video.cleanAperture == nil {
                    video.cleanAperture = entry.cleanAperture
                    if let ratio = entry.pixelAspectRatio {
                        video.attachments.pixelAspectRatio = ratio
                    }
                }
                if video.attachments.orientation == .up, let turned = entry.orientation {
                    video.attachments.orientation = turned
                }
            }
            tracks[index].formatDescription.video = video
        }
    }

    /// Adds the geometry from a still image's file to the first track.
    private mutating func addGeometry(_ still: StillOrientation?) {
        guard let still, let index = tracks.firstIndex(where: { $0.mediaType == .video }) else {
            return
        }
        guard var video = tracks[index].formatDescription.video else { return }
        if video.attachments.orientation == .up {
            video.attachments.orientation = still.orientation
        }
        if video.cleanAperture == nil { video.cleanAperture = still.cleanAperture }
        tracks[index].formatDescription.video = video
    }

    /// The brands in the file type box that mark an image: that of AVIF, and those in the table of
    /// ISO/IEC 23008-12 (HEIF). The brands of image sequences, `avis`, `hevc` and `msf1`, count as
    /// video.
    static let imageBrands: Set = ["avif", "heic", "heix", "heim", "heis", "mif1"]

    /// Returns whether the container is for images and its only playable track has one frame.
    private static func holdsOneImage(
        _ format: AVFormatContext, _ container: String, _ streams: [UnsafeMutablePointer<AVStream>]
    ) -> Bool {
        let played = streams.filter {
            [AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO].contains(
                $0.pointee.codecpar.pointee.codec_type)
        }
        guard played.count == 1, let only = played.first, only.pointee.nb_frames == 1,
            only.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
        else { return false }
        if container == "gif" { return true }
        let brand = Options.entries(of: format.metadata).first { $0.key == "major_brand" }?.value
        return container.hasPrefix("mov,") && brand.map(imageBrands.contains) ?? false
    }

    /// Returns whether a container is only a row of images. FFmpeg takes a small photograph with a
    /// preview for Motion JPEG.
    static func isOfImages(container: String) -> Bool {
        isStill(container: container) || container == "mjpeg"
    }

    /// Removes the frame rates that FFmpeg assumes for a source without timestamps.
    mutating func forgetRates() {
        for index in tracks.indices {
            tracks[index].nominalFrameRate = 0
            tracks[index].frameDuration = .invalid
            tracks[index].minimumFrameDuration = .invalid
        }
    }

    /// Sets the duration of a single image in a container that could also hold a video.
    ///
    /// - Parameter duration: The duration. Nil means a twenty-fifth of a second, which FFmpeg uses
    ///   for other still images.
    mutating func stretchImage(to duration: MediaTime?) {
        guard holdsOneImage,
            let index = tracks.firstIndex(where: { $0.mediaType == .video })
        else { return }
        let stated = duration.flatMap { $0.isNumeric && $0 > .zero ? $0 : nil }
        let length = stated ?? MediaTime(value: 1, timescale: 25)
        self.duration = length
        providesPreciseDurationAndTiming = true
        startTime = .zero
        tracks[index].timeRange = MediaTimeRange(start: .zero, duration: length)
        tracks[index].frameDuration = length
        // In an image format, images follow at a rate.
        let isOfImages = Self.isOfImages(container: container)
        tracks[index].minimumFrameDuration = isOfImages ? length : .invalid
        if isOfImages { tracks[index].nominalFrameRate = 1 / length.seconds }
    }

    /// Returns the data rate, in bits per second. FFmpeg divides the size of the file by the
    /// duration. For a playlist this is meaningless, so the declared rate is used instead.
    private static func dataRate(of context: FormatContext) -> Int {
        let format = context.pointer.pointee
        guard String(cString: format.iformat.pointee.name) == "hls" else {
            return Int(max(0, format.bit_rate))
        }
        guard let variant = context.variants.current else { return 0 }
        return variant.averageBandwidth > 0 ? variant.averageBandwidth : variant.bandwidth
    }

    /// Returns whether FFmpeg read the duration from the container's index or header. If not, it
    /// estimated the duration from the size and data rate, or from the last timestamps.
    private static func isPrecise(_ format: AVFormatContext) -> Bool {
        format.duration > 0 && format.duration_estimation_method == AVFMT_DURATION_FROM_STREAM
    }

    /// The formats whose header states the end of a timeline that begins at 0, regardless of the
    /// time of the first packet. FFmpeg reports this end as the duration and, for ASF, as the
    /// duration of each track.
    fileprivate static let formatsThatStateTheEnd: Set = ["matroska,webm", "nut", "asf"]

    /// Returns the length of the timeline.
    ///
    /// FFmpeg reports an asset's duration in microseconds. The time from the earliest start to the
    /// latest end of the tracks is exact, and is returned if the two durations agree to a
    /// millisecond. If they do not, FFmpeg's duration may come from a header that states the end of
    /// the timeline.
    private static func duration(
        of format: AVFormatContext, _ container: String, from start: MediaTime,
        timed: [UnsafeMutablePointer<AVStream>]
    ) -> MediaTime {
        // FFmpeg treats the marker of an unknown duration as a number.
        if timed.contains(where: { $0.isOfUnknownDuration(in: container) }) { return .indefinite }
        let stated = MediaTime(duration: format.duration, timeBase: microseconds)
        // Audio before 0 is lead-in, and the duration in the header includes it.
        if formatsThatStateTheEnd.contains(container), stated.isNumeric, stated > start {
            return stated - max(start, .zero)
        }
        let ranges = timed.compactMap { stream -> MediaTimeRange? in
            let base = stream.pointee.time_base
            let duration = MediaTime(duration: stream.pointee.duration, timeBase: base)
            let start = MediaTime(stream.pointee.start_time, timeBase: base)
            return duration.isNumeric && start.isNumeric
                ? MediaTimeRange(start: start, duration: duration) : nil
        }
        guard let first = ranges.map(\.start).min(), let end = ranges.map(\.end).max() else {
            return stated.isNumeric ? stated : .indefinite
        }
        let exact = end - first
        guard stated.isNumeric else { return exact }
        let rounding = MediaTime(value: 1, timescale: 1000)
        if (exact - stated).magnitude <= rounding { return exact }
        // The duration in a movie header also begins at 0. It includes all tracks, even those whose
        // edits delay their beginning.
        guard container.hasPrefix("mov,"), start > .zero, stated >= end - rounding else {
            return stated
        }
        return (end - stated).magnitude <= rounding ? exact : stated - start
    }
}

extension AssetTrack {
    init(
        _ stream: UnsafeMutablePointer<AVStream>, of context: FormatContext, offset: MediaTime,
        edits: [Int: [AssetTrackSegment]]
    ) {
        let values = stream.pointee
        let container = String(cString: context.pointer.pointee.iformat.pointee.name)
        let isDefault = values.disposition & AV_DISPOSITION_DEFAULT != 0
        let tags = Options.entries(of: values.metadata)
        let language = tags.first { $0.key.lowercased() == "language" }?.value
        let start = MediaTime(values.start_time, timeBase: values.time_base) - offset
        var duration = MediaTime(duration: values.duration, timeBase: values.time_base)
        let statesEnd = AssetDescription.formatsThatStateTheEnd.contains(container)
        if statesEnd, start.isNumeric, start > .zero, duration > start { duration -= start }
        let isOpen = stream.isOfUnknownDuration(in: container)
        if !duration.isValid || isOpen { duration = .indefinite }
        let period = MediaTime(
            periodOf: av_guess_frame_rate(context.pointer, stream, nil))
        let mean = values.avg_frame_rate
        let isVideo = values.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
        self.init(
            id: Int(values.index), mediaType: MediaType(stream),
            formatDescription: FormatDescription(stream, of: context),
            languageTag: language == "und" ? nil : language,
            title: tags.first { $0.key.lowercased() == "title" }?.value,
            isDefault: isDefault,
            // In MOV, FFmpeg's flag is the "enabled" flag of the track header.
            isEnabled: isDefault || !container.hasPrefix("mov,"),
            characteristics: MediaCharacteristic.all(in: values.disposition),
            isAttachedPicture: stream.isAttachedPicture,
            timeRange: MediaTimeRange(start: start, duration: duration),
            timeUnit: MediaTime(1, timeBase: values.time_base),
            nominalFrameRate: isVideo && mean.num > 0 && mean.den > 0 ? av_q2d(mean) : 0,
            frameDuration: isVideo ? period : .invalid,
            minimumFrameDuration: isVideo ? MediaTime(periodOf: values.r_frame_rate) : .invalid,
            // For an open-ended file, FFmpeg computes the rate from an invalid duration.
            estimatedDataRate: isOpen ? 0 : Int(max(0, values.codecpar.pointee.bit_rate)),
            sampleCount: Int(max(0, values.nb_frames)),
            segments: edits[Int(values.id)] ?? [],
            metadata: MetadataItem.items(of: values.metadata, container: container))
    }
}

extension AssetTrack {
    /// Adds the formats of the sample entries after the first one.
    fileprivate mutating func addFormats(_ entries: [MovieBoxes.SampleEntry]) {
        furtherFormats = entries.dropFirst().map { entry in
            var format = FormatDescription(
                codec: entry.codec(of: mediaType) ?? formatDescription.codec,
                codecTag: entry.name)
            // Other properties are those of the first entry, as far as they can be.
            if format.codec == formatDescription.codec { format.audio = formatDescription.audio }
            if var video = formatDescription.video {
                (video.width, video.height) = (entry.width, entry.height)
                video.cleanAperture = nil
                format.video = video
            }
            return format
        }
    }
}

extension UnsafeMutablePointer<AVStream> {
    /// A Boolean value that indicates whether the stream is a single image that belongs to the
    /// whole file. Thumbnails along the timeline have the same flag, but belong to a video track.
    var isAttachedPicture: Bool {
        pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
            && pointee.disposition & AV_DISPOSITION_TIMED_THUMBNAILS == 0
    }

    /// A Boolean value that indicates whether the duration is unknown although FFmpeg states one.
    ///
    /// A movie header can mark it as unknown by setting all bits (ISO/IEC 14496-12, section 8.4.2).
    /// For MPEG video without a container, FFmpeg divides the size by the data rate in the header,
    /// which is the maximum or a mark of a variable rate (ISO/IEC 11172-2, 2.4.3.2).
    func isOfUnknownDuration(in container: String) -> Bool {
        container == "mpegvideo"
            || container.hasPrefix("mov,") && pointee.duration == Int64(UInt32.max)
    }

    /// A Boolean value that indicates whether the stream is a video track with images of chapters.
    var isTimedThumbnails: Bool { pointee.disposition & AV_DISPOSITION_TIMED_THUMBNAILS != 0 }

    /// A Boolean value that indicates whether the stream's times determine the beginning and the
    /// end of the asset.
    var isTimed: Bool {
        let type = pointee.codecpar.pointee.codec_type
        return (type == AVMEDIA_TYPE_VIDEO || type == AVMEDIA_TYPE_AUDIO) && !isAttachedPicture
            && !isTimedThumbnails
    }
}

extension MediaCharacteristic {
    /// Returns the characteristics that a stream's disposition states.
    static func all(in disposition: Int32) -> Set<MediaCharacteristic> {
        let flags: [(Int32, MediaCharacteristic)] = [
            (AV_DISPOSITION_FORCED, .containsOnlyForcedSubtitles),
            (AV_DISPOSITION_HEARING_IMPAIRED, .transcribesSpokenDialogForAccessibility),
            (AV_DISPOSITION_CAPTIONS, .transcribesSpokenDialogForAccessibility),
            (AV_DISPOSITION_VISUAL_IMPAIRED, .describesVideoForAccessibility),
            (AV_DISPOSITION_DESCRIPTIONS, .describesVideoForAccessibility),
            (AV_DISPOSITION_COMMENT, .isAuxiliaryContent),
            (AV_DISPOSITION_ORIGINAL, .isOriginalContent),
            (AV_DISPOSITION_DUB, .dubbedTranslation), (AV_DISPOSITION_LYRICS, .lyrics),
            (AV_DISPOSITION_KARAOKE, .karaoke),
            (AV_DISPOSITION_TIMED_THUMBNAILS, .timedThumbnails),
        ]
        return Set(flags.lazy.filter { disposition & $0.0 != 0 }.map(\.1))
    }
}

extension MediaType {
    /// The types of data, by the tags of sample entries and the codecs of FFmpeg.
    init(_ stream: UnsafeMutablePointer<AVStream>) {
        let codec = stream.pointee.codecpar.pointee
        self.init(codec.codec_type)
        guard self == .data else { return }
        // The tag is that of `tmcd`.
        if codec.codec_tag == 0x6463_6d74 {
            self = .timecode
        } else if stream.hasTextSamples {
            self = .subtitle
        } else if stream.isTimedMetadata {
            self = .metadata
        }
    }

    init(_ type: AVMediaType) {
        switch type {
        case AVMEDIA_TYPE_VIDEO: self = .video
        case AVMEDIA_TYPE_AUDIO: self = .audio
        case AVMEDIA_TYPE_SUBTITLE: self = .subtitle
        case AVMEDIA_TYPE_ATTACHMENT: self = .attachment
        default: self = .data
        }
    }
}

extension FormatDescription {
    init(_ stream: UnsafeMutablePointer<AVStream>, of context: FormatContext) {
        let parameters = stream.pointee.codecpar.pointee
        let isKnown = parameters.codec_id != AV_CODEC_ID_NONE
        self.init(
            codec: isKnown ? String(cString: avcodec_get_name(parameters.codec_id)) : "unknown",
            codecName: avcodec_descriptor_get(parameters.codec_id)
                .flatMap { $0.pointee.long_name }.map { String(cString: $0) },
            profile: avcodec_profile_name(parameters.codec_id, parameters.profile)
                .map { String(cString: $0) },
            codecTag: Self.characters(parameters.codec_tag))
        // An unknown level is negative. For most codecs, 0 is not a level either.
        level = parameters.level > 0 ? Int(parameters.level) : nil
        if !isKnown, stream.hasTextSamples {
            let id = codecTag == "wvtt" ? AV_CODEC_ID_WEBVTT : AV_CODEC_ID_TTML
            codec = String(cString: avcodec_get_name(id))
            codecName = avcodec_descriptor_get(id)
                .flatMap { $0.pointee.long_name }.map { String(cString: $0) }
        }
        if parameters.codec_type == AVMEDIA_TYPE_VIDEO {
            video = Video(stream, of: context)
        }
        if parameters.codec_type == AVMEDIA_TYPE_AUDIO {
            audio = Audio(
                sampleRate: Int(parameters.sample_rate),
                channelCount: Int(parameters.ch_layout.nb_channels),
                channelLayout: parameters.ch_layout.layoutName,
                sampleFormat: av_get_sample_fmt_name(AVSampleFormat(parameters.format))
                    .map { String(cString: $0) } ?? "",
                channels: parameters.ch_layout.channels)
        }
    }

    /// Returns a codec tag as four characters, starting with the lowest byte. Returns nil if any of
    /// them is not printable.
    private static func characters(_ tag: UInt32) -> String? {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: tag >> (8 * UInt32($0))) }
        guard bytes.allSatisfy({ (0x20..<0x7f).contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension FormatDescription.Video {
    init(_ stream: UnsafeMutablePointer<AVStream>, of context: FormatContext) {
        let parameters = stream.pointee.codecpar.pointee
        self.init(
            width: Int(parameters.width), height: Int(parameters.height),
            pixelFormat: PixelFormatTable.name(AVPixelFormat(parameters.format)),
            attachments: PixelBufferAttachments(stream, of: context))
        var edges: [UInt32] = [0, 0, 0, 0]
        if ph_stream_cropping(stream, &edges) != 0 {
            let (left, top) = (Int(edges[0]), Int(edges[1]))
            let (wide, high) = (width - left - Int(edges[2]), height - top - Int(edges[3]))
            if wide > 0, high > 0 {
                cleanAperture = .init(x: left, y: top, width: wide, height: high)
            }
        }
        dolbyVision = SideData.value(
            AV_PKT_DATA_DOVI_CONF, of: stream, as: AVDOVIDecoderConfigurationRecord.self
        ).map { .init($0) }
        let stereo = SideData.value(AV_PKT_DATA_STEREO3D, of: stream, as: AVStereo3D.self)
        if let stereo, stereo.type != AV_STEREO3D_2D {
            stereoLayout = av_stereo3d_type_name(stereo.type.rawValue)
                .map { String(cString: $0) }
        }
        projection = SideData.value(
            AV_PKT_DATA_SPHERICAL, of: stream, as: AVSphericalMapping.self
        ).flatMap { av_spherical_projection_name($0.projection) }.map { String(cString: $0) }
    }
}

extension AVChannelLayout {
    /// The channels in the order of the samples. The list is empty if this library does not know
    /// all of them.
    var channels: [AudioChannel] {
        guard order == AV_CHANNEL_ORDER_NATIVE else { return [] }
        let bits = (0..<UInt8(64)).filter { u.mask & (1 << UInt64($0)) != 0 }
        let channels = bits.compactMap { AudioChannel(rawValue: $0) }
        return channels.count == bits.count ? channels : []
    }

    /// FFmpeg's name of the layout, such as `stereo` or `5.1`; empty if the layout has no name.
    var layoutName: String {
        guard order != AV_CHANNEL_ORDER_UNSPEC else { return "" }
        var layout = self
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            buffer.initialize(repeating: 0)
            guard av_channel_layout_describe(&layout, buffer.baseAddress, buffer.count) > 0 else {
                return ""
            }
            return String(cString: buffer.baseAddress!)
        }
    }
}

extension Chapter {
    init(_ chapter: AVChapter, offset: MediaTime, imageTrackID: Int?) {
        let tags = Options.entries(of: chapter.metadata)
        self.init(
            title: tags.first { $0.key == "title" }?.value ?? "",
            timeRange: MediaTimeRange(
                start: MediaTime(chapter.start, timeBase: chapter.time_base) - offset,
                end: MediaTime(chapter.end, timeBase: chapter.time_base) - offset),
            language: tags.first { $0.key == "language" }.flatMap { LanguageTag($0.value) },
            imageTrackID: imageTrackID)
    }
}
