// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

/// Videos whose first frame is shown seconds after 0: containers state either their length or their
/// end.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct LateFilmTests {
    private static func clip(
        _ container: String, from second: Int, hasSound: Bool
    ) -> SyntheticClip {
        let duration = MediaTime(value: 3, timescale: 1)
        let media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 10, duration: duration),
            sounds: hasSound
                ? [
                    SyntheticSound(
                        .tone(500), format: .stereo(sampleRate: 48_000), duration: duration)
                ]
                : [])
        let codec = container == "asf" ? "mpeg4" : "libx264"
        return SyntheticClip(
            media, videoCodec: codec, container: container,
            options: ["-output_ts_offset", "\(second)"])
    }

    @Test(arguments: ["mp4", "mov", "mkv", "flv", "ts", "nut", "asf"], [0, 5])
    func `the duration extends to the end of the last track`(
        container: String, second: Int
    ) throws {
        for hasSound in [false, true] {
            let clip = Self.clip(container, from: second, hasSound: hasSound)
            let demuxer = try Opening.demuxer(clip.url().path)
            let description = demuxer.description
            var (start, end) = (MediaTime.positiveInfinity, MediaTime.negativeInfinity)
            while let packet = try demuxer.readPacket() {
                guard packet.presentationTime.isNumeric else { continue }
                start = min(start, packet.presentationTime)
                end = max(end, packet.presentationTime + max(packet.duration, .zero))
            }
            // Not all of them contain the duration of the last packet.
            #expect(abs((description.end - end).seconds) < 0.15, "\(description.end), not \(end)")
            #expect(description.end == description.startTime + description.duration)
            #expect(abs((description.startTime - start).seconds) < 0.05)
            #expect(abs(description.duration.seconds - 3) < 0.25, "\(description.duration)")
            for range in description.tracks.map(\.timeRange) where range.duration.isNumeric {
                #expect(abs((range.end - end).seconds) < 0.25)
            }
        }
    }
}
