// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Reads a film, draws it and hands it on, frame by frame.
///
/// - Concurrency: one thread, the one that made it.
final class RenderRun {
    private let file: String
    private let reader: AssetReader
    /// The sound's own, where the film can be opened twice: one for both would keep all that lies between
    /// a picture and the sound that goes with it, which may be the whole film.
    private let soundReader: AssetReader
    private let pictures: AssetReaderTrackOutput<VideoFrame>
    private let effects: [EffectInstance]
    private let start: MediaTime
    /// Of the part that is rendered; infinite up to the film's end.
    private let length: MediaTime
    private let fps: Double?
    private let size: SizeArgument?
    private let background: BackgroundArgument
    private let withSound: Bool
    /// The place of its track among those of sound; the preferred one when nil.
    private let audioTrack: Int?
    private let isPremultiplied: Bool
    private let subtitles: SubtitleStills?
    private let context: HeadlessContext
    private let renderer: VideoRenderer
    private var framebuffer: GLFramebuffer?
    private let progress: RenderProgress
    private var sound: RenderSound?
    /// What effects hear, whether the sound is written or not.
    private let hearing: EffectHearing?
    /// What has become of its sound, for people.
    private var remark = ""

    init(
        _ file: String, effects: [EffectInstance], from: MediaTime?, to: MediaTime?, fps: Double?,
        size: SizeArgument?, background: BackgroundArgument, withSound: Bool,
        audioTrack: Int? = nil, isPremultiplied: Bool = false, subtitles: SubtitleStills? = nil
    ) throws {
        self.file = file
        self.effects = effects
        self.fps = fps
        self.size = size
        self.background = background
        self.withSound = withSound
        self.audioTrack = audioTrack
        self.isPremultiplied = isPremultiplied
        self.subtitles = subtitles
        start = from ?? .zero
        length = to.map { [start] in $0 - start } ?? .positiveInfinity
        let range: MediaTimeRange? =
            from == nil && to == nil
            ? nil
            : MediaTimeRange(start: start, duration: length)
        // A picture is seen as long as it is asked for: effects may move.
        var opening = AssetOptions()
        opening.stillDuration = to
        reader = try AssetReader(asset: InputFile.asset(file, options: opening), timeRange: range)
        soundReader =
            withSound && InputFile.opensAgain(file)
            ? try AssetReader(asset: InputFile.asset(file), timeRange: range) : reader
        pictures = try reader.addVideoOutput(includesPictureAtStart: true)
        hearing = EffectHearing(effects, of: file, from: start, audioTrack: audioTrack)
        context = try HeadlessContext()
        renderer = VideoRenderer(context: context)
        renderer.stopsSlowEffects = false
        progress = RenderProgress(length: to == nil ? reader.description.end - start : length)
    }

    deinit { context.clearCurrent() }

    func render(into sink: any RenderSink) throws {
        sound = try makeSound(for: sink)
        if let remark = Console.shortfall(of: file, reader.description) { Console.note(remark) }
        // Whoever interrupts gets the film up to the frame at hand.
        Interruption.watch()
        guard var frame = try pictures.copyNextSampleBuffer() else {
            throw MediaError(
                .noSuchFrame, subject: file, cause: "there is no picture in this part of it",
                remedy: "use other times")
        }
        let picture = frame.pixelBuffer
        let step = sink.sizeStep
        func side(_ value: Double) -> Int { max(step, Int(value.rounded()) / step * step) }
        let width = size?.width ?? side(picture.displaySize.width)
        let height = size?.height ?? side(picture.displaySize.height)
        let period = fps.map { MediaTime(value: 1000, timescale: Int32(($0 * 1000).rounded())) }
        let duration = period ?? self.duration(of: frame)
        // Where a part begins within a picture, the next comes at a time of a finer scale; VP9 takes none
        // beyond 10⁹.
        // A cover is seen for hours, which MP4 counts in 31 bits.
        let scale =
            pictures.track.isAttachedPicture
            ? 1000
            : max(
                min((frame.presentationTime - start).timescale, 1_000_000),
                frame.presentationTime.timescale, duration.timescale)
        try sink.begin(
            width: width, height: height, frameDuration: duration,
            timescale: period?.timescale ?? scale, sound: sound?.format)
        var count = 0
        // The time of the next picture, where they do not come at the film's own times.
        var due = MediaTime.zero
        var isOver = false
        while !isOver, !Interruption.isRequested {
            let following = try pictures.copyNextSampleBuffer()
            isOver = following == nil
            // The part may begin and end within a picture.
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
            } else if isOver || frame.presentationTime >= start
                || until - time >= Self.leastDuration
            {
                try write(frame, at: time, for: until - time, width, height, sink)
                count += 1
                progress.show(count, at: time)
            }
            if let following { frame = following }
        }
        if isOver {
            try sound?.write(before: nil, to: sink) { [sound] in
                progress.show(count, at: sound?.time ?? .zero)
            }
            isOver = !Interruption.isRequested
        }
        // A film without a picture is none: what was there stays.
        if count > 0 { try sink.finish() }
        progress.end()
        if pictures.decodeErrorCount > 0 {
            Console.note(
                Console.damage(
                    in: file, count: pictures.decodeErrorCount, last: pictures.lastDecodeError))
        }
        let frames = "\(count) \(count == 1 ? "frame" : "frames")"
        if count > 0 {
            Console.note("\(isOver ? "" : "interrupted; ")\(frames) to \(sink.summary)\(remark)")
        }
        if !isOver {
            throw ToolError(.mediaFailure, "\(file): interrupted after \(frames)")
        }
    }

    // MARK: Pictures

    /// What is left of the picture that a part begins in is written from here on: Matroska counts in
    /// milliseconds, and takes no two pictures of one time.
    private static let leastDuration = MediaTime(value: 1, timescale: 1000)

    /// What an album's cover is seen for is all of the album, where that is known.
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
        if framebuffer == nil {
            framebuffer = try GLFramebuffer(width: width, height: height, context: context)
        }
        guard let framebuffer else { throw ToolError(.noGraphics, "no framebuffer") }
        var layers = [Layer(.image(frame.pixelBuffer), effects: effects)]
        if let words = try subtitles?.layer(
            at: time + start, over: frame.pixelBuffer, width: width, height: height)
        {
            layers.append(words)
        }
        let scene = Scene(background: background.scene, layers: layers)
        hearing?.advance(to: time + start)
        // Effects are told the film's time, as when it plays.
        let report = renderer.render(
            scene, hostTime: time + start, into: RenderTarget(framebuffer))
        try report.requireWhole()
        let image = framebuffer.image()
        try sink.append(
            sink.hasAlpha && !isPremultiplied ? image.unpremultiplied() : image, at: time,
            duration: duration)
    }

    // MARK: Sound

    private func soundTrack() throws -> AssetTrack? {
        guard let audioTrack else { return reader.description.preferredTrack(of: .audio) }
        let tracks = reader.description.tracks(of: .audio)
        guard tracks.indices.contains(audioTrack) else {
            throw ToolError(
                .wrongUsage,
                "\(file): there is no --audio-track \(audioTrack), it has \(tracks.count), counted "
                    + "from 0")
        }
        return tracks[audioTrack]
    }

    private func makeSound(for sink: any RenderSink) throws -> RenderSound? {
        guard withSound, sink.takesSound, let track = try soundTrack(),
            let audio = track.formatDescription.audio
        else { return nil }
        guard audio.sampleRate > 0, audio.channelCount > 0 else {
            remark = "; its sound, of which the file says nothing, is left out"
            return nil
        }
        let sound = try RenderSound(track, audio, of: soundReader, from: start, for: sink)
        remark = sound.remark
        return sound
    }
}
