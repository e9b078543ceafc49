// SPDX-License-Identifier: Apache-2.0

/// A weak reference that can be passed from closure to closure without retaining its object.
///
/// If a closure captures a weak variable of another closure, Swift retains the object for a moment
/// while it copies the variable. The thread that copies it may then be the last owner of the
/// object.
///
/// - Concurrency: any thread.
package final class WeakReference<Object: AnyObject & Sendable>: Sendable {
    /// The object, or nil after the object is deallocated. A caller retains the object while using
    /// it, and may be the object's last owner.
    package weak let object: Object?

    package init(_ object: Object) { self.object = object }
}
