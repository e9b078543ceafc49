// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// The overlap of an item and the next one: the player advances early, and a copy of the item plays
/// on in another player, beside the next item. One is faded out and the other one in.
///
/// If an item is too short or its end is not known, there is no overlap.
@MainActor final class TransitionOverlap {
    /// The rest of an item.
    private struct Tail {
        let item: PlayerItem
        let output = PlayerItemVideoOutput()
        /// The item time at which the next item begins.
        let cut: MediaTime
        /// A Boolean value that indicates whether the first frame has been decoded.
        var isPrepared = false
        /// The host time of the cut, once the start of the copy has been declared, or the copy has
        /// begun late.
        var start: MediaTime?
        /// The next item, once it plays, and its time at the cut.
        var next: (item: PlayerItem, start: MediaTime)?
    }

    /// A change since the previous update.
    enum Change {
        case none
        /// The layer has changed.
        case layer
        /// A transition is about to begin.
        case begin
    }

    private let player: QueuePlayer
    private let duration: MediaTime
    private let makeSink: () -> (any AudioSink)?
    /// The player of the copies.
    private lazy var tailPlayer = Player(playerItem: nil, audioSink: makeSink())
    /// The item whose end is early.
    private weak var shortened: PlayerItem?
    private var tail: (former: PlayerItem, tail: Tail)?
    private var wasPaused = false

    /// The interval before the cut in which the copy is opened. At a higher speed it is longer.
    private static let preparation = MediaTime(value: 3, timescale: 1)
    /// The interval before the cut in which the start of the copy is declared.
    private static let declaration = MediaTime(value: 2, timescale: 5)
    /// The largest error of a declared start.
    private static let tolerance = MediaTime(value: 1, timescale: 200)
    /// The duration of the effect before the cut. No frame of the next item is then shown without
    /// the effect.
    private static let lead = MediaTime(value: 1, timescale: 50)

    /// Creates the overlaps of a player's items.
    ///
    /// - Parameter makeSink: Creates the audio output of the copies; nil for no audio.
    init(
        _ player: QueuePlayer, duration: MediaTime, makeSink: @escaping () -> (any AudioSink)?
    ) {
        self.player = player
        self.duration = duration
        self.makeSink = makeSink
    }

    /// A Boolean value that indicates whether both items play, or will do so at the next cut.
    var isDeclared: Bool { tail?.tail.start != nil }

    /// Updates the state. Call it often.
    func update() -> Change {
        if tail?.tail.next != nil { return continueTail() }
        guard let item = player.currentItem else { return end() }
        if let tail, tail.former !== item {
            // The player has advanced: at the cut, or because the user asked for it.
            guard tail.former.hasPlayedToEnd else { return end() }
            self.tail?.tail.next = (item, item.currentTime)
            return continueTail()
        }
        guard player.rate > 0, let next = player.items.dropFirst().first,
            next.asset !== item.asset, let cut = cut(of: item)
        else {
            if shortened === item { item.forwardPlaybackEndTime = .invalid }
            shortened = nil
            return end()
        }
        if shortened !== item {
            // An item that is sought to its last seconds plays to its end.
            guard item.currentTime < cut - Self.declaration else { return .none }
            shortened = item
            item.forwardPlaybackEndTime = cut
        }
        let remaining = cut - item.currentTime
        guard remaining < Self.preparation * max(1, Int32(player.rate.rounded(.up))) else {
            return end()
        }
        if tail == nil { prepare(item, next, cut) }
        return declare(item, cut)
    }

    /// Returns the time at which an item is left; nil if it ends without an overlap.
    private func cut(of item: PlayerItem) -> MediaTime? {
        guard item.status == .readyToPlay, let video = item.playingTracks.video,
            !video.isAttachedPicture, item.end.isNumeric,
            shortened === item || !item.forwardPlaybackEndTime.isNumeric,
            item.duration.isNumeric, item.duration > duration * Int32(2)
        else { return nil }
        return item.end - duration
    }

    private func prepare(_ item: PlayerItem, _ next: PlayerItem, _ cut: MediaTime) {
        let copy = PlayerItem(copying: item)
        copy.forwardPlaybackEndTime = .invalid
        copy.audioMix = (item.audioMix ?? AudioMix()).fading(
            from: 1, to: 0, in: MediaTimeRange(start: cut, duration: duration))
        next.audioMix = (next.audioMix ?? AudioMix()).fading(
            from: 0, to: 1, in: MediaTimeRange(start: next.currentTime, duration: duration))
        copy.seek(to: cut, toleranceBefore: .zero, toleranceAfter: .zero)
        let made = Tail(item: copy, cut: cut)
        copy.add(made.output)
        tail = (item, made)
        tailPlayer.replaceCurrentItem(with: copy)
        let player = tailPlayer
        Task { [weak self] in
            guard await player.preroll(atRate: 1), let self, self.tail?.tail.item === copy else {
                return
            }
            self.tail?.tail.isPrepared = true
        }
    }

    /// Declares the start of the copy for the time at which the item reaches the cut.
    private func declare(_ item: PlayerItem, _ cut: MediaTime) -> Change {
        guard let tail = tail?.tail, tail.isPrepared else { return .none }
        let start = item.timebase.hostTime(at: cut)
        if let declared = tail.start {
            if let start, (start - declared).magnitude < Self.tolerance { return .none }
            // The player was paused or its rate was changed.
            self.tail?.tail.start = nil
            tailPlayer.setRate(0, time: cut)
            return .layer
        }
        guard let start, player.timeControlStatus == .playing,
            start - HostClock.shared.time < Self.declaration
        else { return .none }
        follow()
        tailPlayer.setRate(player.rate, time: cut, atHostTime: start)
        self.tail?.tail.start = start
        return .begin
    }

    /// Keeps the copy beside the next item.
    private func continueTail() -> Change {
        guard let tail = tail?.tail, let next = tail.next, player.currentItem === next.item else {
            return end()
        }
        let elapsed = next.item.currentTime - next.start
        // If the copy reaches its end first, because the next item began late or waited for data,
        // its last frame stands.
        guard tail.item.error == nil, player.rate >= 0, elapsed < duration else { return end() }
        follow()
        let isPaused = player.timeControlStatus != .playing
        guard tail.start != nil else {
            // The copy was not prepared before the cut: it begins late.
            guard tail.isPrepared, !isPaused else { return .none }
            tailPlayer.setRate(player.rate, time: tail.cut + elapsed)
            return anchor(elapsed)
        }
        guard isPaused != wasPaused else { return .none }
        wasPaused = isPaused
        guard !isPaused else {
            tailPlayer.pause()
            return .layer
        }
        tailPlayer.rate = player.rate
        return anchor(elapsed)
    }

    /// Sets the host time of the cut from the time that the next item has played since.
    private func anchor(_ elapsed: MediaTime) -> Change {
        tail?.tail.start = HostClock.shared.time - realTime(elapsed)
        return .layer
    }

    /// Returns the time that passes while the player plays for a duration.
    private func realTime(_ duration: MediaTime) -> MediaTime {
        MediaTime(seconds: duration.seconds / player.rate)
    }

    /// Passes the volume of the player to that of the copies.
    private func follow() {
        if tailPlayer.volume != player.volume { tailPlayer.volume = player.volume }
        if tailPlayer.isMuted != player.isMuted { tailPlayer.isMuted = player.isMuted }
    }

    private func end() -> Change {
        guard let tail else { return .none }
        self.tail = nil
        wasPaused = false
        tailPlayer.replaceCurrentItem(with: nil)
        return tail.tail.start == nil ? .none : .layer
    }

    /// Returns the layer of the overlap; nil without one.
    ///
    /// - Parameter source: The frames of the player.
    func layer(
        for film: Layer, _ effect: EffectInstance, source: any PixelBufferSource
    ) -> Layer? {
        guard let tail = tail?.tail, let start = tail.start else { return nil }
        var layer = film
        let elapsed = tail.next.map { ($0.item.currentTime - $0.start).seconds } ?? 0
        // Before the animation begins, the frames of the player are shown.
        layer.content = .transition(
            LayerTransition(
                effect, from: Layer(.video(tail.output), gravity: film.gravity),
                to: Layer(.video(source), gravity: film.gravity),
                progress: wasPaused ? elapsed / duration.seconds : 1))
        guard !wasPaused, player.rate > 0 else { return layer }
        layer.animate(
            .progress([0, 1]), beginTime: start - Self.lead,
            duration: realTime(duration) + Self.lead)
        return layer
    }
}

extension AudioMix {
    /// Returns the mix with a ramp of the volume of all its tracks.
    fileprivate func fading(from start: Float, to end: Float, in range: MediaTimeRange) -> AudioMix
    {
        var mix = self
        if mix.inputParameters.isEmpty { mix.inputParameters = [AudioMixInputParameters()] }
        for index in mix.inputParameters.indices {
            mix.inputParameters[index].setVolumeRamp(from: start, to: end, timeRange: range)
        }
        return mix
    }
}
