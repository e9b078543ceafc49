// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// A subtitle decoder based on libavcodec. Text is decoded to lines of ASS; bitmaps stay bitmaps.
///
/// - Concurrency: one thread at a time, as `SubtitleDecoder` requires.
/// - Corresponds to: `AVCodecContext`, `avcodec_decode_subtitle2`.
final class FFmpegSubtitleDecoder: SubtitleDecoder, @unchecked Sendable {
    // Unchecked: only one thread at a time, as the protocol requires, accesses mutable state.

    private(set) var script = SubtitleScript()
    private let codec: CodecContext
    private let limits: MediaLimits
    /// A Boolean value that indicates whether lines may contain HTML character references.
    private let hasReferences: Bool

    /// The size of the video. It is used if a format does not declare the size to which positions
    /// refer.
    private let fallbackCanvas: (width: Int, height: Int)

    /// The maximum duration of a line, if the file states no end after the start of the line.
    private static let usualDuration = MediaTime(value: 5, timescale: 1)

    init(
        _ parameters: StreamParameters, fonts: [SubtitleFont], canvas: (width: Int, height: Int),
        limits: MediaLimits
    ) throws(MediaError) {
        self.limits = limits
        let isTeletext = parameters.codec.pointer.pointee.codec_id == AV_CODEC_ID_DVB_TELETEXT
        fallbackCanvas = canvas
        codec = try CodecContext(parameters) { context in
            context.pointee.thread_count = 1
            // Lines that are read again after a seek keep their numbers.
            context.pointee.flags2 |= AV_CODEC_FLAG2_RO_FLUSH_NOOP
            if isTeletext {
                // Only the pages that are marked as subtitles are decoded.
                av_opt_set(context.pointee.priv_data, "txt_page", "subtitle", 0)
            }
        }
        let context = codec.pointer.pointee
        let size = Int(context.subtitle_header_size)
        guard size <= limits.subtitles.headerBytes else {
            throw MediaError(
                .limitExceeded, subject: parameters.subject,
                cause: "the styles of track \(parameters.track.id) take \(size) bytes, but "
                    + "\(limits.subtitles.headerBytes) are allowed",
                remedy: "raise the limit if you trust the file")
        }
        if let header = context.subtitle_header, size > 0 {
            let bytes = UnsafeBufferPointer(start: header, count: size)
            // Some headers end with a zero byte, which is not part of the text.
            script.header = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        hasReferences = ["subrip", "srt"].contains(parameters.track.formatDescription.codec)
        script.isStyled = ["ass", "ssa"].contains(parameters.track.formatDescription.codec)
        script.fonts = fonts
    }

    func flush() { codec.flush() }

    func decode(_ packet: MediaPacket) throws(MediaError) -> [SubtitleCue] {
        guard let box = packet.payload as? PacketBox else {
            preconditionFailure("a packet of another demuxer was sent to an FFmpeg decoder")
        }
        guard packet.presentationTime.isNumeric else { return [] }
        var subtitle = AVSubtitle()
        var isComplete: Int32 = 0
        let result = FFmpegError(
            avcodec_decode_subtitle2(codec.pointer, &subtitle, &isComplete, box.pointer))
        guard result.rawValue >= 0 else { throw codec.failure(result) }
        guard isComplete != 0 else { return [] }
        defer { avsubtitle_free(&subtitle) }
        let milliseconds = { (count: UInt32) in MediaTime(value: Int64(count), timescale: 1000) }
        let origin = packet.presentationTime
        let start = origin + milliseconds(subtitle.start_display_time)
        let rects = UnsafeBufferPointer(start: subtitle.rects, count: Int(subtitle.num_rects))
            .prefix(Self.maximumRects).compactMap { $0?.pointee }
        // A bitmap with a duration of 0 clears the previous bitmaps. A bitmap whose duration has
        // all bits set is shown until the next one.
        let hasEnd =
            subtitle.end_display_time > subtitle.start_display_time
            && subtitle.end_display_time != .max
            // If the end is before the start, it is decoded as an end in the far future.
            && box.pointer.pointee.duration >= 0
        let end = origin + milliseconds(subtitle.end_display_time)
        let lines = rects.filter { $0.ass != nil }
        if !lines.isEmpty {
            let isStated = packet.duration.isNumeric && packet.duration > .zero
            // Scripts contain many lines without a duration. They are notes and are never drawn.
            guard hasEnd || isStated || !script.isStyled else { return [] }
            let stated =
                isStated
                ? packet.presentationTime + packet.duration : start + Self.usualDuration
            let range = MediaTimeRange(start: start, end: hasEnd ? end : stated)
            return lines.compactMap {
                line(of: $0).map {
                    var cue = SubtitleCue(
                        timeRange: range, content: .line($0))
                    cue.isOpenEnded = !hasEnd && !isStated
                    return cue
                }
            }
        }
        let bitmaps = rects.compactMap { bitmap(of: $0) }
        if script.header.isEmpty || !bitmaps.isEmpty {
            let range =
                hasEnd
                ? MediaTimeRange(start: start, end: end)
                : MediaTimeRange(start: start, duration: .positiveInfinity)
            return [SubtitleCue(timeRange: range, content: .bitmaps(bitmaps))]
        }
        return []
    }

    /// The maximum number of bitmaps in a subtitle. Further bitmaps are ignored. No display set has
    /// more than this number.
    private static let maximumRects = 64

    private func line(of rect: AVSubtitleRect) -> String? {
        guard let text = rect.ass else { return nil }
        let limit = limits.subtitles.lineBytes
        let length = strnlen(text, limit + 1)
        guard length > 0, length <= limit else { return nil }
        let line = String(cString: text)
        return hasReferences ? CharacterReferences.resolved(line) : line
    }

    private func bitmap(of rect: AVSubtitleRect) -> SubtitleBitmap? {
        let (width, height) = (Int(rect.w), Int(rect.h))
        guard rect.type == SUBTITLE_BITMAP, width > 0, height > 0,
            limits.refusal(ofPictureWidth: width, height: height) == nil,
            let pixels = rect.data.0, let colors = rect.data.1, rect.linesize.0 >= rect.w
        else { return nil }
        var indices = [UInt8](unsafeUninitializedCapacity: width * height) { buffer, count in
            for row in 0..<height {
                let source = UnsafeBufferPointer(
                    start: pixels + row * Int(rect.linesize.0), count: width)
                _ = UnsafeMutableBufferPointer(rebasing: buffer[(row * width)...])
                    .update(fromContentsOf: source)
            }
            count = width * height
        }
        var palette = [SIMD4<UInt8>](repeating: .zero, count: 256)
        colors.withMemoryRebound(to: UInt32.self, capacity: 256) { colors in
            for index in 0..<min(256, Int(max(0, rect.nb_colors))) {
                let color = colors[index]
                palette[index] = SIMD4(
                    UInt8(truncatingIfNeeded: color >> 16), UInt8(truncatingIfNeeded: color >> 8),
                    UInt8(truncatingIfNeeded: color), UInt8(truncatingIfNeeded: color >> 24))
            }
        }
        var canvas = (Int(codec.pointer.pointee.width), Int(codec.pointer.pointee.height))
        if canvas.0 <= 0 || canvas.1 <= 0 { canvas = fallbackCanvas }
        guard canvas.0 > 0, canvas.1 > 0 else { return nil }
        var box = SubtitleBitmap(
            x: Int(rect.x), y: Int(rect.y), width: width, height: height,
            canvasWidth: canvas.0, canvasHeight: canvas.1, indices: indices, palette: palette)
        indices = []
        return box.trim() ? box : nil
    }
}

extension SubtitleBitmap {
    /// Crops transparent edges. Returns false if the whole bitmap is transparent. Cropping is
    /// worthwhile, because bitmaps of a whole screen with one line of text are common.
    mutating func trim() -> Bool {
        let isSeen = palette.map { $0.w > 0 }
        func row(_ y: Int) -> Bool {
            indices[y * width..<(y + 1) * width].contains { isSeen[Int($0)] }
        }
        guard let top = (0..<height).first(where: row),
            let bottom = (0..<height).last(where: row)
        else { return false }
        func column(_ x: Int) -> Bool {
            (top...bottom).contains { isSeen[Int(indices[$0 * width + x])] }
        }
        guard let left = (0..<width).first(where: column),
            let right = (0..<width).last(where: column)
        else { return false }
        guard (left, top, right, bottom) != (0, 0, width - 1, height - 1) else { return true }
        indices = (top...bottom).flatMap { indices[$0 * width + left...$0 * width + right] }
        (x, y) = (x + left, y + top)
        (width, height) = (right - left + 1, bottom - top + 1)
        return true
    }
}
