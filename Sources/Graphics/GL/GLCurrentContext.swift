// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The OpenGL context that is current on a thread, made by any code of the process.
///
/// libepoxy ends the process if it must look up a function and no context is current, so code that
/// a host calls checks here first.
///
/// - Concurrency: any thread; takes no lock once it has been made.
/// - Corresponds to: `eglGetCurrentContext`, `glXGetCurrentContext`.
package struct GLCurrentContext: Sendable {
    private typealias Question = @convention(c) () -> UnsafeMutableRawPointer?

    /// A number that identifies the context. After a context is destroyed, another may get its
    /// number.
    package let identifier: UInt
    private let question: Question

    /// Creates a reference to the context of the calling thread; nil if none is current, or one
    /// that is neither EGL's nor GLX's.
    package init?() {
        // A library that is not loaded has made no context, so none is loaded here.
        for (libraries, name) in [
            (["libEGL.so.1"], "eglGetCurrentContext"),
            (["libGLX.so.0", "libGL.so.1"], "glXGetCurrentContext"),
        ] {
            for library in libraries {
                guard let handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD) else { continue }
                // The library stays loaded: its other user still holds it.
                defer { dlclose(handle) }
                guard let address = dlsym(handle, name) else { continue }
                let question = unsafeBitCast(address, to: Question.self)
                guard let context = question() else { continue }
                self.question = question
                identifier = UInt(bitPattern: context)
                return
            }
        }
        return nil
    }

    /// A Boolean value that indicates whether the context is current on the calling thread.
    package var isCurrent: Bool { UInt(bitPattern: question()) == identifier }
}
