// SPDX-License-Identifier: Apache-2.0

public import PlayheadAudio

/// Everything about a player that changes and can be observed, at one moment.
public struct PlayerState: Sendable, Equatable {
    /// What the rate is set to.
    public var rate = 0.0
    /// Whether it plays, waits or is paused.
    public var timeControlStatus = Player.TimeControlStatus.paused
    /// What it waits for; nil where it does not.
    public var reasonForWaitingToPlay: Player.WaitingReason?
    /// Identifies the current item; nil without one.
    public var currentItem: ObjectIdentifier?
    /// The current item's status.
    public var currentItemStatus = PlayerItem.Status.unknown
    /// See `Player.volume`.
    public var volume: Float = 1
    /// See `Player.isMuted`.
    public var isMuted = false
    /// See `Player.automaticallyWaitsToMinimizeStalling`.
    public var automaticallyWaitsToMinimizeStalling = true
    /// Whether the system has asked for silence, as while a call lasts.
    public var isInterrupted = false
    /// Why the current item's sound is not heard for the time being; nil while it is, or where there is none.
    public var audioError: AudioError?
    /// How many items of a queue could not be played and were passed over so far; see
    /// `QueuePlayer.skippedItems`.
    package var skippedItemCount = 0
}

extension Player {
    /// The present state, all of it from one moment.
    public var state: PlayerState {
        observable.access(self, \.state)
        return observers.state
    }

    /// Calls `handler` when a part of the state changes, until the token is cancelled or dropped.
    ///
    /// - Parameters:
    ///   - options: `.initial` for a first call with the present value, `.old` for the value before.
    ///   - queue: where the handler runs.
    /// - Corresponds to: `NSObject.observe(_:options:changeHandler:)`.
    public func observe<Value: Sendable & Equatable>(
        _ keyPath: any KeyPath<PlayerState, Value> & Sendable, options: ObservingOptions = [],
        on queue: ObservationQueue = .background,
        handler: @escaping @Sendable (StateChange<Value>) -> Void
    ) -> ObservationToken {
        observers.observe(keyPath, options: options, on: queue, handler: handler)
    }

    /// The present value of a part of the state, then every new one, until the player is gone.
    public func values<Value: Sendable & Equatable>(
        of keyPath: any KeyPath<PlayerState, Value> & Sendable
    ) -> AsyncStream<Value> {
        observers.values(of: keyPath)
    }
}
