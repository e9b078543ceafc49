// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadThreads
import PlayheadTime
import Synchronization

/// Support for callers that move the clock manually, and decide when packets arrive.
extension PlayerItem {
    /// Returns whether all threads of the item wait: for the playhead, or for packets.
    ///
    /// - Parameter isWithheld: A Boolean value that indicates whether the source of the asset
    ///   withholds the next packet. If not, a wait for packets is brief, and does not count.
    package func isIdle(withheldPackets isWithheld: Bool) -> Bool {
        pipeline.control.withLock { pipeline.isIdle(isWithheld, $0) }
    }

    /// A Boolean value that indicates whether the demuxer has to move, for which it first ends the
    /// read that it is in.
    package var demuxerMustMove: Bool {
        pipeline.control.withLock { control in
            control.transport.seek.demuxerMustMove && control.direction == .forward
        }
    }
}

extension ItemPipeline {
    /// The duration of audio, on the clock, that counts as enough.
    private static let soundLead = MediaTime(value: 3, timescale: 10)

    /// Returns whether all threads wait. The lock is held.
    fileprivate func isIdle(_ isWithheld: Bool, _ control: Control) -> Bool {
        guard case .ready = control.phase else { return false }
        let isSeeking = control.seek != nil
        if control.direction == .reverse {
            return !isSeeking && areFramesIdle(control) { _ in false }
                && isAudioIdle(control) { _ in false }
        }
        func isWaiting(_ lane: Int) -> Bool { isWithheld && packets.isDry(lane: lane) }
        guard !control.transport.seek.demuxerMustMove, isWithheld || !isSeeking else {
            return false
        }
        guard isWithheld || haveTracksJoined(control) else { return false }
        // Before it is known where a seek lands, the other tracks wait for the first one.
        if isSeeking, !control.hasVideo, control.videoEnd == nil, let track = control.videoTrack {
            return isWaiting(track.id)
        }
        guard areFramesIdle(control, isWaiting) else { return false }
        if frames.hasEnded, control.videoTrack != nil, control.videoEnd == nil { return false }
        return isSeeking || (isAudioIdle(control, isWaiting) && isDrynessKnown(control, isWaiting))
    }

    /// Returns whether the demuxer has added the tracks that have been enabled.
    private func haveTracksJoined(_ control: Control) -> Bool {
        let tracks = control.transport.tracks
        let joined = control.videoFeeds.map(\.track.id) + control.further.feeds.map(\.track.id)
        let hasAudio = control.renderer != nil && control.further.makeSink != nil
        return (tracks.furtherVideo + (hasAudio ? tracks.further : [])).allSatisfy {
            joined.contains($0.track.id)
        }
    }

    private func areFramesIdle(_ control: Control, _ isWaiting: (Int) -> Bool) -> Bool {
        let now = timebase.time
        if let track = control.videoTrack {
            guard frames.isFullOrEnded(at: now) || isWaiting(track.id) else { return false }
        }
        return control.videoFeeds.allSatisfy { feed in
            isWaiting(feed.lane) || feed.isAhead(generation: control.generation)
        }
    }

    private func isAudioIdle(_ control: Control, _ isWaiting: (Int) -> Bool) -> Bool {
        let lead = soundLead(Self.soundLead, control)
        for feed in control.further.feeds where !control.isSilentInReverse {
            guard isWaiting(feed.lane) || feed.hasAudio(ahead: lead, generation: control.generation)
            else { return false }
        }
        guard let track = control.audioTrack, let renderer = control.renderer,
            control.audioEnd == nil
        else { return true }
        guard control.audioGeneration == control.generation else { return false }
        return isWaiting(track.id) || packets.isExhausted(track: track.id)
            || control.isSilentInReverse || renderer.hasAudio(ahead: lead, at: timebase.time)
    }

    /// Returns whether the transport knows that decoders have run out of data, if they have.
    private func isDrynessKnown(_ control: Control, _ isWaiting: (Int) -> Bool) -> Bool {
        let buffering = control.buffering
        guard control.isRunning, buffering.hasTransfer, buffering.dryness == nil,
            !control.hasPlayedToEnd
        else { return true }
        var ends: [MediaTime?] = []
        if let track = control.videoTrack, control.videoEnd == nil, isWaiting(track.id) {
            ends.append(frames.end)
        }
        if let track = control.audioTrack, control.audioEnd == nil, isWaiting(track.id) {
            ends.append(control.renderer?.enqueuedEnd)
        }
        for feed in control.videoFeeds
        where feed.isEnabled.load(ordering: .relaxed) && isWaiting(feed.lane) {
            ends.append(feed.dryTime)
        }
        for feed in control.further.feeds where isWaiting(feed.lane) { ends.append(feed.dryTime) }
        guard let end = ends.compactMap({ $0 }).min() else { return true }
        // A timer that was set for a time behind the playhead does not fire.
        // The times of audio are rounded to nanoseconds.
        return buffering.alarm > timebase.time
            && buffering.alarm <= end + MediaTime(nanoseconds: 1)
    }
}
