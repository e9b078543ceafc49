// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// An output that provides the frames of everything that a player plays, from item to item and
/// around a loop without gaps.
///
/// It is used like a `PlayerItemVideoOutput`. The host time selects the item. From exactly the time
/// at which the start of the next item is declared, the output provides the frames of the next
/// item, even if the player has not made that item current yet.
///
///     let output = PlayerVideoOutput(player: player)
///     scene = Scene(layers: [Layer(.video(output))])
///
/// Item times belong to the item that the last call of `itemTime(forHostTime:)` selected.
///
/// - Concurrency: any thread, one caller at a time. It never waits for a decoder.
/// - Ownership: a player does not retain its outputs, and an output does not retain its player.
///   Both retain the player's items.
/// - Corresponds to: `AVPlayerVideoOutput`.
public final class PlayerVideoOutput: NotifyingPixelBufferSource, PlayerOutput {
    /// An item, and the output that provides its frames.
    private struct Showing {
        let item: PlayerItem
        let output = PlayerItemVideoOutput()
    }

    /// A client that waits for one notification of the next frame.
    private struct Request {
        let fulfil: @Sendable () -> Void
        /// The tokens of the requests that were passed to the items' outputs.
        var tokens: [ObservationToken] = []
    }

    private struct State {
        /// The current item and those that follow it, in order.
        var line: [Showing] = []
        /// The item to which the caller's times refer.
        var chosen: Showing?
        /// The requests by number.
        var requests: [Int: Request] = [:]
        var lastRequest = 0
    }

    private let state = Mutex(State())

    /// Creates an output that follows a player.
    public init(player: Player) { player.add(self) }

    deinit {
        state.withLock { state in
            for showing in state.line { showing.output.detach(from: showing.item.pipeline) }
        }
    }

    /// The item whose frames were last requested.
    public var item: PlayerItem? { state.withLock { $0.chosen?.item } }

    /// Selects the item that plays at `hostTime`, and returns the item's time at that moment.
    public func itemTime(forHostTime hostTime: MediaTime) -> MediaTime {
        let output = state.withLock { state in
            let former = state.chosen
            state.chosen = state.line.first
            for showing in state.line.dropFirst() {
                guard showing.item.timebase.hasBegun(atHostTime: hostTime) else { break }
                state.chosen = showing
            }
            // A pause may have cancelled the start of an item after a frame of that item was drawn.
            if former?.item !== state.chosen?.item { state.chosen?.output.forgetTaken() }
            return state.chosen?.output
        }
        return output?.itemTime(forHostTime: hostTime) ?? .invalid
    }

    /// Returns whether the frame for `itemTime` differs from the last frame that was taken.
    public func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool {
        chosenOutput?.hasNewPixelBuffer(forItemTime: itemTime) ?? false
    }

    /// Returns the frame for `itemTime` and the time at which its display begins, and marks the
    /// frame as taken.
    public func copyPixelBuffer(
        forItemTime itemTime: MediaTime
    ) -> (PixelBuffer, displayTime: MediaTime)? {
        chosenOutput?.copyPixelBuffer(forItemTime: itemTime)
    }

    /// Returns the frame that follows the frame for `itemTime`, if it has been decoded.
    public func upcomingPixelBuffer(
        afterItemTime itemTime: MediaTime, step: MediaTime
    ) -> PixelBuffer? {
        chosenOutput?.upcomingPixelBuffer(afterItemTime: itemTime, step: step)
    }

    /// See `PlayerItemVideoOutput.isAwaitingPixelBuffer(forItemTime:)`.
    package func isAwaitingPixelBuffer(forItemTime itemTime: MediaTime) -> Bool {
        chosenOutput?.isAwaitingPixelBuffer(forItemTime: itemTime) ?? false
    }

    private var chosenOutput: PlayerItemVideoOutput? { state.withLock { $0.chosen?.output } }

    /// Passes vsync times to the player's items; see `PlayerItem.alignStarts(toVsyncAt:period:)`.
    package func alignStarts(toVsyncAt hostTime: MediaTime, period: MediaTime) {
        let line = state.withLock { $0.line }
        for showing in line { showing.item.alignStarts(toVsyncAt: hostTime, period: period) }
    }

    /// Calls `handler` once, when another frame is about to become available or when the player's
    /// items change.
    public func notifyOfMediaDataChange(
        withAdvanceInterval interval: MediaTime, on queue: ObservationQueue,
        handler: @escaping @Sendable () -> Void
    ) -> ObservationToken {
        let gate = ObservationGate()
        let (number, current) = state.withLock { state in
            state.lastRequest += 1
            state.requests[state.lastRequest] = Request {
                queue.async { gate.pass(handler) }
            }
            return (state.lastRequest, state.line.first?.output)
        }
        let token = current?.notifyOfMediaDataChange(
            withAdvanceInterval: interval, on: .background
        ) { [weak self] in
            self?.take(number)?.fulfil()
        }
        if let token { state.withLock { $0.requests[number]?.tokens = [token] } }
        return ObservationToken(gate: gate) { [weak self] in _ = self?.take(number) }
    }

    /// Removes a request and returns it, so that the caller can release it without the lock.
    private func take(_ number: Int) -> Request? {
        state.withLock { $0.requests.removeValue(forKey: number) }
    }

    /// Updates the items. The player calls this method, with a lock held, when the player's items
    /// may have changed.
    ///
    /// - Returns: a closure that notifies clients, to be called without a lock; nil if the items
    ///   have not changed.
    func follow(
        _ current: PlayerItem?, _ upcoming: [PlayerItem]
    ) -> (@Sendable () -> Void)? {
        let items = [current].compactMap { $0 } + upcoming
        let replaced = state.withLock { state -> State? in
            guard !state.line.elementsEqual(items, by: { $0.item === $1 }) else { return nil }
            let old = state
            state.line = items.map { item in
                if let showing = old.line.first(where: { $0.item === item }) { return showing }
                let showing = Showing(item: item)
                showing.output.attach(to: item.pipeline)
                return showing
            }
            if let chosen = state.chosen?.item, !items.contains(where: { $0 === chosen }) {
                state.chosen = state.line.first
                // The frame may have been drawn already, before the removed item was shown once
                // more.
                state.chosen?.output.forgetTaken()
            }
            state.requests = [:]
            return old
        }
        guard let replaced else { return nil }
        return {
            for showing in replaced.line where !items.contains(where: { $0 === showing.item }) {
                showing.output.detach(from: showing.item.pipeline)
            }
            for request in replaced.requests.values { request.fulfil() }
        }
    }
}

extension Timebase {
    /// Returns whether a declared start is in the past at a host time.
    fileprivate func hasBegun(atHostTime hostTime: MediaTime) -> Bool {
        let reading = reading(at: hostTime, of: HostClock.shared)
        guard reading.rate != 0, let start = reading.holdTime else { return false }
        return reading.time + FrameQueue.tolerance >= start
    }
}
