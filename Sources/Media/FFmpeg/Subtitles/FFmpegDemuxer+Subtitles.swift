// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets

extension FFmpegDemuxer {
    func makeSubtitleDecoder(for track: AssetTrack) throws(MediaError) -> any SubtitleDecoder {
        precondition(track.mediaType.isLegible, "track \(track.id) is \(track.mediaType)")
        if let captions = track.captions { return makeCaptionDecoder(captions, for: track) }
        guard track.id < streamCount else {
            throw MediaError(
                .unsupportedCodec, subject: source.description,
                cause: "its subtitles are in files of their own, which are read separately",
                remedy: "read track \(track.id) by a reader of subtitles")
        }
        let parameters = try StreamParameters(track, of: context, description, source.description)
        if track.formatDescription.codec == "webvtt" {
            let isMovie = track.formatDescription.codecTag == "wvtt"
            return WebVTTSampleDecoder(
                isMovie ? .boxes : .text,
                header: isMovie ? textHeader(of: track) : parameters.codec.header,
                fragments: isMovie ? fragments(of: track) : nil,
                limits: options.limits.subtitles, subject: source.description)
        }
        if track.formatDescription.codec == "ttml" {
            return TTMLSampleDecoder(
                fragments: fragments(of: track), limits: options.limits.subtitles,
                subject: source.description)
        }
        let video = description.preferredTrack(of: .video)?.formatDescription.video
        return try FFmpegSubtitleDecoder(
            parameters, fonts: fonts, canvas: (video?.width ?? 0, video?.height ?? 0),
            limits: options.limits)
    }

    /// Returns the fragments of a text track; nil if the file is on a network, or still grows.
    private func fragments(of track: AssetTrack) -> TextFragments? {
        guard followed == nil, let stream = context.stream(track.id) else { return nil }
        if case .data(let data, _) = source {
            return TextFragments(stream, of: context, in: data, interrupt: interrupt)
        }
        return context.file.flatMap {
            TextFragments(stream, of: context, in: $0, interrupt: interrupt)
        }
    }

    /// Returns the header in the sample description of a WebVTT track; empty if it is not known.
    private func textHeader(of track: AssetTrack) -> [UInt8] {
        guard let stream = context.stream(track.id) else { return [] }
        return MovieBoxes(context, includesMemory: true)?.textHeaders[Int(stream.pointee.id)] ?? []
    }

    /// The fonts that are attached to the container.
    private var fonts: [SubtitleFont] {
        let limits = options.limits.subtitles
        var fonts: [SubtitleFont] = []
        var bytes = 0
        for case let stream? in context.streams where fonts.count < limits.fontCount {
            let parameters = stream.pointee.codecpar.pointee
            let size = Int(parameters.extradata_size)
            guard parameters.codec_type == AVMEDIA_TYPE_ATTACHMENT, size > 0,
                bytes + size <= limits.fontBytes, let data = parameters.extradata
            else { continue }
            let tags = Options.Values(stream.pointee.metadata)
            let name = tags["filename"] ?? "font"
            guard Self.isFont(parameters.codec_id, name: name, type: tags["mimetype"] ?? "") else {
                continue
            }
            bytes += size
            fonts.append(
                SubtitleFont(
                    name: name, bytes: Array(UnsafeBufferPointer(start: data, count: size))))
        }
        return fonts
    }

    private static func isFont(_ codec: AVCodecID, name: String, type: String) -> Bool {
        if codec == AV_CODEC_ID_TTF || codec == AV_CODEC_ID_OTF { return true }
        // These are Matroska's old MIME types of fonts, and the types of RFC 8081.
        return type.hasPrefix("font/")
            || ["truetype", "opentype", "font"].contains(where: type.contains(text:))
            || [".ttf", ".otf", ".ttc", ".otc"].contains {
                name.lowercased().hasSuffix($0)
            }
    }
}
