// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A reference to the OpenGL context that is current on a thread, no matter which code of the
/// process created it.
///
/// libepoxy ends the process if it has to look up a function while no context is current. Code that
/// a host calls therefore checks for a current context first.
///
/// - Concurrency: any thread; takes no lock after its creation.
/// - Corresponds to: `eglGetCurrentContext`, `glXGetCurrentContext`.
package struct GLCurrentContext: Sendable {
    private typealias Question = @convention(c) () -> UnsafeMutableRawPointer?

    /// A number that identifies the context. After the context is destroyed, another one may get
    /// the same number.
    package let identifier: UInt
    private let question: Question

    /// Creates a reference to the context of the calling thread. The result is nil if no context of
    /// EGL or GLX is current.
    package init?() {
        // A library that is not loaded has created no context. Therefore no library is loaded here.
        for (libraries, name) in [
            (["libEGL.so.1"], "eglGetCurrentContext"),
            (["libGLX.so.0", "libGL.so.1"], "glXGetCurrentContext"),
        ] {
            for library in libraries {
                guard let handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD) else { continue }
                // The library stays loaded, because the code that loaded it still holds it.
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
