// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadUI
import Testing

/// A video that is replaced by another, and controlled as soon as possible: played, paused, sought.
@Suite(.serialized, .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct FreshSeekTests {
    private static let rounds = 12

    private static let film: SyntheticClip = {
        let duration = MediaTime(value: 60, timescale: 1)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration))
        media.keyframeInterval = 45
        media.bidirectionalFrames = 2
        return SyntheticClip(media)
    }()

    @Test func `the target frame is shown, whatever was shown before`() throws {
        let path = try Self.film.url().path
        let player = QueuePlayer(audioSink: NullAudioSink(clock: HostClock.shared))
        let output = PlayerVideoOutput(player: player)
        let presenter: Presenter
        do {
            presenter = try Presenter(
                surface: OffscreenSurface(width: 320, height: 180),
                vsyncs: SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 60)))
        } catch {
            // Without OpenGL no frame can be seen.
            return
        }
        defer { presenter.invalidate() }
        presenter.observe(output)
        presenter.scene = Scene(
            layers: [Layer(.video(output)), Layer(.video(SubtitleOverlay(of: output)))])
        presenter.isPaused = false
        for round in 0..<Self.rounds {
            player.removeAllItems()
            let item = PlayerItem(asset: URLAsset(path))
            player.insert(item, after: nil)
            try eventually("the video to open") { item.status == .readyToPlay }
            player.play()
            player.pause()
            let frame = 300 + round * 97 % 1400
            let time = MediaTime(value: Int64(frame), timescale: 30)
            item.seek(
                to: time + MediaTime(value: 1, timescale: 60), toleranceBefore: .zero,
                toleranceAfter: .zero)
            try eventually("frame \(frame) in round \(round)") {
                presenter.ledger.latestRecords(1).first?.itemTime == time
            }
        }
        player.removeAllItems()
    }
}
