// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

/// The positions to which demuxers seek. Keyframes are every 10 frames, at thirds of a second.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct DemuxerSeekingTests {
    private static let film: SyntheticMedia = {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 30, duration: MediaTime(value: 4, timescale: 1)))
        media.keyframeInterval = 10
        media.bidirectionalFrames = 2
        return media
    }()

    private static func frames(_ count: Int64) -> MediaTime {
        MediaTime(value: count, timescale: 30)
    }

    /// Returns the number of the first keyframe that comes after a seek.
    private func keyframe(_ demuxer: any Demuxer) throws -> Int64 {
        let track = try #require(demuxer.description.preferredTrack(of: .video))
        while let packet = try demuxer.readPacket() {
            guard packet.trackID == track.id, packet.isKeyframe else { continue }
            let start = demuxer.description.tracks.first { $0.id == track.id }?.timeRange.start
            let offset = packet.presentationTime - (start ?? .zero)
            return offset.converted(toTimescale: 30, method: .roundHalfAwayFromZero).value
        }
        return -1
    }

    @Test(arguments: ["mp4", "mkv", "ts"])
    func `a seek lands on the previous keyframe, or the next if only that is in tolerance`(
        container: String
    ) throws {
        let demuxer = try Opening.demuxer(
            SyntheticClip(Self.film, container: container).url().path)
        let track = try #require(demuxer.description.preferredTrack(of: .video))
        let start = track.timeRange.start
        func seek(_ target: Int64, _ before: Int64, _ after: Int64) throws -> (Bool, Int64) {
            let time = start + Self.frames(target)
            let isLate = try demuxer.seek(
                to: time, notBefore: time - Self.frames(before), notAfter: time + Self.frames(after)
            )
            return (isLate, try keyframe(demuxer))
        }
        #expect(try seek(57, 7, 100) == (false, 50))
        #expect(try seek(57, 6, 2) == (false, 50))
        #expect(try seek(119, 2, 100) == (false, 110))
        let late = try seek(57, 6, 3)
        // Without an index, the next keyframe is unknown.
        #expect(late == (true, 60) || (container == "ts" && late == (false, 50)))
        #expect(try seek(3, 0, 100) == (true, 10) || container == "ts")
        for time in [MediaTime(value: .max, timescale: 1), .negativeInfinity] {
            try demuxer.seek(to: time)
            #expect(try keyframe(demuxer) >= 0)
        }
    }
}
