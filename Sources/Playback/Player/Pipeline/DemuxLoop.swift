// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadThreads
import PlayheadTime

/// The loop of an item's demuxing thread: opens the asset, starts the decoding threads, reads
/// packets, and moves for seeks.
struct DemuxLoop {
    let pipeline: ItemPipeline

    func run(_ configuration: ItemPipeline.Configuration) {
        do {
            let demuxer = try pipeline.openDemuxer()
            pipeline.adopt(demuxer)
            let tracks = try openTracks(of: demuxer, configuration)
            if start(tracks, description: demuxer.description) {
                learnKeyframes(of: demuxer)
                read(demuxer)
            }
        } catch {
            pipeline.fail(error)
        }
    }

    /// The tracks that play, with their decoders.
    private struct Tracks {
        var video: (track: AssetTrack, decoder: any VideoDecoder)?
        var audio: (track: AssetTrack, decoder: any AudioDecoder, sink: any AudioSink)?
        /// The decoders of the audio tracks that may be chosen later, including the one that plays.
        var audioDecoders: [Int: any AudioDecoder] = [:]
        var error: MediaError?
    }

    private func openTracks(
        of demuxer: any Demuxer, _ configuration: ItemPipeline.Configuration
    ) throws(MediaError) -> Tracks {
        var tracks = Tracks()
        let description = demuxer.description
        if configuration.playsVideo, let track = description.preferredTrack(of: .video) {
            do {
                let decoder = try demuxer.makeVideoDecoder(
                    for: track, pool: pipeline.pixelBufferPool)
                tracks.video = (track, decoder)
            } catch {
                tracks.error = error
            }
        }
        if let sink = configuration.audioSink, configuration.playsAudio,
            let track = audioTrack(of: description, index: configuration.audioTrackIndex)
        {
            do {
                let decoder = try demuxer.makeAudioDecoder(for: track, format: sink.format)
                tracks.audio = (track, decoder, sink)
                // They cannot be created later, when the demuxer is busy.
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
                    .noPlayableTracks, subject: pipeline.asset.displayName,
                    cause: "it has neither pictures nor sound",
                    remedy: "choose a file that holds video or audio")
        }
        demuxer.selectTracks(
            Set([tracks.video?.track.id, tracks.audio?.track.id].compactMap { $0 }))
        return tracks
    }

    /// The maximum number of audio decoders, more than a file has languages; each takes some
    /// memory.
    private static let audioTrackLimit = 32

    /// The tracks that play now.
    private var playingTracks: Set<Int> {
        pipeline.control.withLock { control in
            Set([control.videoTrack?.id, control.audioTrack?.id].compactMap { $0 })
        }
    }

    private func audioTrack(of description: AssetDescription, index: Int?) -> AssetTrack? {
        let tracks = description.tracks(of: .audio)
        let chosen = pipeline.control.withLock { $0.chosenAudioTrack }
        if let track = tracks.first(where: { $0.id == chosen }) { return track }
        guard let index else { return description.preferredTrack(of: .audio) }
        return tracks.indices.contains(index) ? tracks[index] : nil
    }

    /// Makes the item ready and starts its decoding threads; returns false if it has been closed.
    private func start(_ tracks: Tracks, description: AssetDescription) -> Bool {
        let pipeline = pipeline
        let readers = [tracks.video?.track.id].compactMap { $0 } + tracks.audioDecoders.keys
        pipeline.packets.open(
            tracks: readers,
            playing: [tracks.video?.track.id, tracks.audio?.track.id].compactMap { $0 },
            leading: tracks.video?.track.id,
            extents: Dictionary(
                uniqueKeysWithValues: description.tracks.map { track in
                    let isPrecise = description.providesPreciseDurationAndTiming
                    return (track.id, PacketProgress.Extent(track, isPrecise: isPrecise))
                }))
        var waiters: [ItemPipeline.ReadyWaiter] = []
        var renderer: AudioRenderer?
        let isOpen = pipeline.control.change { control -> Bool in
            guard case .opening = control.phase else { return false }
            control.phase = .ready(description)
            control.videoTrack = tracks.video?.track
            control.videoDecoder = tracks.video?.decoder
            control.audioTrack = tracks.audio?.track
            control.choosableAudioTracks = Set(tracks.audioDecoders.keys)
            control.presentationSize =
                tracks.video?.track.formatDescription.video.map {
                    PresentationSize(
                        width: $0.width, height: $0.height, attachments: $0.attachments)
                } ?? .zero
            control.lastDecodeError = tracks.error
            if let sink = tracks.audio?.sink {
                // Within the lock: an item that is closed while it opens must not take the device
                // from its successor.
                pipeline.timebase.master = .clock(control.chosenClock ?? sink.clock)
                renderer = AudioRenderer(sink: sink, timebase: pipeline.timebase) {
                    [weak pipeline] in pipeline?.sinkChanged()
                }
                renderer?.volume = control.volume
                renderer?.isMuted = control.isAudioDisabled
                renderer?.timePitchAlgorithm = control.timePitchAlgorithm
                control.renderer = renderer
            }
            let first = description.firstTime
            if control.seek == nil, description.startTime.isNumeric {
                pipeline.timebase.setRate(0, time: max(first, .zero), atMasterTime: .zero)
            } else if let target = control.seek?.target, target < first {
                // It was requested before the start of the media was known.
                control.seek?.target = first
                control.move?.target = first
                pipeline.timebase.setRate(0, time: first, atMasterTime: .zero)
            }
            swap(&waiters, &control.readyWaiters)
            return true
        }
        guard isOpen else { return false }
        pipeline.applyAudioMix()
        startThreads(tracks, renderer: renderer)
        pipeline.applyAudioChoice()
        pipeline.applyPendingStart()
        pipeline.evaluate()
        for waiter in waiters { waiter(.success(())) }
        return true
    }

    private func startThreads(_ tracks: Tracks, renderer: AudioRenderer?) {
        let pipeline = pipeline
        if let (track, decoder) = tracks.video {
            _ = WorkerThread(name: "ph-video") {
                VideoDecodeLoop(pipeline: pipeline, track: track, decoder: decoder).run()
            }
        }
        if let (track, decoder, _) = tracks.audio, let renderer {
            _ = WorkerThread(name: "ph-audio") {
                AudioDecodeLoop(
                    pipeline: pipeline, track: track, decoder: decoder,
                    decoders: tracks.audioDecoders, renderer: renderer
                ).run()
            }
        }
    }

    private func read(_ demuxer: any Demuxer) {
        var generation = pipeline.control.withLock { $0.demuxerMustMove ? -1 : $0.generation }
        var hasRead = false
        while true {
            let (isOver, seek) = pipeline.control.wait { control -> (Bool, Seek?)? in
                if !control.isAlive { return (true, nil) }
                if control.direction == .reverse { return nil }
                guard control.demuxerMustMove else { return (false, nil) }
                control.demuxerMustMove = false
                return (false, control.move)
            }
            if isOver { return }
            do {
                if let seek {
                    hasRead = true
                    generation = seek.generation
                    demuxer.selectTracks(playingTracks)
                    try move(demuxer, for: seek)
                    learnKeyframes(of: demuxer)
                }
                if let variants = pipeline.control.withLock({ $0.variants.take() }) {
                    demuxer.prefer(variants)
                }
                if let packet = try demuxer.readPacket() {
                    hasRead = true
                    // A rejected packet belongs to an old generation; the next iteration finds the
                    // seek that ended it.
                    if pipeline.packets.append(packet, generation: generation) {
                        pipeline.packetsAdvanced()
                    }
                } else {
                    waitAtEnd(generation: generation)
                }
            } catch {
                // A source without even a first packet counts as not opened; one that cannot seek
                // may still be read.
                guard hasRead else { return pipeline.fail(error) }
                pipeline.report(error)
                pipeline.control.change { control in
                    if control.generation == generation { control.readingError = error }
                }
                waitAtEnd(generation: generation)
            }
        }
    }

    /// Reads the keyframe index, which some containers load when opened and others with the first
    /// seek.
    private func learnKeyframes(of demuxer: any Demuxer) {
        let (track, known) = pipeline.control.withLock { ($0.videoTrack, $0.keyframes) }
        guard let track,
            known.times.isEmpty || !demuxer.description.duration.isNumeric
                || known.end < demuxer.description.end - PacketBounds.localDuration
        else { return }
        let index = demuxer.keyframeIndex(of: track)
        pipeline.control.withLock { $0.keyframes = index }
    }

    private func move(_ demuxer: any Demuxer, for seek: Seek) throws(MediaError) {
        guard seek.toleranceAfter > .zero else { return try demuxer.seek(to: seek.demuxerTarget) }
        let isLate = try demuxer.seek(
            to: seek.target, notBefore: seek.target - seek.toleranceBefore,
            notAfter: seek.target + seek.toleranceAfter)
        if isLate { pipeline.startsLate(generation: seek.generation) }
    }

    /// Waits, after everything has been read, for a seek or for closing.
    private func waitAtEnd(generation: Int) {
        let ends = pipeline.packets.finish(generation: generation)
        pipeline.control.change { control in
            // Unless another run has begun meanwhile: seeks that continue with these packets do not
            // count.
            guard !control.demuxerMustMove, control.direction == .forward,
                let track = control.videoTrack
            else { return }
            control.expectedVideoEnd = ends[track.id]
        }
        pipeline.evaluate()
        pipeline.control.wait { control -> Bool? in
            if !control.isAlive { return true }
            return control.demuxerMustMove ? true : nil
        }
    }
}
