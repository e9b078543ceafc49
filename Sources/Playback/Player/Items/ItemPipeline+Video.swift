// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization

/// Video tracks in addition to the first one, and the outputs that show them.
extension ItemPipeline {
    /// Performs an action on the video tracks other than the first one. The lock is held.
    func performFurtherVideo(_ action: TransportAction, _ control: inout Control) {
        guard case .setFurtherVideo(let track, let isEnabled) = action else { return }
        if let feed = control.videoFeeds.first(where: { $0.track.id == track.id }) {
            feed.isEnabled.store(isEnabled, ordering: .relaxed)
        } else if isEnabled {
            request(track, &control)
        }
    }

    /// Requests that the demuxer adds a track. The lock is held.
    func request(_ track: AssetTrack, _ control: inout Control) {
        guard !control.further.requested.contains(where: { $0.id == track.id }) else { return }
        control.further.requested.append(track)
        control.further.hasInterrupted = true
        packets.interrupt()
    }

    func addVideo(_ tracks: [(AssetTrack, any VideoDecoder)]) -> [Int: AddedLane] {
        var lanes: [Int: AddedLane] = [:]
        for (track, decoder) in tracks {
            guard let feed = makeVideoFeed(track) else { continue }
            lanes[feed.lane] = AddedLane(track: track.id, isVideo: true) {
                _ = WorkerThread(name: "ph-video") {
                    VideoDecodeLoop(host: feed, lane: feed.lane, track: track, decoder: decoder)
                        .run()
                }
            }
        }
        if !lanes.isEmpty { route() }
        return lanes
    }

    private func makeVideoFeed(_ track: AssetTrack) -> VideoFeed? {
        control.change { control in
            // The lock is held, because the item may be closed at the same time.
            guard control.isAlive,
                let further = control.transport.tracks.furtherVideo.first(where: {
                    $0.track.id == track.id
                })
            else { return nil }
            control.further.laneCount += 1
            let description = control.description
            let first = (description?.firstTime ?? .zero) + MediaTime(value: 1, timescale: 10)
            let feed = VideoFeed(
                track, lane: -control.further.laneCount,
                extent: description?.container == "composition" ? .frames : .start(by: first),
                pipeline: self)
            feed.isEnabled.store(further.isEnabled, ordering: .relaxed)
            feed.frames.restart(generation: control.generation, visibleAt: timebase.time)
            feed.frames.setEnd(control.ending.visibleEnd)
            let feeds = control.videoFeeds
            control.videoFeeds.insert(
                feed, at: feeds.firstIndex { $0.track.id > track.id } ?? feeds.endIndex)
            shareMemory(control)
            return feed
        }
    }

    /// Divides the memory for frames among all video tracks. The lock is held.
    func shareMemory(_ control: Control) {
        let share = control.pictureBytes / (1 + control.videoFeeds.count)
        frames.setByteLimit(share / 4, hardLimit: share / 2)
        recentFrames.share(share)
        for feed in control.videoFeeds {
            feed.frames.setByteLimit(share / 4, hardLimit: share / 2)
            feed.recentFrames.share(share)
        }
    }

    /// If the maximum number of video tracks is already enabled, records an error for a track that
    /// could not be enabled.
    func noteTooManyVideoTracks(_ track: AssetTrack) {
        let limit = TrackState.furtherVideoLimit
        control.withLock { control in
            guard control.isAlive, control.transport.tracks.furtherVideo.count >= limit else {
                return
            }
            control.trackErrors[track.id] = MediaError(
                .limitExceeded, subject: asset.displayName,
                cause: "at most \(limit + 1) of its video tracks can be enabled",
                remedy: "disable some of them, or show the others with another player")
        }
    }

    /// The frame queues of all video tracks.
    var frameQueues: [FrameQueue] {
        [frames] + control.withLock { $0.videoFeeds }.map(\.frames)
    }

    // MARK: Outputs

    /// Passes to each output the frames that it shows: those of its track or, if it has no track,
    /// those of the first enabled track.
    func route() {
        routing.withLock { _ in
            let (primary, isDisabled, feeds) = control.withLock {
                ($0.videoTrack, $0.isVideoDisabled, $0.videoFeeds)
            }
            let enabled = feeds.filter { $0.isEnabled.load(ordering: .relaxed) }
            for output in outputs.all {
                if let track = output.trackID, track != primary?.id {
                    output.show(enabled.first { $0.track.id == track }?.frames)
                } else if !isDisabled, output.trackID == nil || primary != nil {
                    output.show(frames)
                } else {
                    output.show(output.trackID == nil ? enabled.first?.frames : nil)
                }
            }
        }
    }

    /// Enables the tracks that outputs show.
    func enableShownTracks() { enableVideo(outputs.all.compactMap(\.trackID)) }

    /// Enables video tracks, by their identifiers. Does nothing before the item is ready.
    func enableVideo(_ identifiers: [Int]) {
        let tracks = control.withLock { $0.description?.tracks } ?? []
        for track in tracks where track.mediaType == .video && identifiers.contains(track.id) {
            setVideoEnabled(true, track: track)
        }
    }
}

extension ItemPipeline.Control {
    /// A Boolean value that indicates whether an enabled video track other than the first one waits
    /// for the demuxer, which creates the track's decoder.
    var isAddingVideo: Bool {
        transport.tracks.furtherVideo.contains { further in
            further.isEnabled && !videoFeeds.contains { $0.track.id == further.track.id }
        }
    }
}
