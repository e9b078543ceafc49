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

    /// Runs the history, with a longer wait than a busy machine needs. Adds what has happened.
    package func firstFailure(adding tally: inout PlaybackTally) -> Failure? {
        firstFailure(of: events, patienceSeconds: 60, &tally)
    }

    private func firstFailure(
        of events: [PlaybackEvent], patienceSeconds: Int64, _ tally: inout PlaybackTally
    ) -> Failure? {
        var done: [PlaybackEvent] = []
        do {
            let playback = try ModelledPlayback(film, patienceSeconds: patienceSeconds)
            defer { tally += playback.tally }
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
        var tally = PlaybackTally()
        var index = failure.events.count - 1
        while index >= 0 {
            var events = failure.events
            events.remove(at: index)
            let smaller = firstFailure(of: events, patienceSeconds: 2, &tally)
            if let smaller { failure = smaller }
            index = min(index, failure.events.count) - 1
        }
        return failure
    }

    /// Returns the media and the shortest sequence of events that still shows a failure.
    package func report(_ failure: Failure) -> String {
        let small = shrunk(failure)
        let media = film.media
        let videos = media.furtherVideos.map { video in
            "\(video.frameTimes.count), \(video.frameTimes.nominalFrameDuration), "
                + "keyframe interval \(video.keyframeInterval), index \(video.hasIndex)"
        }
        return """
            seed \(seed): \(small.description)
            \(film.kind), arrived before \(film.arrived)
            frames: \(media.frameTimes.map { "\($0.count), \($0.nominalFrameDuration)" } ?? ""), \
            keyframe interval \(media.keyframeInterval), \(media.bidirectionalFrames) B-frames, \
            without time \(media.faults.framesWithoutTime.sorted()), \
            missing \(media.faults.missingFrames.sorted()), \
            undecodable \(media.faults.undecodableFrames.sorted())
            further video: \(videos), \(film.shownVideos) shown
            audio: \(media.sounds.map { "\($0.duration)" })
            \(small.events.map { "    \($0)" }.joined(separator: "\n"))
            at first: \(failure.description)
            """
    }
}
