// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadEditing
import Synchronization

/// Streams of segments, the rate of two passes, and the progress of exports.
struct WritingStreams {
    let folder: TemporaryFolder

    /// Keeps the segments of a writer.
    private final class Collector: AssetWriterDelegate {
        let segments = Mutex<[AssetWriterSegment]>([])

        func assetWriter(_ writer: AssetWriter, didOutput segment: AssetWriterSegment) {
            segments.withLock { $0.append(segment) }
        }
    }

    // MARK: - Segments

    /// The packets of a minute of film, in segments of six seconds.
    func compareSegments(_ report: inout Report) async throws {
        let source = folder.appending("minute.mp4")
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i",
            "testsrc2=size=320x180:rate=25:duration=60", "-f", "lavfi", "-i",
            "sine=frequency=440:duration=60:sample_rate=48000", "-c:v", "libx264", "-preset",
            "veryfast", "-bf", "2", "-g", "50", "-pix_fmt", "yuv420p", "-c:a", "aac",
            source.path,
        ])
        let collector = Collector()
        let writer = AssetWriter(
            segmentInterval: MediaTime(value: 6, timescale: 1), delegate: collector)
        try await Self.copy(source, to: writer)
        let segments = collector.segments.withLock { $0 }
        var playlist = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:6\n"
        for (index, segment) in segments.enumerated() {
            let name = "segment\(index).mp4"
            try Data(segment.data).write(to: folder.appending(name))
            playlist +=
                segment.kind == .initialization
                ? "#EXT-X-MAP:URI=\"\(name)\"\n"
                : "#EXTINF:\(segment.timeRange.duration.seconds),\n\(name)\n"
        }
        let list = folder.appending("list.m3u8")
        try Data((playlist + "#EXT-X-ENDLIST\n").utf8).write(to: list)
        report.add("segments of a minute", segments.count - 1)
        report.require(
            segments.map(\.kind) == [.initialization] + Array(repeating: .separable, count: 10),
            "\(segments.count) segments instead of an initialization segment and 10")
        try requireKeyframes(segments, &report)
        try comparePackets(source, segments, &report)
        let frames = try AssetReader(asset: URLAsset(url: list)).addVideoOutput()
        var count = 0
        while try frames.copyNextSampleBuffer() != nil { count += 1 }
        let listed = try ProcessRunner.run([
            "ffprobe", "-v", "error", "-allowed_extensions", "ALL", "-count_packets",
            "-select_streams", "v", "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0",
            list.path,
        ])
        report.add("frames of the playlist in our reader", count)
        report.require(count == 1500, "our reader plays \(count) frames of 1500")
        report.require(
            listed.status == 0 && listed.standardError.isEmpty && listed.text.contains("1500"),
            "ffprobe reports '\(listed.text)\(listed.standardError)' of the playlist")
    }

    /// Copies the packets of a file to a writer of segments.
    private static func copy(_ source: URL, to writer: AssetWriter) async throws {
        let demuxer = try URLAsset(url: source).openDemuxer(cancellation: Cancellation())
        var inputs: [Int: AssetWriterInput] = [:]
        for track in demuxer.description.tracks {
            guard let parameters = demuxer.sampleParameters(of: track) else { continue }
            var format = EncodedTrackFormat(
                mediaType: track.mediaType, parameters: parameters,
                timescale: track.timeUnit.timescale)
            format.frameDuration = track.frameDuration
            let input = AssetWriterInput(passthrough: format)
            try writer.add(input)
            inputs[track.id] = input
        }
        demuxer.selectTracks(Set(inputs.keys))
        try writer.startWriting()
        try writer.startSession(atSourceTime: MediaTime.zero)
        while let packet = try demuxer.readPacket() {
            try await inputs[packet.trackID]?.append(packet)
        }
        try await writer.finishWriting()
    }

    /// Each segment begins with a sync sample.
    private func requireKeyframes(
        _ segments: [AssetWriterSegment], _ report: inout Report
    ) throws {
        guard let first = segments.first else { return }
        var keyframes = 0
        for segment in segments.dropFirst() {
            let file = folder.appending("one.mp4")
            try Data(first.data + segment.data).write(to: file)
            let flags = try ProcessRunner.run([
                "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries",
                "packet=flags", "-of", "csv=p=0", file.path,
            ])
            let isKeyframe = flags.text.hasPrefix("K")
            keyframes += isKeyframe ? 1 : 0
            report.require(
                isKeyframe && flags.standardError.isEmpty,
                "the segment at \(segment.timeRange.start) does not begin with a sync sample "
                    + flags.standardError)
        }
        report.add("segments that begin with a sync sample", keyframes)
    }

    /// The segments in a row have the packets of the source.
    private func comparePackets(
        _ source: URL, _ segments: [AssetWriterSegment], _ report: inout Report
    ) throws {
        let whole = folder.appending("whole.mp4")
        try Data(segments.flatMap(\.data)).write(to: whole)
        var packets = 0
        for stream in ["v:0", "a:0"] {
            let old = try WritingFilm.packets(source, stream).map(\.hash)
            let new = try WritingFilm.packets(whole, stream).map(\.hash)
            packets += old.count
            report.require(
                old == new, "segments: packets of \(stream) differ, \(new.count) of \(old.count)")
        }
        report.add("packets of the segments equal to the source's", packets)
    }

    // MARK: - Rates

    /// Two passes meet the bit rate that was asked for.
    func compareRates(seconds: Int, _ report: inout Report) async throws {
        let source = folder.appending("noisy.mkv")
        // Quiet and busy halves, so that one pass alone would have to guess.
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i",
            "testsrc2=size=640x360:rate=25:duration=\(seconds),"
                + "noise=alls=20:allf=t:enable='gte(t,\(seconds / 2))'", "-c:v", "ffv1",
            "-pix_fmt", "yuv420p", source.path,
        ])
        for (codec, rate) in [(VideoCodecType.h264, 800_000), (.hevc, 600_000)] {
            let file = folder.appending("rate.mp4")
            for isFirst in [true, false] {
                Progress.show("\(codec.rawValue), pass \(isFirst ? 1 : 2)")
                var settings = VideoOutputSettings(
                    codec: codec, width: 640, height: 360, frameDuration: WritingFilm.period)
                settings.bitRate = rate
                settings.preset = "veryfast"
                settings.pass = EncodingPass(
                    isFirst: isFirst, statisticsPath: folder.appending("pass").path)
                let writer = try AssetWriter(path: file.path)
                writer.replacesExistingFile = true
                writer.discardsOutput = isFirst
                let input = AssetWriterInput(video: settings)
                try writer.add(input)
                try writer.startWriting()
                try writer.startSession(atSourceTime: MediaTime.zero)
                let output = try AssetReader(asset: URLAsset(url: source)).addVideoOutput()
                while let frame = try output.copyNextSampleBuffer() {
                    try await input.append(frame)
                }
                try await writer.finishWriting()
            }
            let sizes = try ProcessRunner.check([
                "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=size",
                "-of", "csv=p=0", file.path,
            ]).text.split { !$0.isNumber }.compactMap { Int($0) }
            let found = Double(sizes.reduce(0, +)) * 8 / Double(seconds)
            let difference = found / Double(rate) - 1
            report.add(
                "rate of two passes in \(codec.rawValue)",
                String(format: "%.1f kbit/s, %+.2f %%", found / 1000, difference * 100))
            report.require(
                abs(difference) <= 0.03,
                "\(codec.rawValue): two passes differ from the bit rate by "
                    + String(format: "%.1f %%", difference * 100))
        }
    }

    // MARK: - Progress

    /// The progress follows the work: it is compared with the share of this process's processor
    /// time, which other programs do not change.
    func compareProgress(frames: Int, _ report: inout Report) async throws {
        let source = folder.appending("steady.mkv")
        let settings = VideoOutputSettings(
            codec: .ffv1, width: 320, height: 180, sampleFormat: VideoSampleFormat(.yuv420),
            frameDuration: WritingFilm.period)
        let pictures = (0..<16).map(Self.noise)
        try await WritingFilm.write(
            source, settings, frames: (0..<frames).map { pictures[$0 % pictures.count] })
        let session = AssetExportSession(asset: URLAsset(url: source), preset: .highestQuality)
        let states = session.states(updateInterval: MediaTime.zero)
        let start = Machine.ownSeconds
        let export = Task { try await session.export(to: folder.appending("steady.mp4").path) }
        var points: [(progress: Double, seconds: Double)] = []
        var completions = 0
        for await state in states {
            switch state {
            case .exporting(let progress):
                points.append((progress, Machine.ownSeconds - start))
            case .completed: completions += 1
            case .pending, .failed, .cancelled: break
            }
        }
        let whole = Machine.ownSeconds - start
        try await export.value
        let worst = points.map { abs($0.progress - $0.seconds / whole) }.max() ?? 1
        let isRising = zip(points, points.dropFirst()).allSatisfy { $0.progress <= $1.progress }
        report.add("values of progress", points.count)
        report.add(
            "largest distance from the elapsed share", String(format: "%.2f %%", worst * 100))
        report.require(isRising, "the progress went back")
        report.require(
            completions == 1 && points.allSatisfy { $0.progress < 1 },
            "the export completed \(completions) times")
        report.require(points.count > 20, "only \(points.count) values of progress")
        report.require(
            worst <= 0.02,
            "the progress is \(String(format: "%.1f", worst * 100)) % from the elapsed share")
    }

    /// A frame of noise, which costs as much as any other.
    private static func noise(_ number: Int) -> PixelBuffer {
        var random = SplitMix64(seed: UInt64(number + 1))
        return PixelBuffer(format: .yuv420p, width: 320, height: 180) { _, bytes, _ in
            for index in bytes.indices { bytes[index] = UInt8(64 + random.next() % 64) }
        }
    }
}
