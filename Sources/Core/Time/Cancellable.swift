// SPDX-License-Identifier: Apache-2.0

/// An object with calls that can be cancelled.
protocol Cancellable: AnyObject, Sendable {
    /// Prevents further calls. Waits for a call in progress on another thread.
    func cancel()
}
