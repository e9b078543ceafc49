// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import PlayheadThreads
import PlayheadUI

/// A movement of the pointer along the timeline.
struct ScrubGesture: Sendable {
    var name: String
    /// The target as a share of the video, for a share of the gesture from 0 to 1.
    var position: @Sendable (Double) -> Double
    /// The share of the gesture after which frames count.
    var beginning = 0.0
    /// The limits: new frames a second, and the longest time without one, in seconds.
    var leastPictures = 20.0
    var longestGap = Double.infinity

    static let all = [
        ScrubGesture(name: "forward over the video") { $0 * 0.98 },
        ScrubGesture(name: "there and back") { 0.98 * (1 - abs(2 * $0 - 1)) },
        ScrubGesture(name: "back over the video") { 0.98 * (1 - $0) },
        // Back and forth about a keyframe, and within a GOP: the targets are 27 different frames a
        // second, and half of them are before the position of the decoder.
        ScrubGesture(name: "to and fro over 36 frames") { 0.4 + 0.03 * sin($0 * 12) },
        ScrubGesture(name: "to and fro within a group") { 0.3 + 0.03 * sin($0 * 12) },
        // The same, at up to 54 different frames a second. The first pass over the frames ends when
        // the sine is at its minimum, at 3π/2.
        ScrubGesture(
            name: "to and fro, after the first pass", position: { 0.3 + 0.03 * sin($0 * 24) },
            beginning: 0.2, leastPictures: 30, longestGap: 0.2),
        ScrubGesture(name: "back over a group") { 0.41 * (1 - $0) },
    ]
}

/// A gesture on a paused player, at 60 targets a second, and the frames that a display of 60 Hz
/// shows meanwhile.
enum ScrubRun {
    struct Result {
        var picturesPerSecond = 0.0
        /// The longest time without a new frame, in seconds.
        var longestGap = 0.0
        /// The time from the last target until its frame is available, in seconds.
        var settling = 0.0
        var isExact = false
        var targets = 0
        var completions = 0
    }

    private static let seconds = 5.0
    private static let period: Int64 = 1_000_000_000 / 60

    private static func sleep(until nanoseconds: Int64) {
        var time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }

    static func run(_ film: String, _ gesture: ScrubGesture) throws -> Result {
        let item = PlayerItem(asset: URLAsset(film))
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil)
        defer { player.replaceCurrentItem(with: nil) }
        let completions = Monitor<(count: Int, landed: Int)>((0, 0))
        var result = Result()
        var shown: MediaTime?
        var pictures = 0
        func look() {
            guard output.hasNewPixelBuffer(forItemTime: item.currentTime),
                let (_, time) = output.copyPixelBuffer(forItemTime: item.currentTime)
            else { return }
            if time != shown { pictures += 1 }
            shown = time
        }
        func seek(to target: MediaTime) {
            result.targets += 1
            item.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero) { landed in
                completions.change { state in
                    state.count += 1
                    if landed { state.landed += 1 }
                }
            }
        }
        seek(to: MediaTime(value: 0, timescale: 1))
        _ = completions.wait(nanoseconds: 60_000_000_000) { $0.count > 0 ? true : nil }
        look()
        pictures = 0
        let start = HostClock.nanoseconds
        // The time from which frames count.
        var begin = start
        var lastNew = start
        var target = MediaTime.zero
        let first = Int64(gesture.beginning * seconds * 60)
        for tick in 0..<Int64(seconds * 60) {
            if tick == first {
                pictures = 0
                begin = HostClock.nanoseconds
                lastNew = begin
                result.longestGap = 0
            }
            sleep(until: start + tick * period)
            let position = gesture.position(Double(tick) / (seconds * 60))
            let frame = (position * Double(SeekFilm.frameCount)).rounded()
            let next = MediaTime(
                value: Int64(frame), timescale: Int32(SeekFilm.framesPerSecond))
            // A pointer that has not moved far enough for another frame requests none.
            if next != target { seek(to: next) }
            target = next
            sleep(until: start + tick * period + period / 2)
            let before = pictures
            look()
            if pictures > before { lastNew = HostClock.nanoseconds }
            let gap = Double(HostClock.nanoseconds - lastNew) / 1e9
            result.longestGap = max(result.longestGap, gap)
        }
        let end = HostClock.nanoseconds
        result.picturesPerSecond = Double(pictures) / (Double(end - begin) / 1e9)
        let targets = result.targets
        _ = completions.wait(nanoseconds: 60_000_000_000) { $0.count >= targets ? true : nil }
        result.settling = Double(HostClock.nanoseconds - end) / 1e9
        look()
        result.isExact = shown == target
        result.completions = completions.withLock { $0.count }
        return result
    }
}
