// SPDX-License-Identifier: Apache-2.0

/// Everything about an item that changes and can be observed, at one moment.
///
///     let token = item.observe(\.status, options: .initial) { change in … }
///     for await isAtEnd in item.values(of: \.hasPlayedToEnd) { … }
///
/// The playhead is not among it, since it changes all the time: read `currentTime`.
public struct PlayerItemState: Sendable, Equatable {
    public var status = PlayerItem.Status.unknown
    /// Whether a seek is under way.
    public var isSeeking = false
    /// Whether the playhead has reached the end and not been moved since.
    public var hasPlayedToEnd = false
    /// How often the item has played to its end.
    public var playedToEndCount = 0
    /// Packets and frames that could not be decoded so far.
    public var decodingErrors = 0
    /// What the player wants and whether it is so; see `Player`.
    var desiredRate = 0.0
    var isRunning = false
}

extension PlayerItem {
    /// The present state, all of it from one moment.
    public var state: PlayerItemState { pipeline.observers.state }

    /// Calls `handler` when a part of the state changes, until the token is cancelled or dropped.
    ///
    /// - Parameters:
    ///   - options: `.initial` for a first call with the present value, `.old` for the value before.
    ///   - queue: where the handler runs.
    /// - Corresponds to: `NSObject.observe(_:options:changeHandler:)`.
    public func observe<Value: Sendable & Equatable>(
        _ keyPath: any KeyPath<PlayerItemState, Value> & Sendable, options: ObservingOptions = [],
        on queue: ObservationQueue = .background,
        handler: @escaping @Sendable (StateChange<Value>) -> Void
    ) -> ObservationToken {
        pipeline.observers.observe(keyPath, options: options, on: queue, handler: handler)
    }

    /// The present value of a part of the state, then every new one.
    public func values<Value: Sendable & Equatable>(
        of keyPath: any KeyPath<PlayerItemState, Value> & Sendable
    ) -> AsyncStream<Value> {
        pipeline.observers.values(of: keyPath)
    }
}

extension ItemPipeline.Control {
    /// The part of what the threads share that others may observe.
    var state: PlayerItemState {
        var state = PlayerItemState()
        switch phase {
        case .idle, .opening, .closed: break
        case .ready: state.status = .readyToPlay
        case .failed(let error): state.status = .failed(error)
        }
        state.isSeeking = seek != nil
        state.hasPlayedToEnd = hasPlayedToEnd
        state.playedToEndCount = endCount
        state.decodingErrors = decodeErrors
        state.desiredRate = desiredRate
        state.isRunning = isRunning
        return state
    }
}
