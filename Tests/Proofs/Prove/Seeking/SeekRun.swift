// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadThreads
import PlayheadUI

/// Our player with an open and paused video, for exact seeks that are measured.
final class SeekRun {
    private static let deadline: Int64 = 60_000_000_000

    private let item: PlayerItem
    private let output = PlayerItemVideoOutput()
    private let player: Player

    init(film: String) throws {
        item = PlayerItem(asset: URLAsset(film))
        item.add(output)
        player = Player(playerItem: item, audioSink: nil)
        _ = try seek(to: 0)
    }

    deinit { player.replaceCurrentItem(with: nil) }

    /// Seeks exactly and waits until the output has the frame; returns the frame's time.
    func seek(to seconds: Double) throws -> Double {
        let frame = (seconds * SeekFilm.framesPerSecond).rounded()
        let time = MediaTime(value: Int64(frame), timescale: Int32(SeekFilm.framesPerSecond))
        let landed = Monitor<Bool?>(nil)
        item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { done in
            landed.change { $0 = done }
        }
        guard landed.wait(nanoseconds: Self.deadline, until: { $0 }) == true,
            output.hasNewPixelBuffer(forItemTime: item.currentTime),
            let (_, shown) = output.copyPixelBuffer(forItemTime: item.currentTime)
        else { throw CannotProve("a seek to \(time) does not land") }
        return shown.seconds
    }
}

/// The durations of seeks, and their processor time.
struct SeekTimes {
    /// The pause between two seeks, in which the players finish the work of the last one, in
    /// microseconds.
    private static let rest: UInt32 = 250_000

    private(set) var milliseconds: [Double] = []
    private(set) var processorSeconds = 0.0

    var sample: Sample { Sample(milliseconds) }

    mutating func measure(_ target: Double, _ seek: (Double) throws -> Double) throws {
        usleep(Self.rest)
        let (start, cost) = (HostClock.nanoseconds, Machine.ownSeconds)
        let shown = try seek(target)
        milliseconds.append(Double(HostClock.nanoseconds - start) / 1e6)
        processorSeconds += Machine.ownSeconds - cost
        guard abs(shown - target) < 0.5 / SeekFilm.framesPerSecond else {
            throw CannotProve("a seek to \(target) shows \(shown)")
        }
    }
}
