// SPDX-License-Identifier: Apache-2.0

import PlayheadGL

/// OpenGL objects in a host's context.
///
/// - Concurrency: render thread; the last reference may be released on any thread.
protocol HostedContextUser: AnyObject {
    /// The owner's name for error messages.
    static var noun: String { get }
    /// The common prefix of the functions that set and reset the owner's context.
    static var prefix: String { get }

    var context: GLHostContext { get }

    /// Creates the objects.
    ///
    /// - Precondition: The context is current.
    init(context: GLHostContext, mode: GLHostState.Mode, unitBase: Int)
}
