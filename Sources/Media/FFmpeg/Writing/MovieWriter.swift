// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
package import PlayheadAssets
package import PlayheadBuffers
package import PlayheadTime

/// A writer of a video file, with frames and audio at exact times.
///
/// The file is written under an unused name beside its final path, such as `out.mp4.part`, and
/// renamed when it is finished. The path therefore always has either the complete new file or the
/// previous one. A symbolic link is preserved; its target is replaced.
///
///     let settings = MovieSettings(
///         codec: .h264, width: 1280, height: 720, timescale: 30,
///         frameDuration: MediaTime(value: 1, timescale: 30))
///     let writer = try MovieWriter("out.mp4", settings: settings)
///     try writer.append(image, at: time)
///     try writer.finish()
///
/// - Concurrency: one thread at a time.
/// - Ownership: if the writer is released before the file is finished or cancelled, it removes the
///   file.
/// - Corresponds to: `AVAssetWriter` with its inputs.
package final class MovieWriter {
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
    /// The durations, by presentation time, of frames that have a duration and are not encoded yet.
    private var durations: [Int64: Int64] = [:]
    private var pendingSound: [Float] = []
    private var soundFrames: Int64 = 0
    private var hasEnded = false

    /// Creates a file.
    ///
    /// - Throws: `cannotOpen` if the file cannot be written; `unsupportedCodec` if FFmpeg lacks the
    ///   encoder, the encoder does not support the size, or the container does not support the
    ///   codec.
    package init(_ path: String, settings: MovieSettings) throws(MediaError) {
        FFmpegLog.silence()
        self.path = path
        (width, height, soundFormat) = (settings.width, settings.height, settings.sound)
        var context: UnsafeMutablePointer<AVFormatContext>?
        guard avformat_alloc_output_context2(&context, nil, nil, path) >= 0, let context else {
            throw MediaError(
                .unknownFormat, subject: path, cause: "no video format has this extension",
                remedy: "use .mp4, .mov, .mkv or .webm")
        }
        guard settings.codec.fits(path) else {
            avformat_free_context(context)
            throw MediaError(
                .unsupportedCodec, subject: path,
                cause: "\(settings.codec.rawValue) cannot be stored in files with this extension",
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
            // With the explicit protocol, FFmpeg does not mistake a part of the name for a
            // protocol.
            try Self.check(
                avio_open(&context.pointee.pb, "file:" + part.path, AVIO_FLAG_WRITE), path,
                remedy: "check that the folder may be written")
            try Self.check(avformat_write_header(context, nil), path, remedy: "try another ending")
        } catch {
            avio_closep(&context.pointee.pb)
            avformat_free_context(context)
            // All properties are initialised by now, so `deinit` runs. It must not free the context
            // again.
            hasEnded = true
            throw error
        }
    }

    deinit { cancel() }

    // MARK: Writing

    /// Adds a frame.
    ///
    /// - Parameters:
    ///   - image: The frame, with straight alpha.
    ///   - time: The presentation time, which must be after the time of the previous frame.
    ///   - duration: The duration of the frame, which matters only for the last frame; nil for the
    ///     frame duration in the settings.
    /// - Precondition: The image has the size of the settings, the time is numeric, and the writer
    ///   is neither finished nor cancelled.
    /// - Throws: `cannotOpen` if the file cannot be written.
    package func append(
        _ image: RGBAImage, at time: MediaTime, duration: MediaTime? = nil
    ) throws(MediaError) {
        precondition(!hasEnded, "a file that is finished takes no frames")
        precondition(
            image.width == width && image.height == height,
            "the image has \(image.width) x \(image.height) pixels, the video \(width) x \(height)")
        guard let timestamp = time.timestamp(in: timeBase) else {
            preconditionFailure("a picture's time is a number")
        }
        guard let frame = pictures.makeFrame() else {
            throw MediaError.writing(ph_AVERROR(ENOMEM), path, remedy: "free memory")
        }
        SampleWriting.fill(frame.pointer, with: image)
        frame.pointer.pointee.pts = timestamp
        durations[timestamp] = duration?.timestamp(in: timeBase).map { max(1, $0) }
        try encode(frame, on: pictures)
    }

    /// Adds audio after the audio that was added before. If the file has no audio, the call is
    /// ignored.
    ///
    /// - Precondition: The buffer has the format of the settings, and the writer is neither
    ///   finished nor cancelled.
    /// - Throws: `cannotOpen` if the file cannot be written.
    package func append(_ buffer: AudioBuffer) throws(MediaError) {
        precondition(!hasEnded, "a file that is finished takes no audio")
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

    /// Completes the file and moves it into place. Does nothing if the file has already been
    /// finished or cancelled.
    ///
    /// - Throws: `cannotOpen` if the file cannot be written. In this case there is no new file.
    package func finish() throws(MediaError) {
        guard !hasEnded else { return }
        do throws(MediaError) {
            if let sound {
                if !pendingSound.isEmpty { try encodeSound(pendingSound[...], on: sound) }
                try encode(nil, on: sound)
            }
            try encode(nil, on: pictures)
            try Self.check(av_write_trailer(output), path, remedy: "check that the disk has space")
            try Self.check(avio_closep(&output.pointee.pb), path, remedy: "check the disk")
            guard part.finish() else {
                throw MediaError.writing(ph_AVERROR(errno), path, remedy: "check the folder")
            }
        } catch {
            cancel()
            throw error
        }
        hasEnded = true
        avformat_free_context(output)
    }

    /// Removes the temporary file. A file that already existed at the path stays.
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
            throw MediaError.writing(ph_AVERROR(ENOMEM), path, remedy: "free memory")
        }
        track.fill(frame, with: samples)
        frame.pointer.pointee.pts = soundFrames
        soundFrames += Int64(samples.count / track.channelCount)
        try encode(frame, on: track)
    }

    /// Sends a frame to an encoder, or nil for the end, and writes the packets that the encoder
    /// returns.
    private func encode(_ frame: FrameBox?, on track: EncodedTrack) throws(MediaError) {
        let remedy = "check that the disk has space"
        try Self.check(avcodec_send_frame(track.codec, frame?.pointer), path, remedy: remedy)
        while true {
            guard let packet = PacketBox() else {
                throw MediaError.writing(ph_AVERROR(ENOMEM), path, remedy: "free memory")
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
        throw MediaError.writing(result, path, remedy: remedy)
    }
}
