// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The OpenGL context that is current on a thread, made by whomever.
///
/// libepoxy ends the process where it has to find a function and no context is current, so whoever
/// is called by a host asks here first.
///
/// - Concurrency: any thread; takes no lock once it has been made.
/// - Corresponds to: `eglGetCurrentContext`, `glXGetCurrentContext`.
package struct GLCurrentContext: Sendable {
    private typealias Question = @convention(c) () -> UnsafeMutableRawPointer?

    /// A number for the context. Of one that has gone it may be given to another one.
    package let identifier: UInt
    private let question: Question

    /// That of the calling thread; nil where there is none, or one of neither EGL nor GLX.
    package init?() {
        // A library that nobody has loaded has made no context: none is loaded here.
        for (libraries, name) in [
            (["libEGL.so.1"], "eglGetCurrentContext"),
            (["libGLX.so.0", "libGL.so.1"], "glXGetCurrentContext"),
        ] {
            for library in libraries {
                guard let handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD) else { continue }
                // The library stays: whoever loaded it has not let go of it.
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

    /// Whether it is current on the calling thread now.
    package var isCurrent: Bool { UInt(bitPattern: question()) == identifier }
}
