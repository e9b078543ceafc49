// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Serialises GL calls across the process's contexts, for drivers that are not thread-safe.
///
/// Mesa's llvmpipe examines the pending work of every context of the process whenever texels are
/// written or read, and at each swap. Later versions lock these lists; 22.3 does not, and reads a
/// list while another thread builds it: it crashes in `lp_scene_is_resource_referenced`, or hangs.
/// So as soon as there are two software contexts, calls that draw, upload, read back or end a frame
/// exclude each other. Its rasteriser threads are shared by all contexts in any case.
///
/// A single context, and any other driver, cost one relaxed load for each call. Drawing by the
/// program itself, on a thread of its own beside contexts of ours, is not covered.
///
/// - Concurrency: any thread. The body calls nothing but OpenGL, EGL or GLFW.
package enum GLDriverLock {
    private static let lock = Mutex(())
    /// The number of software contexts that were ever made; it never falls.
    private static let contextCount = Atomic(0)

    /// Counts a software context that was made.
    static func noteContext() { contextCount.add(1, ordering: .relaxed) }

    /// Runs calls that may reach into other contexts, under the lock if there are several.
    @discardableResult
    package static func withLock<Result>(_ body: () -> Result) -> Result {
        guard contextCount.load(ordering: .relaxed) > 1 else { return body() }
        return lock.withLock { _ in body() }
    }
}
