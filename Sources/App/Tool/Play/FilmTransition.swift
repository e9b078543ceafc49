// SPDX-License-Identifier: Apache-2.0

import PlayheadUI
import Synchronization

/// `--transition`: leads from the last picture of a film to the one that follows it, while that plays.
///
/// The layer that shows the films is given over to `layer(for:)`, and `update` is called between
/// events: it tells when the layer has to be asked for anew.
@MainActor final class FilmTransition {
    private let effect: EffectInstance
    private let duration: MediaTime
    private let source: LastingOutput
    /// The picture that goes, and since when.
    private var leaving: (picture: PixelBuffer, beginTime: MediaTime)?

    /// - Parameters:
    ///   - effect: of kind `transition`.
    ///   - output: of the player whose films follow each other.
    init(_ effect: EffectInstance, duration: MediaTime, output: PlayerVideoOutput) {
        self.effect = effect
        self.duration = duration
        source = LastingOutput(output)
    }

    /// Looks whether another film has begun, or a transition has ended.
    ///
    /// - Returns: whether the layer is another one now.
    func update() -> Bool {
        let now = HostClock.shared.time
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

    /// What shows the films: a film's layer, or the layer of the one on its way to the other.
    func layer(for film: Layer) -> Layer {
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

/// A player's pictures; when another item begins, the last of the former one stays, until it has been
/// taken: so the next is not seen before what leads to it.
///
/// - Concurrency: `takeLastOfFormer` on any thread; the rest as with any source.
private final class LastingOutput: NotifyingPixelBufferSource {
    private let output: PlayerVideoOutput
    private let state = Mutex(State())

    private struct State {
        /// Handed out last, and of which item.
        var last: (picture: PixelBuffer, displayTime: MediaTime, item: ObjectIdentifier)?
        /// Whether another item's pictures are held back for it.
        var isHeld = false
    }

    init(_ output: PlayerVideoOutput) { self.output = output }

    /// The last picture of an item that another has followed, once; from then on the other is seen.
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
            guard let last = state.last, state.isHeld || last.item != item else { return nil }
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
