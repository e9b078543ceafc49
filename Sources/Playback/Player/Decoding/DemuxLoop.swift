// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// The loop of an item's demuxing thread. It opens the asset, starts the decoding threads, reads
/// packets, and seeks in the asset.
struct DemuxLoop {
    let host: any DecodingHost

    func run(_ configuration: DecodingConfiguration) {
        do {
            let demuxer = try host.openDemuxer()
            demuxer.followGrowth()
            host.adopt(demuxer)
            let tracks = try openTracks(of: demuxer, configuration)
            if start(tracks, description: demuxer.description) {
                learnKeyframes(of: demuxer)
                read(demuxer, format: configuration.audioSink?.format)
            }
        } catch {
            host.fail(error)
        }
    }

    private func openTracks(
        of demuxer: any Demuxer, _ configuration: DecodingConfiguration
    ) throws(MediaError) -> OpenedTracks {
        var tracks = OpenedTracks()
        let description = demuxer.description
        if configuration.playsVideo { openVideo(of: demuxer, &tracks) }
        if let sink = configuration.audioSink, configuration.playsAudio,
            let track = audioTrack(of: description, index: configuration.audioTrackIndex)
        {
            do {
                let decoder = try demuxer.makeAudioDecoder(for: track, format: sink.format)
                tracks.audio = (track, decoder, sink)
                // The decoders are created now, because the demuxer is busy later.
                for other in description.tracks(of: .audio).prefix(Self.audioTrackLimit) {
                    tracks.audioDecoders[other.id] =
                        other.id == track.id
                        ? decoder : try? demuxer.makeAudioDecoder(for: other, format: sink.format)
                }
                tracks.audioDecoders[track.id] = decoder
            } catch {
                tracks.error = tracks.error ?? error
            }
        }
        let hasSound = !description.tracks(of: .audio).isEmpty
        if tracks.video == nil, tracks.audio == nil, !(hasSound && tracks.error == nil) {
            throw tracks.error
                ?? MediaError(
                    .noPlayableTracks, subject: host.asset.displayName,
                    cause: "it has neither video nor audio",
                    remedy: "choose a file that holds video or audio")
        }
        demuxer.selectTracks(
            Set([tracks.video?.track.id, tracks.audio?.track.id].compactMap { $0 }))
        return tracks
    }

    /// Opens the preferred video track or, if it has no decoder, the first video track that has
    /// one.
    private func openVideo(of demuxer: any Demuxer, _ tracks: inout OpenedTracks) {
        let preferred = demuxer.description.preferredTrack(of: .video)
        let others = demuxer.description.tracks(of: .video).filter {
            $0.id != preferred?.id && !$0.isAttachedPicture
        }
        for track in [preferred].compactMap({ $0 }) + others {
            do throws(MediaError) {
                tracks.video = (
                    track, try demuxer.makeVideoDecoder(for: track, pool: host.framePool)
                )
                return
            } catch {
                tracks.error = tracks.error ?? error
                if !others.isEmpty { host.report(error, track: track.id) }
            }
        }
    }

    /// The maximum number of audio decoders, which exceeds the number of languages in a file. Each
    /// decoder takes some memory.
    private static let audioTrackLimit = 32

    private func audioTrack(of description: AssetDescription, index: Int?) -> AssetTrack? {
        let tracks = description.tracks(of: .audio)
        let chosen = host.chosenAudioTrack
        if let track = tracks.first(where: { $0.id == chosen }) { return track }
        guard let index else { return description.preferredTrack(of: .audio) }
        return tracks.indices.contains(index) ? tracks[index] : nil
    }

    /// Makes the item ready and starts its decoding threads. Returns false if the item has been
    /// closed.
    private func start(_ tracks: OpenedTracks, description: AssetDescription) -> Bool {
        let readers = [tracks.video?.track.id].compactMap { $0 } + tracks.audioDecoders.keys
        host.packets.open(
            tracks: readers,
            playing: [tracks.video?.track.id, tracks.audio?.track.id].compactMap { $0 },
            leading: tracks.video?.track.id,
            extents: Dictionary(
                uniqueKeysWithValues: description.tracks.map { track in
                    let isPrecise = description.providesPreciseDurationAndTiming
                    return (track.id, PacketProgress.Extent(track, isPrecise: isPrecise))
                }))
        guard let ready = host.becomeReady(tracks, description) else { return false }
        startThreads(tracks, renderer: ready.renderer)
        ready.begin()
        return true
    }

    private func startThreads(_ tracks: OpenedTracks, renderer: AudioRenderer?) {
        let host = host
        if let (track, decoder) = tracks.video {
            _ = WorkerThread(name: "ph-video") {
                VideoDecodeLoop(host: host, lane: track.id, track: track, decoder: decoder)
                    .run()
            }
        }
        if let (track, decoder, _) = tracks.audio, let renderer {
            _ = WorkerThread(name: "ph-audio") {
                AudioDecodeLoop(
                    host: host, lane: track.id, decoder: decoder,
                    decoders: tracks.audioDecoders, renderer: renderer
                ).run()
            }
        }
    }

    private func read(_ first: any Demuxer, format: AudioFormat?) {
        var demuxer = first
        var generation = host.firstGeneration
        var hasRead = false
        var logCount = demuxer.transfer?.logCount ?? 0
        var liveCount = demuxer.liveMonitor?.changeCount ?? 0
        var outage = LiveOutage()
        // A seek that failed.
        var unfinished: Seek?
        // A packet that could not be added to the queue.
        var rest: MediaPacket?
        while true {
            let task = host.nextDemuxerTask()
            if case .close = task { return }
            do {
                if case .add(let tracks) = task {
                    let place = add(tracks, format, demuxer, generation: generation)
                    // Before the first packet, no packet has been missed.
                    if let start = place, hasRead {
                        // A source that can be read only once continues at its current position.
                        if (try? demuxer.seek(to: start)) != nil { rest = nil }
                    }
                    continue
                }
                if case .move(let seek) = task {
                    hasRead = true
                    rest = nil
                    outage.noteMove()
                    unfinished = seek
                    generation = seek.generation
                    demuxer = host.reopened(demuxer)
                    demuxer.selectTracks(host.playingTrackIDs)
                    defer { liveCount = host.noteLive(of: demuxer, since: liveCount) }
                    try move(demuxer, for: seek)
                    unfinished = nil
                    learnKeyframes(of: demuxer)
                }
                if let variants = host.takeVariantPreference() {
                    demuxer.prefer(variants)
                }
                if outage.mustResume {
                    if let seek = unfinished {
                        try move(demuxer, for: seek)
                    } else {
                        try demuxer.resume()
                    }
                    unfinished = nil
                    outage.noteMove()
                }
                let next = if let rest { rest } else { try demuxer.readPacket() }
                logCount = host.noteTransfer(of: demuxer, since: logCount)
                liveCount = host.noteLive(of: demuxer, since: liveCount)
                host.noteMetadata()
                if let packet = next {
                    hasRead = true
                    outage.noteProgress()
                    // The packet was rejected because it belongs to an old generation, or because
                    // there is other work. The next iteration handles both.
                    rest = packet
                    if append(packet, generation, from: demuxer) {
                        rest = nil
                        host.packetsAdvanced()
                    }
                } else {
                    waitAtEnd(generation: generation)
                }
            } catch {
                // A seek ends reads of a live stream that wait for its next segment.
                if demuxer.liveMonitor != nil, host.mustMoveDemuxer { continue }
                // If not even a first packet can be read, the source counts as not opened. A source
                // that cannot seek may still be readable.
                guard hasRead else { return host.fail(error) }
                logCount = host.noteTransfer(of: demuxer, since: logCount)
                let isNew = !outage.isKnown
                if outage.note(error, of: demuxer) {
                    if isNew { host.report(error) }
                    host.waitToRead(nanoseconds: LiveOutage.interval)
                    continue
                }
                host.report(error)
                host.post(.readingFailed(error, generation: generation))
                waitAtEnd(generation: generation)
            }
        }
    }

    /// Adds a packet to the queue. If the packet of a live stream has to wait for space, the
    /// playlist is loaded again from time to time, so that the window moves while nothing is read.
    private func append(
        _ packet: MediaPacket, _ generation: Int, from demuxer: any Demuxer
    ) -> Bool {
        guard let live = demuxer.liveMonitor, let delay = live.reloadDelay else {
            return host.packets.append(packet, generation: generation)
        }
        if host.packets.append(packet, generation: generation, nanoseconds: delay) { return true }
        if live.reloadDelay == 0, !host.mustMoveDemuxer {
            demuxer.reloadPlaylist()
            host.noteMetadata()
        }
        return false
    }

    /// Adds tracks to the tracks that play.
    ///
    /// - Returns: the time from which packets are read again for them; nil to continue reading.
    private func add(
        _ tracks: [AssetTrack], _ format: AudioFormat?, _ demuxer: any Demuxer, generation: Int
    ) -> MediaTime? {
        var audio: [(AssetTrack, any AudioDecoder)] = []
        var video: [(AssetTrack, any VideoDecoder)] = []
        var start = host.earliestNeededAudio
        for track in tracks {
            do {
                if track.mediaType == .video {
                    video.append(
                        (track, try demuxer.makeVideoDecoder(for: track, pool: host.framePool)))
                    // The frame of the track at the playhead is decoded from the keyframe before
                    // it.
                    let keyframes = demuxer.keyframeIndex(of: track).times
                    if let keyframe = keyframes.last(where: { $0 <= host.timebase.time }) {
                        start = min(start, keyframe)
                    }
                } else if let format {
                    audio.append(
                        (track, try demuxer.makeAudioDecoder(for: track, format: format)))
                }
            } catch {
                host.cannotAdd(track, error)
            }
        }
        let lanes = host.addAudio(audio).merging(host.addVideo(video)) { lane, _ in lane }
        demuxer.selectTracks(host.playingTrackIDs)
        let place = host.packets.readAgain(
            for: lanes.mapValues(\.track),
            video: Set(lanes.filter { $0.value.isVideo }.keys), generation: generation,
            from: start)
        for lane in lanes.values { lane.begin() }
        return place
    }

    /// Reads the keyframe index. Some containers load it when they are opened, and others with the
    /// first seek.
    private func learnKeyframes(of demuxer: any Demuxer) {
        let known = host.keyframes
        guard let track = host.videoTrack,
            known.times.isEmpty || !demuxer.description.duration.isNumeric
                || known.end < demuxer.description.end - PacketBounds.localDuration
        else { return }
        host.note(.learnedKeyframes(demuxer.keyframeIndex(of: track)))
    }

    private func move(_ demuxer: any Demuxer, for seek: Seek) throws(MediaError) {
        if let live = demuxer.liveMonitor {
            try demuxer.seek(to: seek.demuxerTarget)
            // The segment of the target may have left the playlist in the meantime.
            if let oldest = live.window?.range.start, seek.target < oldest {
                host.post(.targetIsGone(oldest: oldest, generation: seek.generation))
            }
            return
        }
        guard seek.toleranceAfter > .zero else { return try demuxer.seek(to: seek.demuxerTarget) }
        let isLate = try demuxer.seek(
            to: seek.target, notBefore: seek.target - seek.toleranceBefore,
            notAfter: seek.target + seek.toleranceAfter)
        if isLate { host.note(.startsLate(generation: seek.generation)) }
    }

    /// After everything has been read, waits until there is a seek or the item is closed.
    private func waitAtEnd(generation: Int) {
        host.waitAtEnd(host.packets.finish(generation: generation))
    }
}
