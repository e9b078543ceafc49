// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import Synchronization

/// The observers of a state. All forms of observation use it: closures with tokens, asynchronous
/// sequences, events, and Swift's Observation.
///
/// - Concurrency: any thread. `note` only queues a change, so it may be called with locks held. It
///   must be called in the order of the changes. `deliver` calls observers, so it must not be
///   called with a lock held.
final class StateObservers<State: Sendable & Equatable>: Sendable {
    typealias Observer = @Sendable (_ old: State, _ new: State) -> Void

    private struct Change {
        var old: State
        var new: State
        /// The observers at the time of the change.
        var observers: [Observer]
    }

    private struct Content {
        var state: State
        var observers: [Int: Observer] = [:]
        var lastIdentifier = 0
        /// The changes that have not been delivered yet, and whether a thread is delivering.
        var changes: [Change] = []
        var isDelivering = false
        /// The number of calls of `hold` that have not been followed by `release`.
        var holds = 0

        mutating func add(_ observer: @escaping Observer) -> Int {
            lastIdentifier += 1
            observers[lastIdentifier] = observer
            return lastIdentifier
        }
    }

    private let content: Mutex<Content>

    init(_ state: State) {
        content = Mutex(Content(state: state))
    }

    /// The state that was last passed to `note`.
    var state: State { content.withLock { $0.state } }

    /// Stores a new state and queues the change for `deliver`.
    func note(_ state: State) {
        content.withLock { content in
            let old = content.state
            guard old != state else { return }
            content.state = state
            guard !content.observers.isEmpty else { return }
            let observers = content.observers.sorted { $0.key < $1.key }.map(\.value)
            content.changes.append(Change(old: old, new: state, observers: observers))
        }
    }

    /// Delivers the queued changes in order, unless another thread is doing so.
    func deliver() {
        let begins = content.withLock { content -> Bool in
            if content.isDelivering || content.holds > 0 || content.changes.isEmpty {
                return false
            }
            content.isDelivering = true
            return true
        }
        guard begins else { return }
        while let change = nextChange() {
            for observer in change.observers { observer(change.old, change.new) }
        }
    }

    /// Holds back delivery until `release`, for callers that make changes while they hold a lock.
    func hold() { content.withLock { $0.holds += 1 } }

    /// Ends a hold. After the last hold, delivers the changes that were held back. Must not be
    /// called with a lock held.
    func release() {
        content.withLock { $0.holds -= 1 }
        deliver()
    }

    private func nextChange() -> Change? {
        content.withLock { content in
            if content.changes.isEmpty {
                content.isDelivering = false
                return nil
            }
            return content.changes.removeFirst()
        }
    }

    /// Adds an internal observer, which `deliver` calls for each change.
    ///
    /// - Returns: a closure that removes the observer.
    @discardableResult
    func observeAtOnce(_ observer: @escaping Observer) -> @Sendable () -> Void {
        let identifier = content.withLock { content in content.add(observer) }
        return removal(of: identifier)
    }

    /// Adds an observer of a part of the state.
    func observe<Value: Sendable & Equatable>(
        _ keyPath: any KeyPath<State, Value> & Sendable, options: ObservingOptions,
        on queue: ObservationQueue, handler: @escaping @Sendable (StateChange<Value>) -> Void
    ) -> ObservationToken {
        let gate = ObservationGate()
        let tell: @Sendable (StateChange<Value>) -> Void = { change in
            queue.async { gate.pass { handler(change) } }
        }
        let identifier = content.withLock { content in
            if options.contains(.initial) {
                tell(StateChange(newValue: content.state[keyPath: keyPath], oldValue: nil))
            }
            return content.add { old, new in
                let (old, new) = (old[keyPath: keyPath], new[keyPath: keyPath])
                guard old != new else { return }
                tell(StateChange(newValue: new, oldValue: options.contains(.old) ? old : nil))
            }
        }
        return ObservationToken(gate: gate, remove: removal(of: identifier))
    }

    /// Adds an observer of events, which are derived from changes.
    func observe<Event: Sendable>(
        _ events: @escaping @Sendable (_ old: State, _ new: State) -> [Event],
        on queue: ObservationQueue, handler: @escaping @Sendable (Event) -> Void
    ) -> ObservationToken {
        let gate = ObservationGate()
        let remove = observeAtOnce { old, new in
            for event in events(old, new) {
                queue.async { gate.pass { handler(event) } }
            }
        }
        return ObservationToken(gate: gate, remove: remove)
    }

    /// Returns a sequence that yields the current value of a property of the state, and then each
    /// new value, until the observed object is deallocated. If a reader falls behind by more than a
    /// hundred values, it loses the oldest ones.
    func values<Value: Sendable & Equatable>(
        of keyPath: any KeyPath<State, Value> & Sendable
    ) -> AsyncStream<Value> {
        Self.stream { finisher in
            content.withLock { content in
                finisher.continuation.yield(content.state[keyPath: keyPath])
                return content.add { old, new in
                    let value = new[keyPath: keyPath]
                    if old[keyPath: keyPath] != value { finisher.continuation.yield(value) }
                }
            }
        } removal: {
            removal(of: $0)
        }
    }

    /// Returns a sequence of the events from now on, until the observed object is deallocated. If a
    /// reader falls behind by more than a hundred events, it loses the oldest ones.
    func events<Event: Sendable>(
        _ events: @escaping @Sendable (_ old: State, _ new: State) -> [Event]
    ) -> AsyncStream<Event> {
        Self.stream { finisher in
            content.withLock { content in
                content.add { old, new in
                    for event in events(old, new) { finisher.continuation.yield(event) }
                }
            }
        } removal: {
            removal(of: $0)
        }
    }

    private static func stream<Element: Sendable>(
        _ add: (StreamFinisher<Element>) -> Int,
        removal: (Int) -> @Sendable () -> Void
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(100))
        // Only the observer retains the finisher, which is released when the observer is removed or
        // this object is deallocated.
        let remove = removal(add(StreamFinisher(continuation)))
        continuation.onTermination = { _ in remove() }
        return stream
    }

    private func removal(of identifier: Int) -> @Sendable () -> Void {
        { [weak self] in
            // The observer is released without the lock, because objects that it captures may have
            // a `deinit`.
            let observer = self?.content.withLock {
                $0.observers.removeValue(forKey: identifier)
            }
            withExtendedLifetime(observer) {}
        }
    }
}
