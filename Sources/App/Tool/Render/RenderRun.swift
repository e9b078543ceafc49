// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadEditing
import PlayheadUI

/// Reads, draws and writes the media frame by frame.
///
/// Frames that need no drawing reach the encoder as they were decoded. There is one thread each for
/// reading and decoding, for drawing, for converting and encoding, and for writing, with bounded
/// queues between them.
///
/// - Concurrency: the thread that created it.
final class RenderRun {
    /// The name of the media for messages.
    private let file: String
    private let reader: AssetReader
    /// The reader of the audio. It is a separate reader if the input can be opened twice, because a
    /// shared one would have to buffer everything between a frame and its audio.
    private let soundReader: AssetReader
    private let pictures: AssetReaderTrackOutput<VideoFrame>
    private let effects: [EffectInstance]
    private let start: MediaTime
    /// The duration of the range; infinite if the range extends to the end.
    private let length: MediaTime
    private let fps: Double?
    private let size: SizeArgument?
    private let background: BackgroundArgument
    private let withSound: Bool
    /// The index of the audio track; nil for the default track.
    private let audioTrack: Int?
    private let isPremultiplied: Bool
    private let subtitles: SubtitleStills?
    /// The text subtitles of the input, which are stored unless others are drawn.
    private var storedSubtitles: ExportSubtitles?
    private let encoding: EncodingOptions?
    /// The frames that are read ahead; nil if the audio comes from the same reader.
    private let ahead: FrameReadAhead?
    private var painter: FramePainter?
    /// The effects as curves; nil before the first frame is drawn, and if curves cannot replace the
    /// effects.
    private var curves: CurvePainter?
    private var hasSoughtCurves = false
    /// Adapts frames that are stored as they were decoded; nil if all are drawn.
    private var plain: ExportFrames?
    private let progress: RenderProgress
    private var sound: RenderAudio?
    /// The audio for effects, which is read even if audio is not written.
    private let hearing: EffectHearing?
    /// A remark about the audio, for the closing message.
    private var remark = ""
    /// The time of the last frame that was rendered, and the number of frames that were skipped
    /// because their times decrease.
    private var lastTime = MediaTime.negativeInfinity
    private var skippedCount = 0

    init(
        _ file: String, effects: [EffectInstance], from: MediaTime?, to: MediaTime?, fps: Double?,
        size: SizeArgument?, background: BackgroundArgument, withSound: Bool,
        audioTrack: Int? = nil, isPremultiplied: Bool = false, subtitles: SubtitleStills? = nil,
        encoding: EncodingOptions? = nil, makeAsset: (AssetOptions) -> Asset
    ) throws {
        self.file = InputFile.name(file)
        self.effects = effects
        self.fps = fps
        self.size = size
        self.background = background
        self.withSound = withSound
        self.audioTrack = audioTrack
        self.isPremultiplied = isPremultiplied
        self.subtitles = subtitles
        self.encoding = encoding
        start = from ?? .zero
        length = to.map { [start] in $0 - start } ?? .positiveInfinity
        let range: MediaTimeRange? =
            from == nil && to == nil
            ? nil
            : MediaTimeRange(start: start, duration: length)
        // A still lasts for the whole range, because effects may change over time.
        var opening = AssetOptions()
        opening.stillDuration = to
        reader = try AssetReader(asset: makeAsset(opening), timeRange: range)
        soundReader =
            withSound && InputFile.opensAgain(file)
            ? try AssetReader(asset: makeAsset(AssetOptions()), timeRange: range) : reader
        pictures = try reader.addVideoOutput(includesPictureAtStart: true)
        ahead =
            soundReader === reader && withSound ? nil : FrameReadAhead(pictures, of: reader)
        hearing = EffectHearing(effects, of: file, from: start, audioTrack: audioTrack)
        progress = RenderProgress(length: to == nil ? reader.description.end - start : length)
    }

    deinit { ahead?.cancel() }

    func render(into sink: any RenderSink) throws {
        sound = try makeSound(for: sink)
        if let remark = Console.shortfall(of: InputFile.name(file), reader.description) {
            Console.note(remark)
        }
        if let type = sink.fileType, subtitles == nil {
            // Without a range, the media is read from its beginning, which may be before `start`.
            let begin = reader.timeRange == nil ? reader.description.startTime : start
            let range = MediaTimeRange(
                start: begin.isNumeric ? min(begin, start) : start, end: start + length)
            let stored = ExportSubtitles(
                of: reader.demuxer, in: range, for: type, origin: start)
            reader.addSparseTracks(stored.trackIDs)
            storedSubtitles = stored
        }
        // An interruption ends the file at the current frame, and the file is completed.
        Interruption.watch()
        ahead?.start()
        guard var frame = try readFrame() else {
            throw MediaError(
                .noSuchFrame, subject: file, cause: "this range contains no frame",
                remedy: "change --from or --to")
        }
        let period = fps.map { MediaTime(value: 1000, timescale: Int32(($0 * 1000).rounded())) }
        let format = try format(of: frame, period: period, for: sink)
        let (width, height) = (format.width, format.height)
        try sink.begin(format)
        try storedSubtitles?.begin(at: start)
        var count = 0
        // The time of the next frame at a constant rate.
        var due = MediaTime.zero
        var isOver = false
        while !isOver, !Interruption.isRequested {
            let following = try nextFrame(after: &frame)
            isOver = following == nil
            // The range may start and end in the middle of a frame.
            let time = max(frame.presentationTime - start, .zero)
            let until = min(
                following.map { $0.presentationTime - start }
                    ?? (frame.presentationTime + self.duration(of: frame) - start), length)
            if let period {
                while due < until || (count == 0 && isOver), !Interruption.isRequested {
                    try write(
                        frame, at: due, for: min(period, length - due), width, height, sink)
                    count += 1
                    progress.show(count, at: due)
                    due = MediaTime(
                        value: period.value * Int64(count), timescale: period.timescale)
                }
                isOver = isOver && due >= until
            } else if isOver || isStored(from: time, to: until, format, sink) {
                try write(frame, at: time, for: until - time, width, height, sink)
                count += 1
                progress.show(count, at: time)
            }
            try writeSubtitles()
            lastTime = frame.presentationTime
            if let following { frame = following }
        }
        if isOver {
            try sink.endFrames()
            try storedSubtitles?.finish()
            try sound?.write(before: nil, to: sink) { [sound] in
                progress.show(count, at: sound?.time ?? .zero)
            }
            isOver = !Interruption.isRequested
        }
        // If there is no frame, no file is written.
        let isKept = count > 0 && (isOver || encoding?.discardPartial != true)
        if isKept {
            // Nothing is drawn after this, and the file must be completed.
            ExitDeadline.cancel()
            try sink.finish()
        } else {
            sink.cancel()
        }
        progress.end()
        if let damage, damage.count > 0 {
            Console.note(
                Console.damage(in: InputFile.name(file), count: damage.count, last: damage.last))
        }
        if skippedCount > 0 {
            Console.note(
                "\(file): \(skippedCount) \(skippedCount == 1 ? "frame" : "frames") skipped: the "
                    + "timestamps step back")
        }
        let frames = "\(count) \(count == 1 ? "frame" : "frames")"
        if isKept {
            Console.note("\(isOver ? "" : "interrupted; ")\(frames) to \(sink.summary)\(remark)")
        }
        if !isOver {
            throw ToolError(.mediaFailure, "\(file): interrupted after \(frames)")
        }
    }

    // MARK: Format

    /// Determines the format of the output from the first frame.
    ///
    /// - Parameter period: the duration of a frame at a constant rate; nil if frames keep their own
    ///   times.
    private func format(
        of frame: VideoFrame, period: MediaTime?, for sink: any RenderSink
    ) throws -> RenderFormat {
        let picture = frame.pixelBuffer
        let step = sink.sizeStep
        func side(_ value: Double, _ step: Int) -> Int {
            max(step, Int(value.rounded()) / step * step)
        }
        let duration = period ?? self.duration(of: frame)
        // If the range starts within a frame, the next time needs a finer timescale, and VP9
        // accepts at most 10⁹. Cover art lasts for hours, which MP4 counts in 31 bits.
        let scale =
            pictures.track.isAttachedPicture
            ? 1000
            : max(
                min((frame.presentationTime - start).timescale, 1_000_000),
                frame.presentationTime.timescale, duration.timescale)
        let description = reader.description
        var format = RenderFormat(
            width: size?.width ?? side(picture.displaySize.width, step.x),
            height: size?.height ?? side(picture.displaySize.height, step.y),
            frameDuration: duration, timescale: period?.timescale ?? scale, sound: sound?.format)
        format.metadata = ExportTimecode.removed(from: description.metadata)
        format.subtitles = storedSubtitles
        if fps == nil, let type = sink.fileType {
            format.timecode = ExportTimecode.text(
                of: pictures.track, in: description, at: start, for: type)
        }
        if let encoding {
            format.metadata = encoding.metadata(over: format.metadata)
            let end = length.isNumeric ? length : description.end - start
            if let chapters = try encoding.chapterList(end: end) { format.chapters = chapters }
        }
        if encoding?.chapters == nil {
            format.chapters = ExportChapters.moved(
                description.chapters, into: MediaTimeRange(start: start, duration: length))
        }
        let isDrawn =
            !effects.isEmpty || subtitles != nil || isPremultiplied
            || (size != nil && encoding?.hdr != true)
        guard !isDrawn, let sampleFormat = sink.plainFormat(of: picture) else {
            let isHDR = [.pq, .hlg].contains(picture.color.transfer)
            if isHDR, encoding?.hdr == true {
                throw ToolError(
                    .wrongUsage,
                    "--hdr: effects, subtitles and 8-bit formats produce a standard dynamic range; "
                        + "remove them, or remove --hdr")
            }
            return format
        }
        let geometry = ExportGeometry(
            ExportPicture(picture), limits: (0, 0),
            renderSize: size.map { (Double($0.width), Double($0.height)) }, format: sampleFormat,
            keepsOrientation: size == nil)
        (format.width, format.height) = (geometry.width, geometry.height)
        var attachments = picture.attachments
        attachments.orientation = geometry.orientation
        attachments.pixelAspectRatio = geometry.pixelAspectRatio
        format.plain = RenderFormat.PlainFormat(
            sampleFormat: sampleFormat, attachments: attachments, color: picture.color)
        var settings = VideoOutputSettings(
            codec: .ffv1, width: format.width, height: format.height, sampleFormat: sampleFormat,
            color: picture.color)
        settings.color.alpha = .straight
        plain = ExportFrames(
            ExportPlan.Video(settings: settings, geometry: geometry), subject: file)
        return format
    }

    // MARK: Frames

    private func writeSubtitles() throws {
        guard let storedSubtitles else { return }
        let packets = ahead?.takeSparsePackets() ?? reader.takeSparsePackets()
        for packet in packets { try storedSubtitles.append(packet) }
    }

    private func readFrame() throws -> VideoFrame? {
        if let ahead { return try ahead.next() }
        return try pictures.copyNextSampleBuffer()
    }

    /// The parts that could not be decoded; nil while another thread reads.
    private var damage: (count: Int, last: MediaError?)? {
        if let ahead { return ahead.damage }
        return (pictures.decodeErrorCount, pictures.lastDecodeError)
    }

    /// Returns the frame that follows the one that is about to be rendered.
    ///
    /// Encoders reject decreasing times. If a frame is not later than the current one, one of the
    /// two is skipped. If the frame is at least later than the last rendered frame, it replaces the
    /// current one, whose time was too late. If not, the frame itself is skipped.
    private func nextFrame(after frame: inout VideoFrame) throws -> VideoFrame? {
        while let next = try readFrame() {
            if next.presentationTime > frame.presentationTime { return next }
            skippedCount += 1
            if next.presentationTime > lastTime { frame = next }
        }
        return nil
    }

    /// Returns whether a frame lasts for at least one of the time units in which the file stores
    /// times. Shorter frames are left out, because the next frame would have the same time.
    private func isStored(
        from time: MediaTime, to end: MediaTime, _ format: RenderFormat, _ sink: any RenderSink
    ) -> Bool {
        guard let ticks = sink.ticksPerSecond else { return true }
        let scale = min(ticks, format.timescale)
        return end.converted(toTimescale: scale).value > time.converted(toTimescale: scale).value
    }

    /// Returns the duration of a frame. If the duration of the media is known, cover art lasts
    /// until the end.
    private func duration(of frame: VideoFrame) -> MediaTime {
        let end = length.isNumeric ? start + length : reader.description.end
        if pictures.track.isAttachedPicture, end.isNumeric, end > frame.presentationTime {
            return end - frame.presentationTime
        }
        return frame.duration.isNumeric && frame.duration.value > 0
            ? frame.duration : MediaTime(value: 1, timescale: 25)
    }

    private func write(
        _ frame: VideoFrame, at time: MediaTime, for duration: MediaTime, _ width: Int,
        _ height: Int, _ sink: any RenderSink
    ) throws {
        try sound?.write(before: time, to: sink)
        hearing?.advance(to: time + start)
        if let picture = try plain?.frame(of: frame.pixelBuffer) {
            return try sink.append(picture, at: time, duration: duration)
        }
        var layers = [Layer(.image(frame.pixelBuffer), effects: effects)]
        if let words = try subtitles?.layer(
            at: time + start, over: frame.pixelBuffer, width: width, height: height)
        {
            layers.append(words)
        }
        if layers.count == 1, let converter = sink.drawnConverter {
            try seekCurves(width, height)
            if let picture = curves?.frame(
                of: frame.pixelBuffer, width: width, height: height, by: converter)
            {
                return try sink.append(picture, at: time, duration: duration)
            }
        }
        let painter = try self.painter ?? FramePainter(width: width, height: height)
        self.painter = painter
        let picture = try painter.frame(
            of: layers, over: background.scene, at: time + start,
            isStraight: sink.hasAlpha && !isPremultiplied, by: sink.drawnConverter)
        try sink.append(picture, at: time, duration: duration)
    }

    /// Replaces the effects with one curve per channel, if curves give the same result and OpenGL
    /// runs in software. OpenGL is then no longer needed, and its memory is returned to the system.
    private func seekCurves(_ width: Int, _ height: Int) throws {
        guard !hasSoughtCurves else { return }
        hasSoughtCurves = true
        let code = MappedCode()
        if painter == nil { painter = try FramePainter(width: width, height: height) }
        curves = try painter?.curves(of: effects).map { CurvePainter($0) }
        guard curves != nil else { return }
        painter = nil
        ProcessHeap.returnFreeMemory()
        code.releaseNewer()
    }

    // MARK: Sound

    private func makeSound(for sink: any RenderSink) throws -> RenderAudio? {
        guard withSound, sink.takesSound,
            let track = try reader.description.audioTrack(audioTrack, of: file),
            let audio = track.formatDescription.audio
        else { return nil }
        guard audio.sampleRate > 0, audio.channelCount > 0 else {
            remark = "; without audio, whose format the file does not declare"
            return nil
        }
        let sound = try RenderAudio(track, audio, of: soundReader, from: start, for: sink)
        remark = sound.remark
        return sound
    }
}
