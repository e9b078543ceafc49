// SPDX-License-Identifier: Apache-2.0

/// Means an object without keeping it, also for the moment in which it is handed on: a closure that
/// captures a weak variable of another closure's holds its object while it does so, and may be the last
/// that does.
///
/// - Concurrency: any thread.
package final class WeakReference<Object: AnyObject & Sendable>: Sendable {
    /// Nil once it is gone. Whoever asks keeps it until done, and lets go of it there if nobody else has it.
    package weak let object: Object?

    package init(_ object: Object) { self.object = object }
}
