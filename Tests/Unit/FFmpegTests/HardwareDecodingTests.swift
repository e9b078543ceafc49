// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Hardware is asked for, and not there on most machines that run tests: what is seen is the same.
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

    @Test("nothing is asked of hardware unless one says so")
    func processor() throws {
        #expect(AssetOptions().hardwareAcceleration == .none)
        #expect(try decode(.none).method == .processor)
    }

    @Test(
        "every picture comes whatever is asked for, and what decoded it is told",
        arguments: [HardwareAcceleration.auto, .vaapi, .cuda])
    func asking(acceleration: HardwareAcceleration) throws {
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

    @Test("what hardware cannot decode at all is said of the codec")
    func codecs() {
        let refusal = FFmpegCodecs.refusal(of: .vaapi, for: "prores")
        #expect(refusal == "VA-API does not decode prores")
        #expect(FFmpegCodecs.refusal(of: .vaapi, for: "nothing") == "there is no codec nothing")
    }

    @Test("the packets that another decoder needs are kept from the last keyframe but one")
    func replay() {
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
