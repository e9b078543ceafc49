// SPDX-License-Identifier: Apache-2.0

/// The progress of an item's loop.
///
/// - Concurrency: a value.
package struct LoopProgress: Sendable, Hashable {
    /// The number of repetitions left; −1 for an endless loop.
    package var left = 0
    /// The number of repetitions that have begun since the loop was set.
    package var done = 0
    /// The number of repetitions that have begun in all loops of the item.
    package var total = 0
}
