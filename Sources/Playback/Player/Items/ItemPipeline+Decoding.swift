// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// The interface of the decoding threads.
extension ItemPipeline: DecodingHost {
    var framePool: any PixelBufferPool { pixelBufferPool }
    var chosenAudioTrack: Int? { control.withLock { $0.chosenAudioTrack } }
    var videoTrack: AssetTrack? { control.withLock { $0.videoTrack } }
    var audioTrackID: Int? { control.withLock { $0.audioTrack?.id } }
    var playingTrackIDs: Set<Int> { control.withLock { $0.playingTrackIDs } }
    var keyframes: KeyframeIndex { control.withLock { $0.keyframes } }
    var visibleEnd: MediaTime { control.withLock { $0.ending.visibleEnd } }
    var reverseEnd: MediaTime { control.withLock { $0.reverseEnd } }

    func setKeyframes(_ index: KeyframeIndex) { control.withLock { $0.keyframes = index } }

    func takeVariantPreference() -> VariantPreference? { control.withLock { $0.variants.take() } }

    func ranDry() { evaluate() }

    func move(of generation: Int) -> Seek? {
        control.withLock { $0.move?.generation == generation ? $0.move : nil }
    }

    func audioWasFlushed(generation: Int) {
        control.withLock { $0.audioGeneration = generation }
    }

    // MARK: Opening

    func becomeReady(_ tracks: OpenedTracks, _ description: AssetDescription) -> ReadyItem? {
        var waiters: [ReadyWaiter] = []
        var renderer: AudioRenderer?
        let isOpen = control.change { control -> Bool in
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
                timebase.master = .clock(control.chosenClock ?? sink.clock)
                renderer = AudioRenderer(sink: sink, timebase: timebase) {
                    [weak self] in self?.sinkChanged()
                }
                renderer?.volume = control.volume
                renderer?.isMuted = control.isAudioDisabled
                renderer?.timePitchAlgorithm = control.timePitchAlgorithm
                control.renderer = renderer
            }
            let first = description.firstTime
            if control.seek == nil, description.startTime.isNumeric {
                timebase.setRate(0, time: max(first, .zero), atMasterTime: .zero)
            } else if let target = control.seek?.target, target < first {
                // It was requested before the start of the media was known.
                control.seek?.target = first
                control.move?.target = first
                timebase.setRate(0, time: first, atMasterTime: .zero)
            }
            swap(&waiters, &control.readyWaiters)
            return true
        }
        guard isOpen else { return nil }
        applyAudioMix()
        return ReadyItem(renderer: renderer) { [self, waiters] in
            applyAudioChoice()
            applyPendingStart()
            evaluate()
            for waiter in waiters { waiter(.success(())) }
        }
    }

    // MARK: Reading

    var firstGeneration: Int { control.withLock { $0.demuxerMustMove ? -1 : $0.generation } }

    func nextDemuxerTask() -> DemuxerTask {
        control.wait { control -> DemuxerTask? in
            if !control.isAlive { return .close }
            if control.direction == .reverse { return nil }
            guard control.demuxerMustMove, let move = control.move else { return .readOn }
            control.demuxerMustMove = false
            return .move(move)
        }
    }

    func readingFailed(_ error: MediaError, generation: Int) {
        control.change { control in
            if control.generation == generation { control.readingError = error }
        }
    }

    func waitAtEnd(_ ends: [Int: MediaTime]) {
        control.change { control in
            // Unless another run has begun meanwhile: seeks that continue with these packets do not
            // count.
            guard !control.demuxerMustMove, control.direction == .forward,
                let track = control.videoTrack
            else { return }
            control.expectedVideoEnd = ends[track.id]
        }
        evaluate()
        control.wait { control -> Bool? in
            if !control.isAlive { return true }
            return control.demuxerMustMove ? true : nil
        }
    }

    // MARK: Decoding backwards

    func waitAtStart(generation: Int) {
        while true {
            evaluate()
            let isOver: (inout Control) -> Bool? = { control in
                if !control.isAlive { return true }
                return control.generation == generation ? nil : true
            }
            let end = control.withLock { $0.isRunning ? $0.reverseEnd : nil }
            if let end, let due = timebase.hostTime(at: end)?.nanoseconds {
                // A manual clock gives no meaningful wait: check occasionally.
                let wait = min(max(due - HostClock.nanoseconds, 500_000), 20_000_000)
                if control.wait(nanoseconds: wait, until: isOver) != nil { return }
            } else {
                let isOver = control.wait { control -> Bool? in
                    if let over = isOver(&control) { return over }
                    return control.isRunning ? false : nil
                }
                if isOver { return }
            }
        }
    }
}

extension ItemPipeline.Control {
    /// The tracks that are read.
    var playingTrackIDs: Set<Int> { Set([videoTrack?.id, audioTrack?.id].compactMap { $0 }) }

    /// The tracks that are shown and heard.
    var enabledTracks: Set<Int> {
        var tracks: Set<Int> = []
        if let videoTrack, !isVideoDisabled { tracks.insert(videoTrack.id) }
        if let audioTrack, !isAudioDisabled { tracks.insert(audioTrack.id) }
        return tracks
    }
}
