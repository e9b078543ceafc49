// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// Random histories of everything that can be done to a player, on random films.
@Suite struct PlaybackPropertyTests {
    private static let eventsInHistory = 60

    /// How many events are tried; `PLAYHEAD_PROPERTY_EVENTS` sets another number, and
    /// `PLAYHEAD_PROPERTY_SEED` the first seed.
    private static var eventCount: Int { number("PLAYHEAD_PROPERTY_EVENTS") ?? 3000 }
    private static var firstSeed: Int { number("PLAYHEAD_PROPERTY_SEED") ?? 1 }

    private static func number(_ variable: String) -> Int? {
        getenv(variable).flatMap { Int(String(cString: $0)) }
    }

    @Test func `the engine answers like the model after any history`() {
        let last = Self.firstSeed + max(1, Self.eventCount / Self.eventsInHistory)
        var failures = 0
        for seed in Self.firstSeed..<last where failures < 3 {
            let history = RandomHistory(seed: UInt64(seed), count: Self.eventsInHistory)
            guard let failure = history.firstFailure() else { continue }
            failures += 1
            Issue.record(Comment(rawValue: history.report(failure, seed: seed)))
        }
    }
}

/// A film and what is done while it plays.
struct RandomHistory {
    let film: RandomFilm
    let events: [PlaybackEvent]

    init(seed: UInt64, count: Int) {
        var random = SeededGenerator(seed: seed)
        let film = RandomFilm(using: &random)
        self.film = film
        let takers = PlaybackEvent.outputs.map { PlaybackEvent.add(output: $0) }
        events = takers + (0..<count).map { _ in PlaybackEvent.random(in: film, using: &random) }
    }

    /// The events up to the first after which engine and model differ, and how.
    struct Failure {
        var events: [PlaybackEvent]
        var description: String
    }

    /// Runs the history, with more patience than a machine that is merely busy needs.
    func firstFailure() -> Failure? { firstFailure(of: events, patienceSeconds: 20) }

    private func firstFailure(of events: [PlaybackEvent], patienceSeconds: Int64) -> Failure? {
        var done: [PlaybackEvent] = []
        do {
            let playback = try ModelledPlayback(film, patienceSeconds: patienceSeconds)
            for event in events {
                done.append(event)
                try playback.run(event)
            }
            return nil
        } catch {
            return Failure(events: done, description: "\(error)")
        }
    }

    /// Leaves out all events that the failure does not need.
    private func shrunk(_ failure: Failure) -> Failure {
        var failure = failure
        var index = failure.events.count - 1
        while index >= 0 {
            var events = failure.events
            events.remove(at: index)
            if let smaller = firstFailure(of: events, patienceSeconds: 1) { failure = smaller }
            index = min(index, failure.events.count) - 1
        }
        return failure
    }

    func report(_ failure: Failure, seed: Int) -> String {
        let small = shrunk(failure)
        let media = film.media
        return """
            seed \(seed): \(small.description)
            frames: \(media.frameTimes.map { "\($0.count), \($0.nominalFrameDuration)" } ?? ""), \
            keyframe interval \(media.keyframeInterval), \(media.bidirectionalFrames) B-frames, \
            without time \(media.faults.framesWithoutTime.sorted()), \
            missing \(media.faults.missingFrames.sorted()), \
            undecodable \(media.faults.undecodableFrames.sorted()), sound \(media.sounds.first?.duration as Any)
            \(small.events.map { "    \($0)" }.joined(separator: "\n"))
            at first: \(failure.description)
            """
    }
}
