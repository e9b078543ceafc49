// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Who wants to know about changes of a state, and what the state was when they were last told.
///
/// - Concurrency: any thread. `note` only queues what is to be told, so it may be called with locks
///   held; calls for one state have to come in the order of its changes.
final class StateObservers<State: Sendable & Equatable>: Sendable {
    private typealias Observer = @Sendable (_ old: State, _ new: State) -> Void

    private struct Content {
        var state: State
        var observers: [Int: Observer] = [:]
        var lastIdentifier = 0
    }

    private let content: Mutex<Content>

    init(_ state: State) {
        content = Mutex(Content(state: state))
    }

    /// The state as it was last noted.
    var state: State { content.withLock { $0.state } }

    /// Tells everyone of a new state, if it is one.
    func note(_ state: State) {
        let (old, observers) = content.withLock { content -> (State, [Observer]) in
            let old = content.state
            guard old != state else { return (old, []) }
            content.state = state
            return (old, content.observers.sorted { $0.key < $1.key }.map(\.value))
        }
        for observer in observers { observer(old, state) }
    }

    /// Adds an observer of a part of the state.
    func observe<Value: Sendable & Equatable>(
        _ keyPath: any KeyPath<State, Value> & Sendable, options: ObservingOptions,
        on queue: ObservationQueue, handler: @escaping @Sendable (StateChange<Value>) -> Void
    ) -> ObservationToken {
        let gate = ObservationGate()
        let tell: @Sendable (StateChange<Value>) -> Void = { change in
            queue.queue.async { gate.pass { handler(change) } }
        }
        let identifier = content.withLock { content in
            content.lastIdentifier += 1
            content.observers[content.lastIdentifier] = { old, new in
                let (old, new) = (old[keyPath: keyPath], new[keyPath: keyPath])
                guard old != new else { return }
                tell(StateChange(newValue: new, oldValue: options.contains(.old) ? old : nil))
            }
            if options.contains(.initial) {
                tell(StateChange(newValue: content.state[keyPath: keyPath], oldValue: nil))
            }
            return content.lastIdentifier
        }
        return ObservationToken(gate: gate) { [weak self] in
            _ = self?.content.withLock { $0.observers.removeValue(forKey: identifier) }
        }
    }

    /// The present value of a part of the state, then every new one. A reader that falls behind
    /// loses the oldest of more than a hundred.
    func values<Value: Sendable & Equatable>(
        of keyPath: any KeyPath<State, Value> & Sendable
    ) -> AsyncStream<Value> {
        AsyncStream(bufferingPolicy: .bufferingNewest(100)) { continuation in
            let token = observe(keyPath, options: .initial, on: .background) { change in
                continuation.yield(change.newValue)
            }
            continuation.onTermination = { _ in token.cancel() }
        }
    }

    /// Adds an observer within the program, for good: called at once, with whatever locks held that
    /// the change was made under.
    func observeAtOnce(_ observer: @escaping @Sendable (_ new: State) -> Void) {
        content.withLock { content in
            content.lastIdentifier += 1
            content.observers[content.lastIdentifier] = { _, new in observer(new) }
        }
    }
}
