// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Has the contexts of the process draw by turns, call by call, where the driver cannot bear it otherwise.
///
/// Mesa's llvmpipe looks, whenever texels are written or read and at each swap, through what every context
/// of the process is about to draw. Later versions lock those lists; 22.3 does not, and reads what another
/// thread is just making: it crashes in `lp_scene_is_resource_referenced`, or does not come back. So as soon as
/// there are two contexts of software, calls that draw, upload, read back or end a frame exclude each other.
/// Its threads that fill pixels are shared by all contexts in any case.
///
/// A single context, and any other driver, take one relaxed load for each call. What a program draws itself
/// on a thread of its own, beside contexts of ours, cannot be held back.
///
/// - Concurrency: any thread. The body calls nothing but OpenGL, EGL or GLFW.
package enum GLTurns {
    private static let lock = Mutex(())
    /// Of software that have been made; they are never counted out.
    private static let contextCount = Atomic(0)

    /// Counts a context of software that has been made.
    static func noteContext() { contextCount.add(1, ordering: .relaxed) }

    /// Runs what may reach into other contexts, when it is its turn.
    @discardableResult
    package static func take<Result>(_ body: () -> Result) -> Result {
        guard contextCount.load(ordering: .relaxed) > 1 else { return body() }
        return lock.withLock { _ in body() }
    }
}
