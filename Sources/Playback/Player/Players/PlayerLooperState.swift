// SPDX-License-Identifier: Apache-2.0

/// The observable state of a looper at one moment.
public struct PlayerLooperState: Sendable, Equatable {
    /// The state of looping. Corresponds to `AVPlayerLooper.status`.
    public var status = PlayerLooper.Status.unknown
    /// The number of repetitions that have been played to their end.
    public var loopCount = 0
}

extension PlayerLooper {
    /// The current state, with all values read at the same moment.
    public var state: PlayerLooperState {
        observable.access(self, \.state)
        return observers.state
    }

    /// Calls `handler` when a part of the state changes, until the token is cancelled or released.
    ///
    /// - Parameters:
    ///   - options: `.initial` for a first call with the current value, `.old` for the previous
    ///     value.
    ///   - queue: The queue on which the handler runs.
    /// - Corresponds to: `NSObject.observe(_:options:changeHandler:)`.
    public func observe<Value: Sendable & Equatable>(
        _ keyPath: any KeyPath<PlayerLooperState, Value> & Sendable, options: ObservingOptions = [],
        on queue: ObservationQueue = .background,
        handler: @escaping @Sendable (StateChange<Value>) -> Void
    ) -> ObservationToken {
        observers.observe(keyPath, options: options, on: queue, handler: handler)
    }

    /// Returns a sequence that yields the current value of a property of the state, and then each
    /// new value, until the looper is deallocated.
    public func values<Value: Sendable & Equatable>(
        of keyPath: any KeyPath<PlayerLooperState, Value> & Sendable
    ) -> AsyncStream<Value> {
        observers.values(of: keyPath)
    }
}
