// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Synchronization

/// The state of an export, and its observers.
///
/// - Concurrency: any thread. Handlers are called without the lock.
final class ExportStates: Sendable {
    typealias State = AssetExportSession.State

    private struct Observer {
        let continuation: AsyncStream<State>.Continuation
        let interval: Duration
        var last: ContinuousClock.Instant
    }

    private struct Storage {
        var state = State.pending
        var observers: [Int: Observer] = [:]
        var nextObserver = 0
        var endHandlers: [@Sendable (State) -> Void] = []
    }

    private let storage = Mutex(Storage())

    var state: State { storage.withLock(\.state) }

    /// Begins the export. Returns false if the export has already begun.
    func begin() -> Bool {
        storage.withLock { storage in
            guard storage.state == .pending else { return false }
            storage.state = .exporting(progress: 0)
            for observer in storage.observers.values {
                observer.continuation.yield(storage.state)
            }
            return true
        }
    }

    /// Reports a progress from 0 to 1, if it is greater than the previous one. Observers whose
    /// interval has passed receive it.
    func report(_ progress: Double) {
        storage.withLock { storage in
            guard case .exporting(let last) = storage.state, progress > last, progress < 1 else {
                return
            }
            storage.state = .exporting(progress: progress)
            let now = ContinuousClock.now
            for (key, observer) in storage.observers
            where now - observer.last >= observer.interval {
                storage.observers[key]?.last = now
                observer.continuation.yield(storage.state)
            }
        }
    }

    /// Ends the export with a state. Later calls have no effect.
    func end(_ state: State) {
        let ended = storage.withLock { storage -> Storage? in
            guard !storage.state.isFinal else { return nil }
            storage.state = state
            defer {
                storage.observers.removeAll()
                storage.endHandlers.removeAll()
            }
            return storage
        }
        // Finishing a stream calls its termination handler, which acquires the lock.
        for observer in ended?.observers.values ?? [:].values {
            observer.continuation.yield(state)
            observer.continuation.finish()
        }
        for handler in ended?.endHandlers ?? [] { handler(state) }
    }

    /// Calls a handler once with the final state; immediately if the export has ended.
    func onEnd(_ handler: @escaping @Sendable (State) -> Void) {
        let state = storage.withLock { storage -> State? in
            guard !storage.state.isFinal else { return storage.state }
            storage.endHandlers.append(handler)
            return nil
        }
        if let state { handler(state) }
    }

    /// Returns the states from now on: the current one first, and the final one last.
    func stream(_ interval: MediaTime) -> AsyncStream<State> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let key = storage.withLock { storage -> Int? in
                continuation.yield(storage.state)
                guard !storage.state.isFinal else { return nil }
                storage.nextObserver += 1
                let seconds = interval.isNumeric ? max(0, interval.seconds) : 0
                storage.observers[storage.nextObserver] = Observer(
                    continuation: continuation, interval: .seconds(seconds), last: .now)
                return storage.nextObserver
            }
            guard let key else {
                continuation.finish()
                return
            }
            continuation.onTermination = { [weak self] _ in
                self?.storage.withLock { $0.observers[key] = nil }
            }
        }
    }
}
