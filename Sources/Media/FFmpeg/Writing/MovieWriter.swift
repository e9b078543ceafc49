// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
package import PlayheadAssets
package import PlayheadBuffers
package import PlayheadTime

/// Writes a film: pictures and sound, each with its exact time.
///
/// The file is written beside its place under a name that nothing there has, `out.mp4.part` if that
/// is free, and takes its place when it is finished; so there is a whole film there, or what was
/// there before. A symbolic link leads to the film then, and stays one.
///
///     let settings = MovieWriter.Settings(
///         codec: .h264, width: 1280, height: 720, timescale: 30,
///         frameDuration: MediaTime(value: 1, timescale: 30))
///     let writer = try MovieWriter("out.mp4", settings: settings)
///     try writer.append(image, at: time)
///     try writer.finish()
///
/// - Concurrency: one thread at a time.
/// - Ownership: what is neither finished nor cancelled is removed when the last reference goes.
/// - Corresponds to: `AVAssetWriter` with its inputs.
package final class MovieWriter {
    /// What the film is made of.
    package struct Settings: Sendable {
        /// What pictures are encoded by.
        package var codec: MovieCodec
        /// In pixels; even numbers where chroma is subsampled.
        package var width: Int
        package var height: Int
        /// Units of time in a second: presentation times are rounded to them.
        package var timescale: Int32
        /// From one picture to the next, most often; what encoders are told, and the last picture's
        /// duration.
        package var frameDuration: MediaTime
        /// Nil for no sound.
        package var sound: AudioFormat?
        /// The encoder's constant rate factor, for H.264, HEVC and VP9: less is better, and 0 is
        /// without loss for H.264. Nil for good quality.
        package var rateFactor: Int?
        /// Whether a part of the picture is to be coded alike whatever is beside it, as films in an
        /// atlas are: by H.264 and HEVC in blocks of 16 x 16, each decided by itself, for about a
        /// seventh more bytes.
        package var codesPartsAlike: Bool

        package init(
            codec: MovieCodec, width: Int, height: Int, timescale: Int32,
            frameDuration: MediaTime, sound: AudioFormat? = nil, rateFactor: Int? = nil,
            codesPartsAlike: Bool = false
        ) {
            self.codec = codec
            self.width = width
            self.height = height
            self.timescale = timescale
            self.frameDuration = frameDuration
            self.sound = sound
            self.rateFactor = rateFactor
            self.codesPartsAlike = codesPartsAlike
        }
    }

    private let path: String
    private let part: PartialFile
    private let output: UnsafeMutablePointer<AVFormatContext>
    private let pictures: EncodedTrack
    private let width: Int
    private let height: Int
    private let soundFormat: AudioFormat?
    private let sound: EncodedTrack?
    private let timeBase: AVRational
    private let frameDuration: Int64
    /// How long pictures are seen that say so, by their times, until they are encoded.
    private var durations: [Int64: Int64] = [:]
    private var pendingSound: [Float] = []
    private var soundFrames: Int64 = 0
    private var hasEnded = false

    /// Begins a film.
    ///
    /// - Throws: `cannotOpen` where it cannot be written, `unsupportedCodec` where FFmpeg has no
    ///   such encoder, the codec no such size, or the container no such codec.
    package init(_ path: String, settings: Settings) throws(MediaError) {
        FFmpegLog.silence()
        self.path = path
        (width, height, soundFormat) = (settings.width, settings.height, settings.sound)
        var context: UnsafeMutablePointer<AVFormatContext>?
        guard avformat_alloc_output_context2(&context, nil, nil, path) >= 0, let context else {
            throw MediaError(
                .unknownFormat, subject: path, cause: "there is no container of this ending",
                remedy: "use .mp4, .mov, .mkv or .webm")
        }
        guard settings.codec.fits(path) else {
            avformat_free_context(context)
            throw MediaError(
                .unsupportedCodec, subject: path,
                cause: "\(settings.codec.rawValue) does not go into files of this ending",
                remedy: settings.codec.endingRemedy)
        }
        output = context
        timeBase = AVRational(num: 1, den: settings.timescale)
        frameDuration = max(1, settings.frameDuration.timestamp(in: timeBase) ?? 1)
        do throws(MediaError) {
            pictures = try EncodedTrack(
                pictures: settings, timeBase: timeBase, in: context, path: path)
            sound = try settings.sound.map { format throws(MediaError) in
                try EncodedTrack(
                    sound: format, encoder: settings.codec.soundEncoder, in: context, path: path)
            }
            part = try PartialFile(of: path)
            // With the protocol spelled out, nothing in the name is taken for one.
            try Self.check(
                avio_open(&context.pointee.pb, "file:" + part.path, AVIO_FLAG_WRITE), path,
                remedy: "check that the folder may be written")
            try Self.check(avformat_write_header(context, nil), path, remedy: "try another ending")
        } catch {
            avio_closep(&context.pointee.pb)
            avformat_free_context(context)
            // Everything has its value by now, so `deinit` follows, which must not free it again.
            hasEnded = true
            throw error
        }
    }

    deinit { cancel() }

    // MARK: Writing

    /// Adds a picture.
    ///
    /// - Parameters:
    ///   - image: straight alpha.
    ///   - time: later than that of the picture before.
    ///   - duration: how long it is seen, which counts of the last one; as the settings say when
    ///     nil.
    /// - Precondition: the image has the settings' size, the time is a number, and the film has
    ///   neither been finished nor cancelled.
    /// - Throws: `cannotOpen` where it cannot be written.
    package func append(
        _ image: RGBAImage, at time: MediaTime, duration: MediaTime? = nil
    ) throws(MediaError) {
        precondition(!hasEnded, "a film that has ended takes no pictures")
        precondition(
            image.width == width && image.height == height,
            "a picture of \(image.width) x \(image.height) is none of \(width) x \(height)")
        guard let timestamp = time.timestamp(in: timeBase) else {
            preconditionFailure("a picture's time is a number")
        }
        guard let frame = pictures.makeFrame() else {
            throw Self.error(ph_AVERROR(ENOMEM), path, remedy: "free memory")
        }
        SampleWriting.fill(frame.pointer, with: image)
        frame.pointer.pointee.pts = timestamp
        durations[timestamp] = duration?.timestamp(in: timeBase).map { max(1, $0) }
        try encode(frame, on: pictures)
    }

    /// Adds sound, which follows what was added before; none to a film without.
    ///
    /// - Precondition: it is of the settings' format, and the film has neither been finished nor
    ///   cancelled.
    /// - Throws: `cannotOpen` where it cannot be written.
    package func append(_ buffer: AudioBuffer) throws(MediaError) {
        precondition(!hasEnded, "a film that has ended takes no sound")
        guard let sound else { return }
        precondition(buffer.format == soundFormat, "sound is of the film's format")
        buffer.withSamples { pendingSound.append(contentsOf: $0) }
        let step = sound.frameSize * sound.channelCount
        var offset = 0
        while pendingSound.count - offset >= step {
            try encodeSound(pendingSound[offset..<offset + step], on: sound)
            offset += step
        }
        pendingSound.removeFirst(offset)
    }

    /// Ends the film and puts it in its place; nothing where it has ended.
    ///
    /// - Throws: `cannotOpen` where it cannot be written: then there is none.
    package func finish() throws(MediaError) {
        guard !hasEnded else { return }
        do throws(MediaError) {
            if let sound {
                if !pendingSound.isEmpty { try encodeSound(pendingSound[...], on: sound) }
                try encode(nil, on: sound)
            }
            try encode(nil, on: pictures)
            try Self.check(av_write_trailer(output), path, remedy: "check that the disk has room")
            try Self.check(avio_closep(&output.pointee.pb), path, remedy: "check the disk")
            guard part.finish() else {
                throw Self.error(ph_AVERROR(errno), path, remedy: "check the folder")
            }
        } catch {
            cancel()
            throw error
        }
        hasEnded = true
        avformat_free_context(output)
    }

    /// Ends without a film: what was there before stays.
    package func cancel() {
        guard !hasEnded else { return }
        hasEnded = true
        avio_closep(&output.pointee.pb)
        part.remove()
        avformat_free_context(output)
    }

    private func encodeSound(
        _ samples: ArraySlice<Float>, on track: EncodedTrack
    ) throws(MediaError) {
        guard let frame = track.makeFrame(sampleCount: samples.count / track.channelCount) else {
            throw Self.error(ph_AVERROR(ENOMEM), path, remedy: "free memory")
        }
        track.fill(frame, with: samples)
        frame.pointer.pointee.pts = soundFrames
        soundFrames += Int64(samples.count / track.channelCount)
        try encode(frame, on: track)
    }

    /// Gives an encoder a frame, nil for the end, and writes what it gives back.
    private func encode(_ frame: FrameBox?, on track: EncodedTrack) throws(MediaError) {
        let remedy = "check that the disk has room"
        try Self.check(avcodec_send_frame(track.codec, frame?.pointer), path, remedy: remedy)
        while true {
            guard let packet = PacketBox() else {
                throw Self.error(ph_AVERROR(ENOMEM), path, remedy: "free memory")
            }
            let result = avcodec_receive_packet(track.codec, packet.pointer)
            if FFmpegError(result) == .again || FFmpegError(result) == .endOfFile { return }
            try Self.check(result, path, remedy: remedy)
            if track === pictures {
                if let duration = durations.removeValue(forKey: packet.pointer.pointee.pts) {
                    packet.pointer.pointee.duration = duration
                } else if packet.pointer.pointee.duration == 0 {
                    packet.pointer.pointee.duration = frameDuration
                }
            }
            packet.pointer.pointee.stream_index = track.index
            av_packet_rescale_ts(
                packet.pointer, track.codec.pointee.time_base, track.streamTimeBase)
            try Self.check(
                av_interleaved_write_frame(output, packet.pointer), path, remedy: remedy)
        }
    }

    // MARK: Errors

    private static func check(
        _ result: Int32, _ path: String, remedy: String
    ) throws(MediaError) {
        guard result < 0 else { return }
        throw error(result, path, remedy: remedy)
    }

    static func error(_ code: Int32, _ path: String, remedy: String) -> MediaError {
        MediaError(
            .cannotOpen, subject: path, cause: "it cannot be written (\(FFmpegError(code).text))",
            remedy: remedy)
    }
}
