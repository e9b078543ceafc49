// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadTime

/// Random media and a sequence of events during its playback.
///
/// - Concurrency: any thread; histories may run concurrently.
package final class RandomHistory: Sendable {
    /// The number of events, not counting those that add outputs.
    package static let length = 60

    package let seed: UInt64
    private let film: RandomFilm
    private let events: [PlaybackEvent]

    package init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let film = RandomFilm(using: &random)
        self.seed = seed
        self.film = film
        let takers = PlaybackEvent.outputs.map { PlaybackEvent.add(output: $0) }
        events =
            takers
            + (0..<Self.length).map { _ in PlaybackEvent.random(in: film, using: &random) }
    }

    /// The events up to the first one after which engine and model differ, and the difference.
    package struct Failure: Sendable {
        var events: [PlaybackEvent]
        var description: String
    }

    /// Runs the history, with a longer wait than a busy machine needs.
    package func firstFailure() -> Failure? { firstFailure(of: events, patienceSeconds: 60) }

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

    /// Removes all events that the failure does not need.
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

    /// Returns the media and the shortest sequence of events that still shows a failure.
    package func report(_ failure: Failure) -> String {
        let small = shrunk(failure)
        let media = film.media
        return """
            seed \(seed): \(small.description)
            frames: \(media.frameTimes.map { "\($0.count), \($0.nominalFrameDuration)" } ?? ""), \
            keyframe interval \(media.keyframeInterval), \(media.bidirectionalFrames) B-frames, \
            without time \(media.faults.framesWithoutTime.sorted()), \
            missing \(media.faults.missingFrames.sorted()), \
            undecodable \(media.faults.undecodableFrames.sorted()), audio \(media.sounds.first?.duration as Any)
            \(small.events.map { "    \($0)" }.joined(separator: "\n"))
            at first: \(failure.description)
            """
    }
}
