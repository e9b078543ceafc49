// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// A fence of a host's: after it, something of ours is no longer read.
///
/// - Concurrency: render thread.
/// - Ownership: whoever has it deletes it, once.
/// - Corresponds to: a sync object, `GLsync`.
public struct GLFence {
    private let name: OpaquePointer

    /// - Parameter name: a `GLsync` of the current context's share group; nil where it is none.
    public init?(_ name: UnsafeMutableRawPointer) {
        let name = OpaquePointer(name)
        guard ph_glIsSync(name) != 0 else { return nil }
        self.name = name
    }

    /// Whether everything before it has been done. Asks, and does not wait.
    public var isSignaled: Bool { ph_isSignaled(name) }

    public func delete() { ph_glDeleteSync(name) }
}
