// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A reference that threads exchange and read without a lock or reference counting.
///
/// The address is exchanged as a number, because Swift 6.3 fails to compile an exchange of pointers
/// under ThreadSanitizer.
///
/// - Concurrency: any thread, including real-time threads; sequentially consistent.
/// - Ownership: the reference does not retain its object.
package struct AtomicReference<Object: AnyObject>: ~Copyable, Sendable {
    private let address: Atomic<UInt>

    package init(_ object: Unmanaged<Object>?) { address = Atomic(Self.address(of: object)) }

    package func load() -> Unmanaged<Object>? {
        Self.object(at: address.load(ordering: .sequentiallyConsistent))
    }

    /// Replaces the reference and returns the old one.
    package func exchange(_ object: Unmanaged<Object>?) -> Unmanaged<Object>? {
        Self.object(
            at: address.exchange(Self.address(of: object), ordering: .sequentiallyConsistent))
    }

    private static func address(of object: Unmanaged<Object>?) -> UInt {
        UInt(bitPattern: object?.toOpaque())
    }

    private static func object(at address: UInt) -> Unmanaged<Object>? {
        guard let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
        return Unmanaged.fromOpaque(pointer)
    }
}
