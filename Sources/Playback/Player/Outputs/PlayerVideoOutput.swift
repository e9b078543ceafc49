// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// Hands out the pictures of whatever a player plays: from one item to the next, and round a loop,
/// without a gap.
///
/// It is asked like a `PlayerItemVideoOutput`. Which item is meant is decided by the host time: from
/// the very moment for which the next item's start has been declared, the pictures are the next
/// item's, whether or not the player has come to call it the current one.
///
///     let output = PlayerVideoOutput(player: player)
///     scene = Scene(layers: [Layer(.video(output))])
///
/// Item times are those of the item that the latest `itemTime(forHostTime:)` led to.
///
/// - Concurrency: any thread, one caller at a time. Never waits for a decoder.
/// - Ownership: a player does not keep its outputs, nor they it; they keep its items, as it does.
/// - Corresponds to: `AVPlayerVideoOutput`.
public final class PlayerVideoOutput: NotifyingPixelBufferSource {
    /// An item and what its pictures are taken from.
    private struct Showing {
        let item: PlayerItem
        let output = PlayerItemVideoOutput()
    }

    /// Someone who wants to be told of the next picture, once.
    private struct Request {
        let fulfil: @Sendable () -> Void
        /// What the item's output was asked for.
        var tokens: [ObservationToken] = []
    }

    private struct State {
        /// The current item, and those that are to follow, in order.
        var line: [Showing] = []
        /// What the times are that the caller asks for.
        var chosen: Showing?
        /// By number.
        var requests: [Int: Request] = [:]
        var lastRequest = 0
    }

    private let state = Mutex(State())

    /// An output that follows a player from now on.
    public init(player: Player) { player.add(self) }

    deinit {
        state.withLock { state in
            for showing in state.line { showing.output.detach(from: showing.item.pipeline) }
        }
    }

    /// The item whose pictures were asked for last.
    public var item: PlayerItem? { state.withLock { $0.chosen?.item } }

    public func itemTime(forHostTime hostTime: MediaTime) -> MediaTime {
        let output = state.withLock { state in
            let former = state.chosen
            state.chosen = state.line.first
            for showing in state.line.dropFirst() {
                guard showing.item.timebase.hasBegun(atHostTime: hostTime) else { break }
                state.chosen = showing
            }
            // A pause may have taken a start back that a picture was drawn for already.
            if former?.item !== state.chosen?.item { state.chosen?.output.forgetTaken() }
            return state.chosen?.output
        }
        return output?.itemTime(forHostTime: hostTime) ?? .invalid
    }

    public func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool {
        chosenOutput?.hasNewPixelBuffer(forItemTime: itemTime) ?? false
    }

    public func copyPixelBuffer(
        forItemTime itemTime: MediaTime
    ) -> (PixelBuffer, displayTime: MediaTime)? {
        chosenOutput?.copyPixelBuffer(forItemTime: itemTime)
    }

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

    /// See `PlayerItem.alignStarts(toVsyncAt:period:)`; for whatever the player plays.
    package func alignStarts(toVsyncAt hostTime: MediaTime, period: MediaTime) {
        let line = state.withLock { $0.line }
        for showing in line { showing.item.alignStarts(toVsyncAt: hostTime, period: period) }
    }

    /// Also called when the player's items change.
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

    /// Takes a request out, for it to be let go of outside of the lock.
    private func take(_ number: Int) -> Request? {
        state.withLock { $0.requests.removeValue(forKey: number) }
    }

    /// Called by the player, with a lock held, when its items may have changed.
    ///
    /// - Returns: what has to be told of it once no lock is held; nil where they have not.
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
                // It may have been drawn already, before the item that is gone was shown once more.
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
    /// Whether a start that was declared has come by a host time.
    fileprivate func hasBegun(atHostTime hostTime: MediaTime) -> Bool {
        let reading = reading(at: hostTime, of: HostClock.shared)
        guard reading.rate != 0, let start = reading.holdTime else { return false }
        return reading.time + FrameQueue.tolerance >= start
    }
}
