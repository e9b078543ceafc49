// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Hardware decoding is requested, and not available on most machines that run tests: the frames
/// are the same.
@Suite(.enabled(if: Corpus.has("made-here/media"), Comment(rawValue: Corpus.absence)))
struct HardwareDecodingTests {
    private static let film = "made-here/media/vfr_h264.mp4"

    private func path() throws -> String { try #require(Corpus.url(Self.film)).path }

    private func decode(
        _ acceleration: HardwareAcceleration, pool: (any PixelBufferPool)? = nil
    ) throws -> (pictures: [SeenPicture], method: VideoDecodingMethod) {
        let options = AssetOptions(hardwareAcceleration: acceleration)
        let demuxer = try FFmpegOpener(path: try path(), options: options)
            .openDemuxer(cancellation: Cancellation())
        let track = try #require(demuxer.description.preferredTrack(of: .video))
        demuxer.selectTracks([track.id])
        let decoder = try demuxer.makeVideoDecoder(for: track, pool: pool)
        var pictures: [SeenPicture] = []
        func take() throws {
            while let frame = try decoder.receive() { pictures.append(SeenPicture(frame)) }
        }
        while let packet = try demuxer.readPacket() {
            try decoder.send(packet)
            try take()
        }
        try decoder.send(nil)
        try take()
        return (pictures, decoder.method)
    }

    @Test func `hardware is not used unless it is requested`() throws {
        #expect(AssetOptions().hardwareAcceleration == .none)
        #expect(try decode(.none).method == .processor)
    }

    @Test(arguments: [HardwareAcceleration.auto, .vaapi, .cuda])
    func `every frame is decoded with any acceleration, and the method is reported`(
        acceleration: HardwareAcceleration
    ) throws {
        let (pictures, method) = try decode(acceleration)
        let expected = try decode(.none).pictures
        #expect(pictures.map(\.time) == expected.map(\.time))
        if method.acceleration == .none {
            #expect(pictures == expected)
            let name = acceleration == .cuda ? "NVDEC" : "VA-API"
            #expect(try #require(method.refusal).hasPrefix("\(name) "), "\(method)")
        } else {
            #expect(method.refusal == nil)
        }
    }

    @Test func `a codec that no hardware decodes is reported`() {
        let refusal = FFmpegCodecs.refusal(of: .vaapi, for: "prores")
        #expect(refusal == "VA-API does not decode prores")
        #expect(FFmpegCodecs.refusal(of: .vaapi, for: "nothing") == "there is no codec nothing")
    }

    @Test func `packets for another decoder are kept from the second-to-last keyframe on`() {
        final class Payload: Sendable {}
        func packet(_ index: Int, isKeyframe: Bool, byteCount: Int = 10) -> MediaPacket {
            MediaPacket(
                trackID: 0, presentationTime: .invalid, decodeTime: .invalid, duration: .invalid,
                isKeyframe: isKeyframe, byteCount: byteCount + index, payload: Payload())
        }
        var replay = ReplayPackets()
        replay.append(packet(1, isKeyframe: false))
        #expect(replay.packets.isEmpty)
        for index in 0..<12 { replay.append(packet(index, isKeyframe: index % 4 == 0)) }
        #expect(replay.packets.map(\.byteCount) == (4..<12).map { 10 + $0 })
        replay.append(packet(0, isKeyframe: false, byteCount: 64 << 20))
        #expect(replay.packets.isEmpty)
        replay.append(packet(1, isKeyframe: false))
        #expect(replay.packets.isEmpty)
        replay.append(packet(2, isKeyframe: true))
        #expect(replay.packets.count == 1)
    }
}
