// SPDX-License-Identifier: Apache-2.0

import PlayheadUI
import Synchronization

/// `--transition`: blends from an item to the next item while both play. If they cannot overlap,
/// the last frame of the item takes its place.
///
/// `layer(for:)` replaces the layer of the video. `update` is called between events, and returns
/// whether the layer has to be requested again.
@MainActor final class VideoTransition {
    private let effect: EffectInstance
    private let duration: MediaTime
    private let source: HeldFrameSource
    private let overlap: TransitionOverlap?
    /// The last frame of the previous item, and the start time of the transition.
    private var leaving: (picture: PixelBuffer, beginTime: MediaTime)?

    /// Creates a transition between the items of a player.
    ///
    /// - Parameters:
    ///   - effect: an effect of kind `transition`.
    ///   - output: the video output of the player.
    ///   - overlap: the overlaps of the items; nil for none.
    init(
        _ effect: EffectInstance, duration: MediaTime, output: PlayerVideoOutput,
        overlap: TransitionOverlap? = nil
    ) {
        self.effect = effect
        self.duration = duration
        self.overlap = overlap
        source = HeldFrameSource(output)
    }

    /// Updates the state after another item has started, or after a transition has ended.
    ///
    /// - Returns: whether the layer has changed.
    func update() -> Bool {
        let now = HostClock.shared.time
        let change = overlap?.update() ?? .none
        source.holds = overlap?.isDeclared != true
        switch change {
        case .none: break
        case .layer:
            if !source.holds { leaving = nil }
            return true
        case .begin:
            leaving = nil
            effect.restart()
            return true
        }
        if let picture = source.takeLastOfFormer() {
            leaving = (picture, now)
            effect.restart()
            return true
        }
        if let leaving, now - leaving.beginTime > duration {
            self.leaving = nil
            return true
        }
        return false
    }

    /// Returns the layer of the transition, or the layer of the video outside of a transition.
    func layer(for film: Layer) -> Layer {
        if let layer = overlap?.layer(for: film, effect, source: source) { return layer }
        var layer = film
        layer.content = .video(source)
        guard let leaving else { return layer }
        let (from, to) = (
            Layer(.image(leaving.picture), gravity: film.gravity),
            Layer(.video(source), gravity: film.gravity)
        )
        layer.content = .transition(LayerTransition(effect, from: from, to: to, progress: 1))
        layer.animate(.progress([0, 1]), beginTime: leaving.beginTime, duration: duration)
        return layer
    }
}

/// A source of the frames of a player. When another item starts, the last frame of the previous
/// item is held until it is taken, so that the new item is not shown before the transition.
///
/// - Concurrency: `takeLastOfFormer` on any thread; for other methods, see the protocol.
private final class HeldFrameSource: NotifyingPixelBufferSource {
    private let output: PlayerVideoOutput
    private let state = Mutex(State())

    private struct State {
        /// The most recent frame, and its item.
        var last: (picture: PixelBuffer, displayTime: MediaTime, item: ObjectIdentifier)?
        /// A Boolean value that indicates whether frames of another item are held back.
        var isHeld = false
        /// A Boolean value that indicates whether frames of another item shall be held back.
        var holds = true
    }

    /// A Boolean value that indicates whether the frames of another item are held back until the
    /// last frame of the previous one has been taken.
    var holds: Bool {
        get { state.withLock { $0.holds } }
        set { state.withLock { $0.holds = newValue } }
    }

    init(_ output: PlayerVideoOutput) { self.output = output }

    /// Returns the held frame once. Afterwards the new item is shown.
    func takeLastOfFormer() -> PixelBuffer? {
        state.withLock { state in
            guard state.isHeld, let last = state.last else { return nil }
            state = State()
            return last.picture
        }
    }

    private var holdsBack: Bool { state.withLock { $0.isHeld } }

    func itemTime(forHostTime hostTime: MediaTime) -> MediaTime {
        output.itemTime(forHostTime: hostTime)
    }

    func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool {
        !holdsBack && output.hasNewPixelBuffer(forItemTime: itemTime)
    }

    func copyPixelBuffer(
        forItemTime itemTime: MediaTime
    ) -> (PixelBuffer, displayTime: MediaTime)? {
        guard let item = output.item.map({ ObjectIdentifier($0) }) else { return nil }
        let held = state.withLock { state -> (PixelBuffer, displayTime: MediaTime)? in
            guard let last = state.last, state.isHeld || (state.holds && last.item != item) else {
                return nil
            }
            state.isHeld = true
            return (last.picture, last.displayTime)
        }
        if let held { return held }
        guard let (picture, time) = output.copyPixelBuffer(forItemTime: itemTime) else {
            return nil
        }
        state.withLock { $0.last = (picture, time, item) }
        return (picture, time)
    }

    func upcomingPixelBuffer(
        afterItemTime itemTime: MediaTime, step: MediaTime
    ) -> PixelBuffer? {
        holdsBack ? nil : output.upcomingPixelBuffer(afterItemTime: itemTime, step: step)
    }

    func notifyOfMediaDataChange(
        withAdvanceInterval interval: MediaTime, on queue: ObservationQueue,
        handler: @escaping @Sendable () -> Void
    ) -> ObservationToken {
        output.notifyOfMediaDataChange(withAdvanceInterval: interval, on: queue, handler: handler)
    }
}
