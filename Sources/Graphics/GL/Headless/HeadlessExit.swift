// SPDX-License-Identifier: Apache-2.0

import CPlayheadEGL
import Glibc
import Synchronization

/// The exit handler that ends the threads that draw in headless contexts. After it, no context is
/// destroyed any more.
///
/// The system calls exit handlers in the reverse order of their registration, and this one must be
/// called before those of EGL and of the driver. They are registered when a library is loaded, or
/// when a function is first used: the first `glReadPixels`, for example, registers a handler that
/// frees Mesa's table of pixel formats (`format_array_format_table_init` in main/formats.c).
/// Therefore this handler is registered again after drawing.
///
/// - Concurrency: any thread.
package enum HeadlessExit {
    /// True once the process is ending and EGL's libraries are being torn down. The lock is held
    /// while a context is destroyed.
    static let isEnding = Mutex(false)

    /// Held during a registration.
    private static let registering = Mutex<Void>(())
    /// The thread that registers the handler; 0 if there is no such thread.
    private static let registeringThread = Atomic<UInt>(0)
    /// An address that stands for the handler. Nothing is stored there, and it does not change.
    nonisolated(unsafe) private static let owner = UnsafeMutableRawPointer.allocate(
        byteCount: 1, alignment: 1)

    /// Registers the handler after all others that are registered so far.
    ///
    /// To be called after the first drawing in a context, and after other kinds of drawing. If no
    /// other handler has been registered since the last call, it takes no memory.
    package static func registerLast() {
        registering.withLock { _ in
            registeringThread.store(UInt(pthread_self()), ordering: .relaxed)
            ph_remove_exit_handler(owner)
            ph_add_exit_handler({ _ in HeadlessExit.end() }, owner)
            registeringThread.store(0, ordering: .relaxed)
        }
    }

    private static func end() {
        // The removal of a handler calls it, too.
        guard registeringThread.load(ordering: .relaxed) != UInt(pthread_self()) else { return }
        HeadlessThreads.shared.end()
        isEnding.withLock { $0 = true }
    }
}
