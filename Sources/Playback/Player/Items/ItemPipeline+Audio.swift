// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadThreads
import PlayheadTime

/// Audio tracks that play in addition to the selected one.
extension ItemPipeline {
    /// The audio tracks that play in addition to the selected one.
    struct FurtherAudio {
        /// The feeds of the tracks, in the order in which their samples are added up.
        var feeds: [AudioFeed] = []
        /// The tracks that are waiting for the demuxer.
        var requested: [AssetTrack] = []
        /// A Boolean value that indicates whether the demuxer was interrupted for these tracks.
        var hasInterrupted = false
        /// The feeds that a new selection has ended. They are kept until their renderers are
        /// invalidated.
        var ended: [AudioFeed] = []
        var laneCount = 0
        /// Creates the sink of a track; nil if the player has no audio.
        var makeSink: (@Sendable (Int) -> (any AudioSink)?)?
    }

    /// Performs an action on the audio tracks other than the selected one. The lock is held.
    func performFurtherAudio(_ action: TransportAction, _ control: inout Control) {
        switch action {
        case .setFurtherAudio(let track, let isEnabled):
            if let feed = control.further.feeds.first(where: { $0.track.id == track.id }) {
                feed.renderer.isMuted = !isEnabled
            } else if isEnabled {
                request(track, &control)
            }
        case .endFurtherAudio:
            // The timeline may start again before their threads have ended.
            for feed in control.further.feeds { feed.renderer.pause() }
            control.further.ended += control.further.feeds
            control.further.feeds = []
            control.further.requested.removeAll { $0.mediaType == .audio }
        default: break
        }
    }

    /// Ends the threads of tracks that no longer play. This unprepares taps, so the lock of
    /// `control` is not held during the call.
    func disposeOfEndedAudio() {
        let ended = control.withLock { control -> [AudioFeed] in
            defer { control.further.ended = [] }
            return control.further.ended
        }
        for feed in ended {
            packets.removeLane(feed.lane)
            feed.renderer.invalidate()
        }
    }

    /// The time from which a newly added audio track needs packets. It is before the playhead,
    /// because the decoder needs some earlier packets.
    var earliestNeededAudio: MediaTime {
        control.withLock { control in
            let time = control.seek?.target ?? timebase.time
            let heard = control.renderer?.soundTime(at: time) ?? time
            return max(min(time, heard) - PacketQueue.preroll, .zero)
        }
    }

    func addAudio(_ tracks: [(AssetTrack, any AudioDecoder)]) -> [Int: AddedLane] {
        var lanes: [Int: AddedLane] = [:]
        for (track, decoder) in tracks {
            guard let feed = makeFeed(track) else { continue }
            lanes[feed.lane] = AddedLane(track: track.id) {
                _ = WorkerThread(name: "ph-audio") {
                    AudioDecodeLoop(
                        host: feed, lane: feed.lane, decoder: decoder,
                        decoders: [feed.lane: decoder], renderer: feed.renderer
                    ).run()
                }
            }
        }
        applyAudioMix()
        return lanes
    }

    private func makeFeed(_ track: AssetTrack) -> AudioFeed? {
        control.change { control in
            // The lock is held, as for the selected track, because the item may be closed at the
            // same time.
            let tracks = control.transport.tracks
            guard control.isAlive,
                let further = tracks.further.first(where: { $0.track.id == track.id }),
                let first = control.renderer, let sink = control.further.makeSink?(track.id)
            else { return nil }
            let renderer = AudioRenderer(sink: sink, timebase: timebase)
            renderer.volume = control.volume
            renderer.isMuted = !further.isEnabled
            renderer.timePitchAlgorithm = control.timePitchAlgorithm
            renderer.endTime = first.endTime
            renderer.reverseEndTime = first.reverseEndTime
            renderer.startTime = first.startTime
            if control.isRunning { renderer.resume() }
            control.further.laneCount += 1
            let feed = AudioFeed(
                track, lane: -control.further.laneCount, renderer: renderer, pipeline: self)
            let feeds = control.further.feeds
            control.further.feeds.insert(
                feed, at: feeds.firstIndex { $0.track.id > track.id } ?? feeds.endIndex)
            return feed
        }
    }

    func cannotAdd(_ track: AssetTrack, _ error: MediaError) {
        report(error, track: track.id)
        post(
            track.mediaType == .video
                ? .furtherVideoFailed(track: track.id) : .furtherAudioFailed(track: track.id))
        post(.look)
    }

    /// Records an error of a track. The other tracks continue to play.
    func report(_ error: MediaError, track: Int) {
        report(error)
        control.withLock { $0.trackErrors[track] = error }
    }
}

extension ItemPipeline.Control {
    /// A Boolean value that indicates whether an enabled audio track other than the selected one
    /// waits for the demuxer, which creates its decoder.
    var isAddingAudio: Bool {
        guard renderer != nil, further.makeSink != nil else { return false }
        return transport.tracks.further.contains { track in
            track.isEnabled && !further.feeds.contains { $0.track.id == track.track.id }
        }
    }

    /// Removes and returns the tracks that the demuxer has to add. A track that was enabled again
    /// while the demuxer added it has a feed by now, and is not added twice.
    mutating func takeRequestedTracks() -> [AssetTrack] {
        defer { further.requested = [] }
        let added = further.feeds.map(\.track.id) + videoFeeds.map(\.track.id)
        return further.requested.filter { !added.contains($0.id) }
    }

    /// All renderers, in the order in which their samples are added up.
    var renderers: [AudioRenderer] {
        (renderer.map { [$0] } ?? []) + further.feeds.map(\.renderer)
    }
}
