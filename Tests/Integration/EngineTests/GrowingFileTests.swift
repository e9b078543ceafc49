// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadUI
import Testing

@testable import PlayheadPlayback

/// A player of a file that the test is still writing, on a manual clock.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct GrowingFileTests {
    @Test(arguments: ["ts", "mkv", "mp4"])
    func `playback waits where the file ends for now, and ends after its writer has closed it`(
        container: String
    ) throws {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 10, duration: MediaTime(value: 10, timescale: 1)))
        media.sounds = []
        media.height = 240
        media.keyframeInterval = 10
        let options: [String: [String]] = [
            "mkv": ["-cluster_time_limit", "1000"],
            "mp4": ["-movflags", "frag_keyframe+empty_moov+default_base_moof"],
        ]
        let clip = SyntheticClip(media, container: container, options: options[container] ?? [])
        let bytes = try Data(contentsOf: clip.url())
        let folder = TemporaryFolder()
        let url = folder.appending("recording.\(container)")
        try bytes.prefix(bytes.count * 4 / 10).write(to: url)
        let writer = try FileHandle(forWritingTo: url)
        try writer.seekToEnd()

        let clock = ManualClock(time: MediaTime(value: 100, timescale: 1))
        let item = PlayerItem(asset: URLAsset(url: url))
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        defer { player.replaceCurrentItem(with: nil) }
        player.automaticallyWaitsToMinimizeStalling = false
        func waitUntil(_ condition: (ItemPipeline.Control) -> Bool) {
            item.pipeline.control.wait { control -> Bool? in
                if case .failed = control.phase { return true }
                return condition(control) ? true : nil
            }
        }
        /// Advances the clock by a tenth of a second as soon as the timeline stops on the way if it
        /// has to, however slow the machine: the media up to there has been decoded, or the timer
        /// at its end is set.
        func advance() {
            let step = MediaTime(value: 1, timescale: 10)
            while !item.pipeline.control.withLock({ control in
                let time = item.currentTime
                guard control.isRunning, control.videoEnd == nil, let track = control.videoTrack
                else { return true }
                let end = item.pipeline.frames.end
                if end.isNumeric, end > time + step { return true }
                return item.pipeline.packets.isDry(lane: track.id)
                    && control.transfer?.isSlow == true && control.buffering.alarm > time
            }) {
                usleep(1000)
            }
            clock.advance(by: step)
        }
        var frames: [Int] = []
        func play(until end: Double) throws {
            while item.currentTime.seconds < end {
                let isAtEnd = item.hasPlayedToEnd
                if isAtEnd { return }
                clock.advance(by: MediaTime(value: 1, timescale: 20))
                let shown = output.copyPixelBuffer(forItemTime: item.currentTime)
                if let number = shown.flatMap({ FrameNumberStrip.read(from: $0.0) }),
                    number != frames.last
                {
                    frames.append(number)
                }
                usleep(2000)
            }
        }

        player.play()
        waitUntil { $0.isRunning }
        let first = try eventually("the duration for now") {
            let seconds = item.duration.seconds
            return seconds > 2 && seconds < 5 ? seconds : nil
        }
        try eventually("the seekable range") {
            item.seekableTimeRanges.first?.duration == item.duration
        }
        // The timeline stops where the file ends.
        try eventually("a stop at the end for now") {
            advance()
            let dryness = item.pipeline.control.withLock { $0.buffering.dryness }
            // A slow machine may also hold earlier, until it has read on.
            return dryness != nil && item.currentTime.seconds > 2
        }
        let stop = item.currentTime.seconds
        #expect(stop > 2 && stop < 5.2, "\(stop)")
        #expect(!item.hasPlayedToEnd)
        try writer.write(contentsOf: bytes.suffix(from: bytes.count * 4 / 10))
        waitUntil { $0.isRunning }
        try play(until: stop + 2)
        try eventually("a longer duration") { item.duration.seconds > first + 1 }
        #expect(zip(frames, frames.dropFirst()).allSatisfy { $1 > $0 })
        try writer.close()
        try eventually("the end") {
            clock.advance(by: MediaTime(value: 1, timescale: 10))
            return item.hasPlayedToEnd
        }
        #expect(abs(item.duration.seconds - 10) < 0.2, "\(item.duration.seconds)")
        #expect(item.lastDecodingError == nil)
    }
}
