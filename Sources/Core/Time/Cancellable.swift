// SPDX-License-Identifier: Apache-2.0

/// An object that calls a closure until it is cancelled.
protocol Cancellable: AnyObject, Sendable {
    /// Prevents further calls of the closure. If a call is in progress on another thread, waits
    /// until it returns.
    func cancel()
}
