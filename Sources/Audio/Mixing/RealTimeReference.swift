// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A reference that real-time threads follow without counting it, while other threads exchange
/// what it refers to.
///
/// - Concurrency: any threads exchange. Those that read neither lock, allocate nor wait.
/// - Ownership: keeps the object until it has been exchanged and no read of it is under way.
package final class RealTimeReference<Object: AnyObject & Sendable>: Sendable {
    // A writer swaps the reference, then looks whether a read is under way; a reader says that it
    // reads, then takes the reference. All of it is sequentially consistent, so an object that a
    // reader may have taken is seen to be in use, and kept for later.

    /// How often a writer steps aside for a read that is under way: it takes far less than that, but
    /// for a thread that is kept from running nobody waits for ever.
    private static var patience: Int { 1000 }

    private let current: AtomicReference<Object>
    /// Reads that are under way: more than one where a host reads from several threads.
    private let readers = Atomic(0)
    /// Exchanged, but perhaps being read.
    private let retired = Mutex<[Unmanaged<Object>]>([])

    package init(_ object: Object? = nil) {
        current = AtomicReference(object.map { Unmanaged.passRetained($0) })
    }

    deinit {
        current.load()?.release()
        retired.withLock { for object in $0 { object.release() } }
    }

    /// Puts another object in place, and lets go of the old one, now or when it is next called.
    package func exchange(with object: Object?) {
        let new = object.map { Unmanaged.passRetained($0) }
        let old = current.exchange(new)
        let released = retired.withLock { retired -> [Unmanaged<Object>] in
            if let old { retired.append(old) }
            for _ in 0..<Self.patience where readers.load(ordering: .sequentiallyConsistent) > 0 {
                sched_yield()
            }
            guard readers.load(ordering: .sequentiallyConsistent) == 0 else { return [] }
            defer { retired = [] }
            return retired
        }
        for object in released { object.release() }
    }

    /// What `body` is given stays alive until `endReading`.
    package func beginReading() -> Unmanaged<Object>? {
        readers.add(1, ordering: .sequentiallyConsistent)
        return current.load()
    }

    package func endReading() { readers.subtract(1, ordering: .releasing) }
}
