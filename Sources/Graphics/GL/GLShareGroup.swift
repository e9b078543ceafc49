// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A group of contexts that see each other's textures and buffers, such as those of one program's
/// windows.
///
/// Every context belongs to a group. Contexts that were created to share objects belong to the same
/// group.
///
/// - Concurrency: any thread.
/// - Corresponds to: `CGLShareGroupObj`, the share list of `glXCreateContext`.
public final class GLShareGroup: Sendable {
    /// The queue of objects that belong to the group instead of one context. They are deleted by
    /// any context of the group.
    package let deletionQueue = GLDeletionQueue(isShared: true)
    private let count = Atomic(1)
    private let attachments = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    package init() {}

    /// A Boolean value that indicates whether the group has, or has had, more than one context.
    package var isShared: Bool { count.load(ordering: .acquiring) > 1 }

    /// Adds a context to the group.
    package func join() { count.add(1, ordering: .acquiringAndReleasing) }

    /// Returns the group's object of the type `Attachment`. The first request creates it with
    /// `make`.
    package func attachment<Attachment: AnyObject & Sendable>(
        _ make: () -> Attachment
    ) -> Attachment {
        attachments.withLock { attachments in
            let key = ObjectIdentifier(Attachment.self)
            if let made = attachments[key] as? Attachment { return made }
            let made = make()
            attachments[key] = made
            return made
        }
    }
}
