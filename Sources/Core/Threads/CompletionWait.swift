// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Waits until a completion is called or the waiting task is cancelled, whichever comes first.
///
/// - Parameters:
///   - cancelled: The result if the task is cancelled, or was cancelled before the call.
///   - begin: Begins the work. It is called even if the task is already cancelled, and receives the
///     completion. Only the first call of the completion has an effect. If the task is cancelled,
///     the wait ends, but the work continues.
package func waitForCompletion<Value: Sendable>(
    orCancellation cancelled: Value,
    _ begin: (_ completion: @escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
    let wait = CompletionWait<Value>()
    return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            wait.begin(continuation)
            begin { wait.end($0) }
        }
    } onCancel: {
        wait.end(cancelled)
    }
}

/// A continuation that is resumed once, with the first result, even if the result arrives before
/// the continuation is set.
///
/// - Concurrency: any thread; the continuation is resumed with no lock held.
private final class CompletionWait<Value: Sendable>: Sendable {
    private enum State {
        case beginning
        case waiting(CheckedContinuation<Value, Never>)
        case over(Value)
    }

    private let state = Mutex(State.beginning)

    func begin(_ continuation: CheckedContinuation<Value, Never>) {
        let value = state.withLock { state -> Value? in
            if case .over(let value) = state { return value }
            state = .waiting(continuation)
            return nil
        }
        if let value { continuation.resume(returning: value) }
    }

    func end(_ value: Value) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .over: return nil
            case .beginning:
                state = .over(value)
                return nil
            case .waiting(let continuation):
                state = .over(value)
                return continuation
            }
        }
        continuation?.resume(returning: value)
    }
}
