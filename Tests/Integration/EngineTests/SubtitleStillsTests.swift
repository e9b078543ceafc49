// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadSubtitles
import PlayheadTime
import Testing

/// A broadcast whose subtitles are stored some time after the frames with which they are shown.
private final class LateSubtitles: Demuxer, AssetOpener, @unchecked Sendable {
    // Unchecked: read by the test's single thread.
    private final class Payload: Sendable {}

    private final class Decoder: SubtitleDecoder {
        let script = SubtitleScript()
        func flush() {}
        /// Returns a bitmap at `start`, and an empty cue at `end`.
        func decode(_ packet: MediaPacket) -> [SubtitleCue] {
            let box = SubtitleBitmap(
                x: 0, y: 0, width: 8, height: 8, canvasWidth: 64, canvasHeight: 36,
                indices: [UInt8](repeating: 1, count: 64),
                palette: [SIMD4<UInt8>](repeating: SIMD4(repeating: 255), count: 256))
            let isShown = packet.presentationTime == LateSubtitles.start
            return [
                SubtitleCue(
                    timeRange: MediaTimeRange(
                        start: packet.presentationTime, duration: .positiveInfinity),
                    content: .bitmaps(isShown ? [box] : []))
            ]
        }
    }

    static let start = MediaTime(value: 10, timescale: 10)
    static let end = MediaTime(value: 30, timescale: 10)

    let description = AssetDescription(
        container: "mpegts", duration: MediaTime(value: 6, timescale: 1),
        tracks: [
            AssetTrack(
                id: 0, mediaType: .video, formatDescription: FormatDescription(codec: "h264")),
            AssetTrack(
                id: 1, mediaType: .subtitle,
                formatDescription: FormatDescription(codec: "dvb_subtitle")),
        ])
    private var packets: [MediaPacket] = []
    private var next = 0

    init() {
        func packet(_ track: Int, _ time: MediaTime) -> MediaPacket {
            MediaPacket(
                trackID: track, presentationTime: time, decodeTime: time, duration: .invalid,
                isKeyframe: true, byteCount: 1, payload: Payload())
        }
        for tenth in 0..<60 as Range<Int64> {
            let time = MediaTime(value: tenth, timescale: 10)
            packets.append(packet(0, time))
            for shown in [Self.start, Self.end]
            where time - shown == MediaTime(value: 7, timescale: 10) {
                packets.append(packet(1, shown))
            }
        }
    }

    func openDemuxer(cancellation: Cancellation) -> any Demuxer { self }
    func selectTracks(_ identifiers: Set<Int>) {}
    func seek(to time: MediaTime) { next = 0 }
    func readPacket() -> MediaPacket? {
        guard next < packets.count else { return nil }
        next += 1
        return packets[next - 1]
    }
    func makeSubtitleDecoder(for track: AssetTrack) -> any SubtitleDecoder { Decoder() }
    func makeVideoDecoder(
        for track: AssetTrack, pool: (any PixelBufferPool)?
    ) -> any VideoDecoder { preconditionFailure("subtitles only") }
    func makeAudioDecoder(for track: AssetTrack, format: AudioFormat) -> any AudioDecoder {
        preconditionFailure("subtitles only")
    }
}

@Suite("Subtitles over still images")
struct SubtitleStillsTests {
    @Test(arguments: [(9, false), (11, true), (29, true), (31, false), (50, false)])
    func `subtitles stored after their frames appear at their time`(
        _ tenth: Int64, _ isShown: Bool
    ) throws {
        let stills = try SubtitleStills(
            asset: URLAsset(location: .file(path: "film.ts"), opener: LateSubtitles()), trackID: 1)
        let film = SyntheticPicture(number: 0, width: 64, height: 36, isFlash: false)
            .pixelBuffer()
        let layer = try stills.layer(
            at: MediaTime(value: tenth, timescale: 10), over: film, width: 64, height: 36)
        #expect((layer != nil) == isShown)
    }
}
