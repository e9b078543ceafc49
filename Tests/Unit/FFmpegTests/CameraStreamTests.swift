// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct CameraStreamTests {
    private static func open(_ camera: CameraServer) throws -> any Demuxer {
        try FFmpegOpener(AssetLocation(camera.url)).openDemuxer(cancellation: Cancellation())
    }

    @Test(arguments: CameraServer.Framing.allCases)
    func `an image is read before the next one arrives, in every framing`(
        framing: CameraServer.Framing
    ) throws {
        let camera = try CameraServer(framing)
        defer { camera.stop() }
        camera.send(0...1)
        let demuxer = try Self.open(camera)
        #expect(demuxer.description.container == "mpjpeg")
        #expect(demuxer.transfer == nil && demuxer.arrivalMonitor != nil)
        #expect(demuxer.description.tracks.first?.nominalFrameRate == 0)
        var last = MediaTime.negativeInfinity
        for number in 2..<6 {
            camera.send(number...number)
            var packet: MediaPacket?
            repeat {
                packet = try demuxer.readPacket()
                let time = try #require(packet?.presentationTime)
                #expect(time > last)
                last = time
            } while packet?.byteCount != camera.byteCount(of: number)
        }
        #expect(demuxer.arrivalMonitor?.time(atHostTime: HostClock.shared.time) != nil)
        camera.end()
        #expect(try demuxer.readPacket() == nil)
    }

    @Test(arguments: [CameraServer.Framing.lengths, .noLengths])
    func `of images that have arrived together, the newest is read`(
        framing: CameraServer.Framing
    ) throws {
        let camera = try CameraServer(framing)
        defer { camera.stop() }
        camera.send(0...1)
        let demuxer = try Self.open(camera)
        camera.send(2...2)
        while try demuxer.readPacket()?.byteCount != camera.byteCount(of: 2) {}
        // They fit into the buffers of the connection, so all of them arrive before the first read.
        camera.send(3...5)
        camera.waitUntilSent()
        camera.end()
        var sizes: [Int] = []
        while let packet = try demuxer.readPacket() { sizes.append(packet.byteCount) }
        #expect(sizes.last == camera.byteCount(of: 5))
        #expect(sizes.count < 3)
    }
}
