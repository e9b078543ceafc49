// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A lock that serialises OpenGL calls of all contexts of the process, for drivers that are not
/// thread-safe.
///
/// At each read or write of texels, and at each swap, Mesa's llvmpipe examines the lists of pending
/// work that all contexts in the process have. Later versions lock these lists. Version 22.3 does
/// not: it reads a list while another thread builds it, and crashes in
/// `lp_scene_is_resource_referenced` or hangs. Therefore, as soon as there are two software
/// contexts, calls that draw, upload, read back or end a frame exclude each other. This costs
/// little, because all contexts share llvmpipe's rasteriser threads anyway.
///
/// With a single context, and with any other driver, each call costs one relaxed load. The lock
/// does not cover drawing by the program's own code on another thread.
///
/// - Concurrency: any thread. The body must call nothing but OpenGL, EGL and GLFW.
package enum GLDriverLock {
    private static let lock = Mutex(())
    /// The number of software contexts that were ever created; it never falls.
    private static let contextCount = Atomic(0)

    /// Counts a newly created software context.
    static func noteContext() { contextCount.add(1, ordering: .relaxed) }

    /// Runs calls that may affect other contexts. They are run under the lock if there are several
    /// software contexts.
    @discardableResult
    package static func withLock<Result>(_ body: () -> Result) -> Result {
        guard contextCount.load(ordering: .relaxed) > 1 else { return body() }
        return lock.withLock { _ in body() }
    }
}
