// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A video composition that can be exchanged while its frames are drawn.
///
/// - Concurrency: any thread.
package final class LiveVideoComposition: Sendable {
    private struct State {
        var composition: VideoComposition?
        var edition = 1
    }

    private let state: Mutex<State>

    /// Creates an object that holds a composition.
    package init(_ composition: VideoComposition?) {
        state = Mutex(State(composition: composition))
    }

    /// The composition; nil to show the frames of the preferred track unchanged.
    package var composition: VideoComposition? {
        get { state.withLock { $0.composition } }
        set {
            state.withLock { state in
                state.composition = newValue
                state.edition += 1
            }
        }
    }

    /// The composition, and a number that increases with each exchange.
    var current: (composition: VideoComposition?, edition: Int) {
        state.withLock { ($0.composition, $0.edition) }
    }

    /// A number that increases with each exchange.
    var edition: Int { state.withLock { $0.edition } }
}
