// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead
import PlayheadThreads

/// One round of exact seeks by a player: how long each took, in milliseconds.
enum SeekRun {
    /// Between two seeks, for both players to finish what the last one has begun.
    private static let rest: UInt32 = 100_000
    private static let deadline: Int64 = 60_000_000_000

    static func ours(_ film: String, _ targets: [Double]) throws -> [Double] {
        let item = PlayerItem(asset: URLAsset(film))
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil)
        defer { player.replaceCurrentItem(with: nil) }
        _ = try seek(item, output, to: .zero)
        return try targets.map { target in
            usleep(rest)
            let frame = (target * SeekFilm.framesPerSecond).rounded()
            let time = MediaTime(
                value: Int64(frame), timescale: Int32(SeekFilm.framesPerSecond))
            let (seconds, shown) = try seek(item, output, to: time)
            guard shown == time else { throw CannotProve("a seek to \(time) shows \(shown)") }
            return seconds * 1000
        }
    }

    private static func seek(
        _ item: PlayerItem, _ output: PlayerItemVideoOutput, to time: MediaTime
    ) throws -> (seconds: Double, shown: MediaTime) {
        let landed = Monitor<Bool?>(nil)
        let start = HostClock.nanoseconds
        item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { done in
            landed.change { $0 = done }
        }
        guard landed.wait(nanoseconds: deadline, until: { $0 }) == true,
            output.hasNewPixelBuffer(forItemTime: item.currentTime)
        else { throw CannotProve("a seek to \(time) does not land") }
        let seconds = Double(HostClock.nanoseconds - start) / 1e9
        guard let (_, shown) = output.copyPixelBuffer(forItemTime: item.currentTime) else {
            throw CannotProve("a seek to \(time) has no picture")
        }
        return (seconds, shown)
    }

    static func theirs(_ film: String, _ targets: [Double]) throws -> [Double] {
        let library = try MPVLibrary(film: film)
        return try targets.map { target in
            usleep(rest)
            // A little into the frame, so that rounding does not make it the one before.
            let start = HostClock.nanoseconds
            let shown = try library.seek(to: target + 0.001)
            let milliseconds = Double(HostClock.nanoseconds - start) / 1e6
            guard abs(shown - target) < 0.5 / SeekFilm.framesPerSecond else {
                throw CannotProve("libmpv's seek to \(target) shows \(shown)")
            }
            return milliseconds
        }
    }
}
