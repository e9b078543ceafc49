// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

@Suite struct ArrivalTimesTests {
    private static func milliseconds(_ value: Int64) -> MediaTime {
        MediaTime(value: value, timescale: 1000)
    }

    @Test func `frames have the times at which they arrive, from the first on`() {
        var times = ArrivalTimes()
        let arrivals: [Int64] = [5000, 5100, 5230, 5900, 6900]
        let found = arrivals.map { times.time(ofArrivalAt: Self.milliseconds($0)) }
        #expect(found == arrivals.map { Self.milliseconds($0 - 5000) })
    }

    @Test func `frames that arrive together follow each other at sixty a second`() {
        var times = ArrivalTimes()
        let found = (0..<4).map { _ in times.time(ofArrivalAt: Self.milliseconds(100)) }
        #expect(found == (0..<4).map { MediaTime(value: $0, timescale: 60) })
        // The timestamps equal the arrivals again once they have caught up.
        #expect(times.time(ofArrivalAt: Self.milliseconds(1100)) == Self.milliseconds(1000))
    }

    /// Returns a multipart stream of images, as network cameras send it, without a known end.
    private func camera(frameCount: Int) throws -> DataAsset {
        let folder = TemporaryFolder()
        let path = folder.appending("frame.jpg").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=1",
            "-frames:v", "1", path,
        ])
        let image = try Data(contentsOf: folder.appending("frame.jpg"))
        let head =
            "\r\n--frame\r\nContent-Type: image/jpeg\r\nContent-Length: \(image.count)\r\n\r\n"
        let bytes = (0..<frameCount).flatMap { _ in Array(head.utf8) + image }
        let source = CallbackDataSource.pipe(bytes)
        return DataAsset(name: "camera", opener: FFmpegOpener(.data(source, name: "camera")))
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `a camera has no rate, nothing to load, and times that begin at zero`() throws {
        let demuxer = try camera(frameCount: 5).openDemuxer(cancellation: Cancellation())
        let track = try #require(demuxer.description.tracks.first)
        #expect(track.nominalFrameRate == 0 && !track.frameDuration.isNumeric)
        #expect(demuxer.transfer == nil)
        let decoder = try demuxer.makeVideoDecoder(for: track, pool: nil)
        var packets: [MediaTime] = []
        var frames: [MediaTime] = []
        while let packet = try demuxer.readPacket() {
            packets.append(packet.presentationTime)
            try decoder.send(packet)
            while let frame = try decoder.receive() { frames.append(frame.presentationTime) }
        }
        try decoder.send(nil)
        while let frame = try decoder.receive() { frames.append(frame.presentationTime) }
        #expect(packets.count == 5 && packets.first == .zero)
        #expect(frames == packets)
        #expect(zip(packets, packets.dropFirst()).allSatisfy { $0 < $1 })
    }
}
