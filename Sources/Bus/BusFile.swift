// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An open file that a message carries.
///
/// - Concurrency: any thread.
/// - Ownership: the file is closed with the object.
package final class BusFile: Sendable, Hashable {
    package let descriptor: Int32

    /// Takes ownership of a descriptor.
    package init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Returns another descriptor of the file, which the caller has to close; -1 if too many files
    /// are open.
    package func duplicate() -> Int32 { Self.duplicate(descriptor) }

    static func duplicate(_ descriptor: Int32) -> Int32 {
        fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    }

    package static func == (first: BusFile, second: BusFile) -> Bool { first === second }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
