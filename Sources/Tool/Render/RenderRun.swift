// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

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
    private var sound: AssetReaderTrackOutput<AudioBuffer>?
    /// Sound that has been read but is due later.
    private var nextSound: AudioBuffer?
    /// What has become of its channels, for people.
    private var soundRemark = ""
    private var hasSoundBegun = false
    /// How far sound has been written, from `start` on.
    private var soundTime = MediaTime.zero
    /// Where sound ends, in the film's time: codecs give whole frames, which go on longer.
    private var soundEnd = MediaTime.positiveInfinity

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
        reader = try AssetReader(asset: InputFile.asset(file), timeRange: range)
        soundReader =
            withSound && Self.opensAgain(file)
            ? try AssetReader(asset: InputFile.asset(file), timeRange: range) : reader
        pictures = try reader.addVideoOutput(includesPictureAtStart: true)
        context = try HeadlessContext()
        renderer = VideoRenderer(context: context)
        renderer.stopsSlowEffects = false
        progress = RenderProgress(length: to == nil ? reader.description.end - start : length)
    }

    deinit { context.clearCurrent() }

    func render(into sink: any RenderSink) throws {
        let format = try soundFormat(for: sink)
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
        let duration = period ?? Self.duration(of: frame)
        // Where a part begins within a picture, the next comes at a time of a finer scale; VP9 takes none
        // beyond 10⁹.
        let scale = max(
            min((frame.presentationTime - start).timescale, 1_000_000),
            frame.presentationTime.timescale, duration.timescale)
        try sink.begin(
            width: width, height: height, frameDuration: duration,
            timescale: period?.timescale ?? scale, sound: format)
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
                    ?? (frame.presentationTime + Self.duration(of: frame) - start), length)
            if let period {
                while due < until || (count == 0 && isOver), !Interruption.isRequested {
                    try write(frame, at: due, for: period, width, height, sink)
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
        if isOver { try writeSound(before: nil, sink) }
        // A film without a picture is none: what was there stays.
        if count > 0 { try sink.finish() }
        progress.end()
        if pictures.decodeErrorCount > 0 {
            Console.note(
                Console.damage(
                    in: file, count: pictures.decodeErrorCount, last: pictures.lastDecodeError))
        }
        if count > 0 {
            Console.note(
                "\(isOver ? "" : "interrupted; ")\(count) frames to \(sink.summary)\(soundRemark)")
        }
        if !isOver {
            throw ToolError(.mediaFailure, "\(file): interrupted after \(count) frames")
        }
    }

    // MARK: Pictures

    /// What is left of the picture that a part begins in is written from here on: Matroska counts in
    /// milliseconds, and takes no two pictures of one time.
    private static let leastDuration = MediaTime(value: 1, timescale: 1000)

    private static func duration(of frame: VideoFrame) -> MediaTime {
        frame.duration.isNumeric && frame.duration.value > 0
            ? frame.duration : MediaTime(value: 1, timescale: 25)
    }

    private func write(
        _ frame: VideoFrame, at time: MediaTime, for duration: MediaTime, _ width: Int,
        _ height: Int, _ sink: any RenderSink
    ) throws {
        try writeSound(before: time, sink)
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

    /// Whether a film can be opened twice: from a pipe nothing comes again.
    private static func opensAgain(_ file: String) -> Bool {
        var status = stat()
        guard file != "-" else { return false }
        guard stat(file, &status) == 0 else { return file.contains("://") }
        return status.st_mode & S_IFMT == S_IFREG
    }

    /// What is written as it is besides one and two channels: 5.1, which all that writes sound takes, with
    /// the surround channels at the sides or behind, of which files of most kinds know one.
    private static let surround: [[AudioChannel]] = [
        [.frontLeft, .frontRight, .frontCenter, .lowFrequency, .backLeft, .backRight],
        [.frontLeft, .frontRight, .frontCenter, .lowFrequency, .sideLeft, .sideRight],
    ]

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

    private func soundFormat(for sink: any RenderSink) throws -> AudioFormat? {
        guard withSound, sink.takesSound, let track = try soundTrack(),
            let audio = track.formatDescription.audio
        else { return nil }
        let rate = sink.sampleRate(of: audio.sampleRate)
        let format: AudioFormat
        if Self.surround.contains(audio.channels) {
            format = AudioFormat(sampleRate: rate, channels: audio.channels)
        } else {
            format = audio.channels.count == 1 ? .mono(sampleRate: rate) : .stereo(sampleRate: rate)
        }
        if audio.channels.count > format.channelCount {
            soundRemark = "; its sound of \(audio.channels.count) channels is mixed into two"
        }
        sound = try soundReader.addAudioOutput(trackID: track.id, format: format)
        // An estimate may come before the end.
        if reader.description.providesPreciseDurationAndTiming, track.timeRange.end.isNumeric {
            soundEnd = track.timeRange.end
        }
        return format
    }

    /// Hands on what is heard before a time; all that is left for nil.
    private func writeSound(before time: MediaTime?, _ sink: any RenderSink) throws {
        guard let sound else { return }
        while true {
            guard let buffer = try nextSound ?? sound.copyNextSampleBuffer() else { return }
            nextSound = nil
            let begins = buffer.presentationTime - start
            if let time, buffer.presentationTime.isNumeric, begins >= time, hasSoundBegun {
                nextSound = buffer
                return
            }
            hasSoundBegun = true
            if let heard = try continued(buffer, sink) {
                try sink.append(heard)
                soundTime =
                    soundTime
                    + MediaTime(
                        value: Int64(heard.frameCount),
                        timescale: Int32(clamping: heard.format.sampleRate))
            }
        }
    }

    /// What of sound follows on what has been written: where there is none for a while, silence is, as
    /// when it plays, and what has been heard is not heard again.
    private func continued(_ buffer: AudioBuffer, _ sink: any RenderSink) throws -> AudioBuffer? {
        guard buffer.presentationTime.isNumeric else { return buffer }
        let begins = buffer.presentationTime - start
        let tolerance = MediaTime(nanoseconds: AudioRingBuffer.timestampTolerance)
        if begins - soundTime > tolerance {
            try writeSilence(for: begins - soundTime, like: buffer, sink)
            soundTime = begins
        }
        let first = soundTime - begins > tolerance ? soundTime + start : start
        return buffer.clipped(to: MediaTimeRange(start: first, duration: soundEnd - first))
    }

    private func writeSilence(
        for time: MediaTime, like buffer: AudioBuffer, _ sink: any RenderSink
    ) throws {
        let frames = Int((time.seconds * Double(buffer.format.sampleRate)).rounded())
        guard frames > 0, frames < 3600 * buffer.format.sampleRate else { return }
        try sink.append(
            AudioBuffer(format: buffer.format, presentationTime: .zero, frameCount: frames) { _ in }
        )
    }
}
