// SPDX-License-Identifier: Apache-2.0

import PlayheadGL
import Synchronization

/// The contexts that still contain OpenGL objects of destroyed players and writers.
///
/// - Concurrency: any thread. `collect` calls OpenGL.
enum HostedGarbage {
    private static let contexts = Mutex<[GLHostContext]>([])

    static func add(_ context: GLHostContext) {
        guard context.droppedCount > 0 else { return }
        contexts.withLock { $0.append(context) }
    }

    /// Deletes the objects that belong to the current context, and returns their number.
    static func collect() -> Int {
        let here = contexts.withLock { contexts -> [GLHostContext] in
            let here = contexts.filter { $0.deletionQueue.isOnRenderThread && $0.isCurrent }
            contexts.removeAll { context in here.contains { $0 === context } }
            return here
        }
        var count = 0
        for context in here {
            count += context.droppedCount
            context.deleteDropped()
        }
        return count
    }
}
