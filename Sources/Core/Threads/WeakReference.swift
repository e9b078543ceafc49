// SPDX-License-Identifier: Apache-2.0

/// A weak reference that can be passed from closure to closure without retaining its object.
///
/// A closure that captures a weak variable of another closure retains the object while it does so,
/// and may become its last owner.
///
/// - Concurrency: any thread.
package final class WeakReference<Object: AnyObject & Sendable>: Sendable {
    /// The object, or nil once it is deallocated. A caller retains it while it uses it, and may be
    /// its last owner.
    package weak let object: Object?

    package init(_ object: Object) { self.object = object }
}
