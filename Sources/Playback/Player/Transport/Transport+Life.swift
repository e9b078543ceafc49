// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The life of an item, and its tracks.
extension Transport {
    mutating func begin(waitsToMinimizeStalling: Bool, _ action: EndAction) {
        guard case .idle = tracks.phase else { return }
        tracks.set(.opening)
        buffering.setWaits(waitsToMinimizeStalling)
        ending.setAction(action)
        act(.answer(true))
    }

    mutating func becomeReady(
        _ description: AssetDescription, _ video: AssetTrack?, _ audio: AssetTrack?,
        _ choosableAudio: Set<Int>
    ) {
        guard case .opening = tracks.phase else { return }
        let description = description.completed(by: live.window)
        tracks.open(description, video: video, audio: audio, choosableAudio: choosableAudio)
        act(.answer(true))
        if loop.progress.left != 0 { boundLoop() }
        let first = description.firstTime
        if let target = seek.requested?.target {
            // The seek was requested before the start of the media was known.
            let clamped = live.window == nil ? max(target, first) : live.target(of: target) ?? first
            guard clamped != target else { return }
            seek.clampTarget(to: clamped)
            place(at: clamped)
            return
        }
        if description.startTime.isNumeric { place(at: max(first, .zero)) }
        if let stated = statedStart(of: description), stated != now.time {
            restart(for: Seek(target: stated))
            place(at: stated)
        }
    }

    mutating func fail(_ error: MediaError) {
        stop()
        if case .closed = tracks.phase {} else { tracks.set(.failed(error)) }
        endAll()
    }

    mutating func close() {
        // If the item has failed, the reason is kept.
        if tracks.isAlive { tracks.set(.closed(tracks.description, nil)) }
        endAll()
    }

    private mutating func endAll() {
        failRequests()
        seek.land()
        steps.clear()
    }

    mutating func chooseAudio(_ identifier: Int?) {
        switch tracks.phase {
        case .idle, .opening:
            tracks.setAudioDisabled(identifier == nil)
            if let identifier { tracks.chooseAudio(identifier) }
        case .ready(let description):
            let chosen = identifier ?? tracks.audio?.id
            let track = description.tracks.first { $0.id == chosen }
            if let track { selectAudio(identifier != nil, track) }
        case .failed, .closed: break
        }
    }

    /// Enables or disables a video track. Other tracks continue to play.
    mutating func setVideoEnabled(_ isEnabled: Bool, _ track: AssetTrack) {
        guard tracks.isAlive else { return }
        if tracks.video?.id == track.id {
            tracks.setVideoDisabled(!isEnabled)
        } else {
            guard tracks.setFurtherVideo(track, isEnabled: isEnabled) else { return }
            act(.setFurtherVideo(track, isEnabled: isEnabled))
            act(.look)
        }
        act(.answer(true))
    }

    /// Enables or disables an audio track. Other tracks continue to play.
    mutating func setAudioEnabled(_ isEnabled: Bool, _ track: AssetTrack) {
        guard tracks.choosableAudio.contains(track.id), tracks.isAlive else { return }
        if tracks.audio?.id == track.id {
            tracks.setAudioDisabled(!isEnabled)
            act(.setMuted(!isEnabled))
        } else {
            tracks.setFurther(track, isEnabled: isEnabled)
            act(.setFurtherAudio(track, isEnabled: isEnabled))
            act(.look)
        }
    }

    /// Makes an audio track the only one that plays, or stops it.
    private mutating func selectAudio(_ isEnabled: Bool, _ track: AssetTrack) {
        guard tracks.choosableAudio.contains(track.id), tracks.isAlive else { return }
        if isEnabled { tracks.chooseAudio(track.id) }
        if !tracks.further.isEmpty {
            tracks.removeAllFurther()
            act(.endFurtherAudio)
            // The item may end earlier without them.
            act(.look)
        }
        var isSwitched = false
        if tracks.audio?.id == track.id {
            tracks.setAudioDisabled(!isEnabled)
        } else if isEnabled {
            tracks.setAudioDisabled(false)
            tracks.playAudio(track)
            isSwitched = switchAudio()
        }
        act(.setMuted(tracks.isAudioDisabled))
        guard isSwitched else { return }
        act(.answer(true))
        act(.seekBegan)
        act(.look)
    }

    /// Continues with the chosen audio track at the playhead.
    mutating func switchAudio() -> Bool {
        act(.playTracks(tracks.playing))
        // At the end, there is no audio to continue. The choice is used once playback continues.
        if ending.hasPlayedToEnd { return false }
        if seek.direction == .reverse {
            // The timeline starts again once the track has been decoded.
            stop()
            turnBack(at: now.time)
            return true
        }
        var next = seek.requested ?? Seek(target: now.time)
        if seek.requested == nil { next.followsTimeline = start.isRunning }
        restart(for: next)
        // The video continues. If the audio is late, it is not waited for.
        if start.isRunning, tracks.video != nil { buffering.setSoundLate(true) }
        return true
    }
}
