// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads

/// Runs blocking work on a thread of its own, so that the main thread continues meanwhile.
func onThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        _ = WorkerThread(name: "test") {
            continuation.resume(with: Swift.Result { try body() })
        }
    }
}
