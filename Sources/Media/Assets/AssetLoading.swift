// SPDX-License-Identifier: Apache-2.0

/// The progress of an asset's loading, and the callers that wait for it.
struct AssetLoading {
    typealias Waiter = @Sendable (Result<AssetDescription, MediaError>) -> Void

    struct WaiterID: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    enum Phase {
        case unknown
        case loading(Cancellation)
        case ended(Result<AssetDescription, MediaError>)
        case cancelled
    }

    /// The next step for a caller that begins to wait.
    enum Step {
        case wait
        /// The caller starts loading. The cancellation ends loading early.
        case start(Cancellation)
        case ended(Result<AssetDescription, MediaError>)
        /// The caller gave up the wait before it began.
        case withdrawn
    }

    private(set) var phase = Phase.unknown
    private var waiters: [(id: WaiterID, call: Waiter)] = []
    private var withdrawn: Set<WaiterID> = []
    private var lastNumber: UInt64 = 0

    mutating func makeWaiter() -> WaiterID {
        lastNumber += 1
        return WaiterID(number: lastNumber)
    }

    mutating func add(_ id: WaiterID, _ call: @escaping Waiter) -> Step {
        if withdrawn.remove(id) != nil { return .withdrawn }
        switch phase {
        case .ended(let result): return .ended(result)
        case .loading:
            waiters.append((id, call))
            return .wait
        case .unknown, .cancelled:
            let cancellation = Cancellation()
            phase = .loading(cancellation)
            waiters.append((id, call))
            return .start(cancellation)
        }
    }

    /// Ends the wait of one caller. If no other caller is waiting, loading is cancelled.
    mutating func withdraw(_ id: WaiterID) -> Waiter? {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else {
            // The caller has not registered yet, or was already served. In the latter case, its
            // number stays in the set.
            withdrawn.insert(id)
            return nil
        }
        let call = waiters.remove(at: index).call
        if waiters.isEmpty { _ = cancel() }
        return call
    }

    mutating func cancel() -> [Waiter] {
        guard case .loading(let cancellation) = phase else { return [] }
        cancellation.cancel()
        phase = .cancelled
        return takeWaiters()
    }

    /// Records the result of loading, unless that loading was given up in the meantime.
    mutating func end(
        _ cancellation: Cancellation, _ result: Result<AssetDescription, MediaError>
    ) -> [Waiter] {
        guard case .loading(let current) = phase, current === cancellation else { return [] }
        // A cancellation is not a property of the media, so it is not kept.
        if case .failure(let error) = result, error.code == .cancelled {
            phase = .cancelled
        } else {
            phase = .ended(result)
        }
        return takeWaiters()
    }

    /// Keeps a description that was loaded elsewhere.
    mutating func keep(_ description: AssetDescription) {
        switch phase {
        case .unknown, .cancelled: phase = .ended(.success(description))
        case .loading, .ended: break
        }
    }

    private mutating func takeWaiters() -> [Waiter] {
        defer { waiters = [] }
        return waiters.map(\.call)
    }
}
