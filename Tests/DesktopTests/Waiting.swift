// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads

/// Runs what blocks on a thread of its own, so that the main thread goes on meanwhile.
func onThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        _ = WorkerThread(name: "test") {
            continuation.resume(with: Swift.Result { try body() })
        }
    }
}

/// Waits, with the main thread going on, until something is so; false after a minute.
@MainActor func eventually(_ condition: @MainActor () throws -> Bool) async rethrows -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
        if try condition() { return true }
        await Task.yield()
        try? await Task.sleep(for: .milliseconds(2))
    }
    return false
}
