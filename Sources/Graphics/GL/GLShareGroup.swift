// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Contexts that see each other's textures and buffers: those of the windows of one program.
///
/// Every context has one; contexts that were made to share have the same.
///
/// - Concurrency: any thread.
/// - Corresponds to: `CGLShareGroupObj`, the share list of `glXCreateContext`.
public final class GLShareGroup: Sendable {
    /// Where names of objects wait that belong to no context in particular; any context of the group
    /// deletes them.
    package let deletionQueue = GLDeletionQueue(isShared: true)
    private let count = Atomic(1)
    private let attachments = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    package init() {}

    /// Whether more than one context belongs to it, or did.
    package var isShared: Bool { count.load(ordering: .acquiring) > 1 }

    /// Another context belongs to it.
    package func join() { count.add(1, ordering: .acquiringAndReleasing) }

    /// What the contexts of the group have in common of a kind, made when it is first asked for.
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
