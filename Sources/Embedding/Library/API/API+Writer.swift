// SPDX-License-Identifier: Apache-2.0

public import CPlayhead
import PlayheadAudio
import PlayheadBuffers
import PlayheadGL
import PlayheadTime
import PlayheadWriting
import Synchronization

@c @implementation
public func playhead_writer_create(
    _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<playhead_writer_options>?,
    _ writer: UnsafeMutablePointer<OpaquePointer?>?
) -> playhead_status {
    Call.run {
        guard let writer else { throw CallFailure.argument("writer must not be NULL") }
        writer.pointee = nil
        let path = try Argument.text(path, "path")
        let options = try Argument.read(options, "options")
        let object = try HostedWriter(path, options)
        guard let handle = HandleTable.shared.add(object, kind: .writer) else {
            object.cancel()
            throw CallFailure.outOfHandles
        }
        writer.pointee = handle
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_writer_destroy(_ writer: OpaquePointer?) -> playhead_status {
    Call.destroy(writer, .writer) { (writer: HostedWriter) in
        writer.cancel()
        writer.graphics.end()
    }
}

@c @implementation
public func playhead_writer_gl_init(
    _ writer: OpaquePointer?, _ options: UnsafePointer<playhead_gl_options>?
) -> playhead_status {
    Call.writer(writer) { writer in
        let options = try Argument.read(options, "options", else: playhead_gl_options())
        guard let mode = GLHostState.Mode(rawValue: options.state_mode) else {
            throw CallFailure.argument(
                "options.state_mode must be between 0 and 2, not \(options.state_mode)")
        }
        if let get = options.get_proc { try HostFunctions(get, options.get_proc_user).check() }
        try writer.graphics.begin(mode: mode, unitBase: Int(options.texture_unit_base))
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_writer_gl_deinit(_ writer: OpaquePointer?) -> playhead_status {
    Call.writer(writer) { writer in
        try writer.graphics.perform { surface in surface.drain(writer.frames) }
        try writer.graphics.deinitialize()
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_writer_record(
    _ writer: OpaquePointer?, _ source: UnsafePointer<playhead_writer_source>?,
    _ result: UnsafeMutablePointer<playhead_writer_result>?
) -> playhead_status {
    let start = HostClock.nanoseconds
    return Call.writer(writer) { writer in
        let source = try Argument.read(source, "source")
        let result = try result.map { try Argument.out($0, "result") }
        guard source.flags & ~UInt32(PLAYHEAD_WRITER_TOP_FIRST) == 0 else {
            throw CallFailure.argument(
                "source.flags must be 0 or PLAYHEAD_WRITER_TOP_FIRST, not \(source.flags)")
        }
        try writer.requireRecording()
        let time =
            source.time == noTime ? start : try Argument.time(source.time, "source.time")
        let isTopFirst = source.flags & UInt32(PLAYHEAD_WRITER_TOP_FIRST) != 0
        var isRecorded = false
        if try writer.admit(at: time) {
            isRecorded =
                if let pixels = source.pixels {
                    try writer.copy(
                        pixels, bytesPerRow: Int(source.bytes_per_row), at: time,
                        isTopFirst: isTopFirst)
                } else {
                    try writer.graphics.perform { surface in
                        try surface.read(
                            framebuffer: source.framebuffer, texture: source.texture, at: time,
                            isTopFirst: isTopFirst, into: writer.frames)
                    }
                }
        }
        let duration = writer.note(isRecorded: isRecorded, at: time, since: start)
        if let result {
            result.pointee.flags = isRecorded ? 0 : UInt32(PLAYHEAD_WRITER_DROPPED)
            result.pointee.duration = duration
        }
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_writer_add_audio(
    _ writer: OpaquePointer?, _ samples: UnsafePointer<Float>?, _ frame_count: UInt32,
    _ time: Int64
) -> playhead_status {
    Call.writer(writer) { writer in
        guard let audio = writer.audio else {
            throw CallFailure.state("the writer has no audio; set options.audio_rate")
        }
        guard let samples else { throw CallFailure.argument("samples must not be NULL") }
        guard (1...UInt32(audio.format.sampleRate)).contains(frame_count) else {
            throw CallFailure.argument(
                "frame_count must be between 1 and the audio rate, not \(frame_count)")
        }
        try writer.requireRecording()
        let time = time == noTime ? HostClock.nanoseconds : try Argument.time(time, "time")
        audio.append(samples, count: Int(frame_count), at: time)
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_writer_finish(_ writer: OpaquePointer?) -> playhead_status {
    Call.writer(writer) { writer in
        // Only the render thread can collect the results of reads in progress.
        if writer.graphics.isOnRenderThread {
            try writer.graphics.perform { surface in surface.drain(writer.frames) }
        }
        try writer.finish()
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_writer_get_statistics(
    _ writer: OpaquePointer?, _ statistics: UnsafeMutablePointer<playhead_writer_statistics>?
) -> playhead_status {
    Call.writer(writer) { writer in
        let statistics = try Argument.out(statistics, "statistics")
        let counts = writer.counts.withLock { $0 }
        statistics.pointee.reserved = 0
        statistics.pointee.recorded_frames = counts.recorded
        statistics.pointee.dropped_frames = counts.dropped
        statistics.pointee.dropped_samples = writer.audio?.droppedCount ?? 0
        statistics.pointee.record_duration = counts.duration
        statistics.pointee.longest_record = counts.longest
        return PLAYHEAD_OK
    }
}

extension HostedWriter {
    private static let largestSide = 16_384

    /// Creates a recorder with a host's options.
    convenience init(_ path: String, _ options: playhead_writer_options) throws {
        let sides = 1...Self.largestSide
        guard sides.contains(Int(options.width)), sides.contains(Int(options.height)) else {
            throw CallFailure.argument(
                "options.width and options.height must be 1 to \(Self.largestSide), not "
                    + "\(options.width) and \(options.height)")
        }
        guard Int(options.flags) & ~(PLAYHEAD_WRITER_REPLACE | PLAYHEAD_WRITER_FRAGMENTED) == 0
        else {
            throw CallFailure.argument(
                "options.flags may contain only PLAYHEAD_WRITER_REPLACE and "
                    + "PLAYHEAD_WRITER_FRAGMENTED, not \(options.flags)")
        }
        let name = options.codec.map { String(cString: $0) }
        guard let codec = VideoCodecType(rawValue: name ?? "h264") else {
            throw CallFailure(
                PLAYHEAD_UNSUPPORTED,
                "options.codec '\(name ?? "")' is not one of "
                    + VideoCodecType.allCases.map(\.rawValue).joined(separator: ", "))
        }
        var video = VideoOutputSettings(
            codec: codec, width: Int(options.width), height: Int(options.height))
        video.mediaTimeScale = 90_000
        guard (0...63).contains(options.rate_factor), options.bit_rate >= 0,
            options.frame_duration >= 0, options.frame_duration <= 1_000_000_000
        else {
            throw CallFailure.argument(
                "expected options.rate_factor from 0 to 63, bit_rate of at least 0 and "
                    + "frame_duration of at most a second, found \(options.rate_factor), "
                    + "\(options.bit_rate) and \(options.frame_duration)")
        }
        if options.rate_factor > 0 { video.rateFactor = Int(options.rate_factor) }
        if options.bit_rate > 0 { video.bitRate = Int(options.bit_rate) }
        video.preset = options.preset.map { String(cString: $0) }
        video.frameDuration = MediaTime(
            value: options.frame_duration > 0 ? options.frame_duration : 16_666_667,
            timescale: 1_000_000_000
        ).converted(toTimescale: 90_000)
        var format: AudioFormat?
        if options.audio_rate != 0 || options.audio_channels != 0 {
            guard (8000...192_000).contains(options.audio_rate),
                (1...2).contains(options.audio_channels)
            else {
                throw CallFailure.argument(
                    "expected options.audio_rate from 8000 to 192000 and 1 or 2 audio_channels, "
                        + "found \(options.audio_rate) and \(options.audio_channels)")
            }
            format =
                options.audio_channels == 1
                ? .mono(sampleRate: Int(options.audio_rate))
                : .stereo(sampleRate: Int(options.audio_rate))
        }
        let type = MediaFileType(path: path)
        let audioCodec: AudioCodecType =
            switch codec {
            case .ffv1, .proRes, .dnxHR: .pcmFloat
            default: type == .webM ? .opus : .aac
            }
        let isFragmented = Int(options.flags) & PLAYHEAD_WRITER_FRAGMENTED != 0
        try self.init(
            path: path, video: video, audio: format, audioCodec: audioCodec,
            replaces: Int(options.flags) & PLAYHEAD_WRITER_REPLACE != 0,
            fragmentInterval: isFragmented ? MediaTime(value: 1, timescale: 1) : .invalid)
    }

    /// Copies a frame in memory. Returns false if all blocks are in use.
    func copy(
        _ pixels: UnsafeRawPointer, bytesPerRow: Int, at time: Int64, isTopFirst: Bool
    ) throws -> Bool {
        let row = frames.width * 4
        guard bytesPerRow >= row, bytesPerRow < 1 << 31 else {
            throw CallFailure.argument(
                "source.bytes_per_row must be at least \(row) (four bytes per pixel), not "
                    + "\(bytesPerRow)")
        }
        guard let block = frames.claim(), let target = frames.memory(block).baseAddress else {
            return false
        }
        for y in 0..<frames.height {
            (target + y * row).copyMemory(from: pixels + y * bytesPerRow, byteCount: row)
        }
        frames.commit(block, at: time, isTopFirst: isTopFirst)
        return true
    }
}
