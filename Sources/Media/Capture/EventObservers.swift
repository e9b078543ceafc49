// SPDX-License-Identifier: Apache-2.0

package import PlayheadPlayback
import Synchronization

/// The handlers for events of one kind.
///
/// - Concurrency: any thread. Handlers are called and released without the lock, in the order in
///   which they were added.
package final class EventObservers<Event: Sendable>: Sendable {
    private struct Observer {
        let number: Int
        let handler: @Sendable (Event) -> Void
    }

    private struct State {
        var observers: [Observer] = []
        var lastNumber = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Calls a handler on the thread that posts an event. Returns a number for `remove(_:)`.
    func add(_ handler: @escaping @Sendable (Event) -> Void) -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.observers.append(Observer(number: state.lastNumber, handler: handler))
            return state.lastNumber
        }
    }

    /// Removes a handler. It may still be running on another thread.
    func remove(_ number: Int) {
        let former = state.withLock { state in
            let index = state.observers.firstIndex { $0.number == number }
            return index.map { state.observers.remove(at: $0) }
        }
        withExtendedLifetime(former) {}
    }

    /// Calls a handler for each event, until the token is cancelled or released.
    ///
    /// - Parameter queue: The queue on which the handler runs; nil for the thread that posts the
    ///   event.
    package func observe(
        on queue: ObservationQueue? = nil, _ handler: @escaping @Sendable (Event) -> Void
    ) -> ObservationToken {
        let gate = ObservationGate()
        let number = add { event in
            let call: @Sendable () -> Void = { gate.pass { handler(event) } }
            if let queue { queue.async(call) } else { call() }
        }
        return ObservationToken(gate: gate) { [weak self] in self?.remove(number) }
    }

    package func post(_ event: Event) {
        for observer in state.withLock(\.observers) { observer.handler(event) }
    }
}
