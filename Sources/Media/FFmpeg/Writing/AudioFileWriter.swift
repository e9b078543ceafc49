// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
package import PlayheadAssets
package import PlayheadBuffers

/// A writer of an audio file.
///
/// As with `MovieWriter`, the file has a temporary name until it is finished.
///
///     let writer = try AudioFileWriter(
///         "out.flac", codec: .flac, format: .stereo(sampleRate: 48_000))
///     try writer.append(buffer)
///     try writer.finish()
///
/// - Concurrency: one thread at a time.
/// - Ownership: if the writer is released before `finish()`, it removes the file.
/// - Corresponds to: `AVAudioFile`.
package final class AudioFileWriter {
    private let path: String
    private let part: PartialFile
    private let output: UnsafeMutablePointer<AVFormatContext>
    private let track: EncodedTrack
    private let format: AudioFormat
    private var pending: [Float] = []
    private var frameCount: Int64 = 0
    private var hasEnded = false

    /// Creates a file.
    ///
    /// - Parameter bitDepth: The bit depth of samples that are stored without loss: 16 or 24.
    /// - Throws: `cannotOpen` if the file cannot be written, `unsupportedCodec` if FFmpeg lacks the
    ///   encoder or the encoder refuses the format.
    package init(
        _ path: String, codec: AudioCodec, format: AudioFormat, bitDepth: Int = 24
    ) throws(MediaError) {
        FFmpegLog.silence()
        self.path = path
        self.format = format
        var context: UnsafeMutablePointer<AVFormatContext>?
        guard avformat_alloc_output_context2(&context, nil, nil, path) >= 0, let context else {
            throw MediaError(
                .unknownFormat, subject: path, cause: "no audio format has this extension",
                remedy: "use .wav, .flac, .m4a or .opus")
        }
        output = context
        do throws(MediaError) {
            track = try EncodedTrack(
                sound: format, encoder: codec.encoder(bitDepth: bitDepth), in: context, path: path)
            part = try PartialFile(of: path)
            // With the explicit protocol, FFmpeg does not mistake a part of the name for a
            // protocol.
            try check(
                avio_open(&context.pointee.pb, "file:" + part.path, AVIO_FLAG_WRITE),
                remedy: "check that the directory is writable")
            try check(avformat_write_header(context, nil), remedy: "use another extension")
        } catch {
            avio_closep(&context.pointee.pb)
            avformat_free_context(context)
            // All properties are initialised by now, so `deinit` runs.
            hasEnded = true
            throw error
        }
    }

    deinit { cancel() }

    /// Adds audio after the audio that was added before.
    ///
    /// - Precondition: the buffer has the format of the file, which is neither finished nor
    ///   cancelled.
    package func append(_ buffer: AudioBuffer) throws(MediaError) {
        precondition(!hasEnded, "an audio file that is finished takes no samples")
        precondition(buffer.format == format, "a buffer has the format of its file")
        buffer.withSamples { pending.append(contentsOf: $0) }
        let step = track.frameSize * track.channelCount
        var offset = 0
        while pending.count - offset >= step {
            try encode(pending[offset..<offset + step])
            offset += step
        }
        pending.removeFirst(offset)
    }

    /// Completes the file and moves it into place. Does nothing if the file has already been
    /// finished or cancelled.
    package func finish() throws(MediaError) {
        guard !hasEnded else { return }
        do throws(MediaError) {
            if !pending.isEmpty { try encode(pending[...]) }
            try send(nil)
            let remedy = "check that the disk has space"
            try check(av_write_trailer(output), remedy: remedy)
            try check(avio_closep(&output.pointee.pb), remedy: remedy)
            guard part.finish() else {
                throw MediaError.writing(ph_AVERROR(errno), path, remedy: "check the directory")
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

    private func encode(_ samples: ArraySlice<Float>) throws(MediaError) {
        let count = samples.count / track.channelCount
        guard let frame = track.makeFrame(sampleCount: count) else {
            throw MediaError.writing(ph_AVERROR(ENOMEM), path, remedy: "free memory")
        }
        track.fill(frame, with: samples)
        frame.pointer.pointee.pts = frameCount
        frameCount += Int64(count)
        try send(frame)
    }

    /// Sends a frame to the encoder, or nil for the end, and writes the packets that the encoder
    /// returns.
    private func send(_ frame: FrameBox?) throws(MediaError) {
        let remedy = "check that the disk has space"
        try check(avcodec_send_frame(track.codec, frame?.pointer), remedy: remedy)
        while true {
            guard let packet = PacketBox() else {
                throw MediaError.writing(ph_AVERROR(ENOMEM), path, remedy: "free memory")
            }
            let result = avcodec_receive_packet(track.codec, packet.pointer)
            if FFmpegError(result) == .again || FFmpegError(result) == .endOfFile { return }
            try check(result, remedy: remedy)
            packet.pointer.pointee.stream_index = track.index
            av_packet_rescale_ts(
                packet.pointer, track.codec.pointee.time_base, track.streamTimeBase)
            try check(av_interleaved_write_frame(output, packet.pointer), remedy: remedy)
        }
    }

    private func check(_ result: Int32, remedy: String) throws(MediaError) {
        guard result < 0 else { return }
        throw MediaError.writing(result, path, remedy: remedy)
    }
}
