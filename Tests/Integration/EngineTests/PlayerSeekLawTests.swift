// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadUI
import Testing

@testable import PlayheadPlayback

/// A player shows the frames of sequential decoding, after seeks, steps and in reverse: one file of
/// each kind that once failed.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct PlayerSeekLawTests {
    struct Frame: Equatable {
        var time: MediaTime
        var hash: Int

        init(_ time: MediaTime, _ buffer: PixelBuffer) {
            self.time = time
            hash = buffer.pixelHash
        }
    }

    /// Names and arguments of ffmpeg.
    static let clips = [
        // Containers that do not store presentation times.
        "last.avi: -c:v mpeg4 -bf 2 -g 12", "late.avi: -c:v mpeg4 -bf 7 -output_ts_offset 3.3",
        "last.mpg: -c:v mpeg2video -bf 2 -g 12",
        "fields.mpg: -c:v mpeg2video -bf 2 -g 12 -flags +ilme+ildct",
        "decoding.asf: -c:v libx264 -preset veryfast -g 600 -bf 1",
        "counted.h263: -c:v h263 -s 128x96 -g 12",
        // Damaged packets: see `damage`.
        "damaged.avi: -c:v png",
    ]

    @Test(arguments: clips)
    func `a player shows what decoding in a row gives`(_ clip: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let words = clip.split(separator: " ").map(String.init)
        let path = folder.appending(path: words[0].dropLast()).path
        try ProcessRunner.check(
            ["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i"]
                + ["testsrc2=s=96x80:r=25", "-frames:v", "40", "-threads", "1"]
                + words.dropFirst() + [path])
        if clip.hasPrefix("damaged") { try damage(path) }
        let asset = URLAsset(path)
        let frames = try decode(asset)
        try #require(frames.count >= 10)

        let item = PlayerItem(asset: asset)
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil, masterClock: ManualClock())
        defer { player.replaceCurrentItem(with: nil) }
        func seen() -> Frame? {
            output.copyPixelBuffer(forItemTime: item.currentTime).map { Frame($0.1, $0.0) }
        }
        let last = frames.count - 1
        for index in [last, 0, last - 1, 1, last / 2, last - 2, 5] {
            let start = frames[index].time
            let end = index < last ? frames[index + 1].time : start
            for time in [start + (end - start).multiplied(by: 1, over: 2), start] {
                try #require(seek(item, to: time) == true)
                #expect(seen() == frames[index], "frame \(index) at \(time)")
            }
            guard index > 0 else { continue }
            item.step(byCount: -1)
            try eventually("frame \(index - 1) after a step") { seen() == frames[index - 1] }
        }
        #expect(try backwards(asset, from: frames[last].time) == frames)
    }

    private func decode(_ asset: URLAsset) throws -> [Frame] {
        let output = try AssetReader(asset: asset).addVideoOutput()
        var frames: [Frame] = []
        while let frame = try output.copyNextSampleBuffer() {
            frames.append(Frame(frame.presentationTime, frame.pixelBuffer))
        }
        return frames
    }

    private func seek(_ item: PlayerItem, to time: MediaTime) -> Bool? {
        let landed = Monitor<Bool?>(nil)
        item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { isLanded in
            landed.change { $0 = isLanded }
        }
        return landed.wait(nanoseconds: 60_000_000_000) { $0 }
    }

    /// Returns all frames in order, as decoded for reverse playback.
    private func backwards(_ asset: URLAsset, from end: MediaTime) throws -> [Frame] {
        let demuxer = try asset.openDemuxer(cancellation: Cancellation())
        let track = try #require(demuxer.description.tracks(of: .video).first)
        let reader = FrameGroupReader(
            demuxer: demuxer, track: track, decoder: try demuxer.makeVideoDecoder(for: track),
            report: { _ in }, isOver: { false })
        var frames: [Frame] = []
        var limit = end + MediaTime(value: 1, timescale: 1)
        while true {
            let group = reader.frames(
                before: limit, detail: .all, isUrgent: false, byteLimit: 1 << 24)
            guard let first = group.first else { return frames }
            frames = group.map { Frame($0.presentationTime, $0.pixelBuffer) } + frames
            limit = first.presentationTime
        }
    }

    /// Overwrites the images of frames 10 to 19.
    private func damage(_ path: String) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        let signature = Data([0x89, 0x50, 0x4E, 0x47])
        var start = bytes.startIndex
        for number in 0..<20 {
            let range = try #require(bytes.range(of: signature, in: start..<bytes.endIndex))
            if number >= 10 { bytes.replaceSubrange(range, with: Data(count: 4)) }
            start = range.upperBound
        }
        try bytes.write(to: URL(filePath: path))
    }
}
