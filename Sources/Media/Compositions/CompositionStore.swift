// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A composition's content, which the composition and its tracks share.
///
/// - Concurrency: any thread.
package final class CompositionStore: Sendable {
    private let state: Mutex<CompositionState>

    init(_ state: CompositionState) { self.state = Mutex(state) }

    /// A snapshot of the current content.
    package var snapshot: CompositionState { state.withLock { $0 } }

    /// Reads the content without copying it.
    func read<Result: Sendable>(_ body: (CompositionState) -> Result) -> Result {
        state.withLock { body($0) }
    }

    /// Changes the content. If `body` throws an error, it must do so before it changes anything.
    func edit<Result: Sendable>(
        _ body: (inout CompositionState) throws(CompositionError) -> Result
    ) throws(CompositionError) -> Result {
        try state.withLock { (state) throws(CompositionError) in try body(&state) }
    }
}
