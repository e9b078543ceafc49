// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadThreads
import PlayheadUI

/// A video whose samples are their own numbers, played once in real time, and a record of all its
/// frames and samples that were shown and heard.
struct StallRun {
    /// The timeline and the frame at a moment of the host clock.
    private struct Look {
        var hostTime: Int64
        var itemTime: MediaTime
        var rate: Double
        var frame: Int?
    }

    let name: String
    let stalls: Int
    let events: Int
    /// The time from the call to play to the end, and the part of it in which the timeline was
    /// stopped.
    private(set) var seconds = 0.0
    private(set) var standingSeconds = 0.0
    let hasEnded: Bool
    private let looks: [Look]
    private let runs: [CapturedAudio]
    private let media: SyntheticMedia

    private static let lookInterval: UInt32 = 4_000

    /// Plays a video to its end.
    ///
    /// - Parameters:
    ///   - waits: whether the player waits to minimize stalling.
    ///   - atLook: called with the item's time, every few milliseconds.
    init(
        _ name: String, _ asset: Asset, of media: SyntheticMedia, deadline: Double,
        waits: Bool = true, atLook: (MediaTime) -> Void = { _ in }
    ) {
        self.name = name
        self.media = media
        let item = PlayerItem(asset: asset)
        let output = PlayerItemVideoOutput()
        item.add(output)
        let sink = CaptureAudioSink()
        let player = Player(playerItem: item, audioSink: sink)
        player.automaticallyWaitsToMinimizeStalling = waits
        let counter = Monitor(0)
        let token = item.observeEvents { if $0 == .playbackStalled { counter.change { $0 += 1 } } }
        let start = HostClock.nanoseconds
        player.play()
        var looks: [Look] = []
        var standing: Int64 = 0
        while !item.hasPlayedToEnd, item.error == nil,
            Double(HostClock.nanoseconds - start) / 1e9 < deadline
        {
            let now = HostClock.nanoseconds
            let rate = item.timebase.rate
            let time = item.timebase.time(atHostTime: MediaTime(nanoseconds: now))
            let frame = output.copyPixelBuffer(forItemTime: time).flatMap {
                FrameNumberStrip.read(from: $0.0)
            }
            // A change during the look makes its result unknown.
            if item.timebase.rate == rate,
                item.timebase.time(atHostTime: MediaTime(nanoseconds: now)) == time
            {
                looks.append(Look(hostTime: now, itemTime: time, rate: rate, frame: frame))
            }
            if rate == 0 { standing += Int64(Self.lookInterval) * 1000 }
            atLook(time)
            usleep(Self.lookInterval)
        }
        seconds = Double(HostClock.nanoseconds - start) / 1e9
        standingSeconds = Double(standing) / 1e9
        hasEnded = item.hasPlayedToEnd
        stalls = item.statistics.stalls
        player.pause()
        token.cancel()
        events = counter.withLock { $0 }
        runs = sink.runs
        self.looks = looks
    }

    /// Returns the number of looks while the video played, and descriptions of those that found a
    /// wrong frame. A frame within `tolerance` is not wrong, because the thread that stops the
    /// timeline is slightly late.
    func frames(tolerance: MediaTime) -> (looks: Int, wrong: [String]) {
        let running = looks.filter { $0.rate != 0 && $0.itemTime < media.duration }
        let wrong = running.filter { look in
            let due = [-tolerance, tolerance].map {
                media.frameTimes?.index(at: max(look.itemTime + $0, .zero))
            }
            return !due.contains(look.frame)
        }
        return (
            running.count, wrong.map { "\($0.frame.map(String.init) ?? "none") at \($0.itemTime)" }
        )
    }

    /// The number of frames of the video that were seen.
    var framesSeen: Int { Set(looks.compactMap(\.frame)).count }

    /// The recorded audio: the total number of samples, the number that was dropped or repeated at
    /// each break, and for each stretch between two silences its offset from the timeline, in
    /// milliseconds.
    var sound: (samples: Int, breaks: [Int], offsets: [Double]) {
        var (count, last) = (0, 0)
        var breaks: [Int] = []
        var offsets: [Double] = []
        for run in runs {
            var isSounding = false
            for index in stride(from: 0, to: run.samples.count, by: 2) {
                let sample = run.samples[index]
                defer { isSounding = sample != 0 }
                guard sample != 0 else { continue }
                let number = Int((sample * Float(1 << 22)).rounded())
                if number != last + 1 { breaks.append(number - last - 1) }
                last = number
                count += 1
                guard !isSounding else { continue }
                let hostTime = run.clockTime + Int64(Double(index / 2) / 48_000 * 1e9)
                if let due = itemTime(atHostTime: hostTime) {
                    offsets.append((Double(number) / 48_000 - due) * 1000)
                }
            }
        }
        return (count, breaks, offsets)
    }

    /// Returns the time of the timeline at a host time, computed from the first later look at which
    /// the timeline ran.
    private func itemTime(atHostTime hostTime: Int64) -> Double? {
        guard let look = looks.first(where: { $0.hostTime >= hostTime && $0.rate != 0 }),
            look.hostTime - hostTime < 100_000_000
        else { return nil }
        return look.itemTime.seconds - Double(look.hostTime - hostTime) / 1e9 * look.rate
    }
}
