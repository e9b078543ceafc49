// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A reference that a real-time thread follows without counting it, while other threads exchange
/// what it refers to.
///
/// - Concurrency: any threads exchange. One thread reads, and neither locks, allocates nor waits.
/// - Ownership: keeps the object until it has been exchanged and no read of it is under way.
final class RealTimeReference<Object: AnyObject & Sendable>: Sendable {
    // A writer swaps the reference, then looks whether a read is under way; a reader says that it
    // reads, then takes the reference. All of it is sequentially consistent, so an object that a
    // reader may have taken is seen to be in use, and kept for later.

    /// How often a writer steps aside for a read that is under way: it takes far less than that, but
    /// for a thread that is kept from running nobody waits for ever.
    private static var patience: Int { 1000 }

    private let current: AtomicReference<Object>
    private let isReading = Atomic(false)
    /// Exchanged, but perhaps being read.
    private let retired = Mutex<[Unmanaged<Object>]>([])

    init(_ object: Object? = nil) {
        current = AtomicReference(object.map { Unmanaged.passRetained($0) })
    }

    deinit {
        current.load()?.release()
        retired.withLock { for object in $0 { object.release() } }
    }

    /// Puts another object in place, and lets go of the old one, now or when it is next called.
    func exchange(with object: Object?) {
        let new = object.map { Unmanaged.passRetained($0) }
        let old = current.exchange(new)
        let released = retired.withLock { retired -> [Unmanaged<Object>] in
            if let old { retired.append(old) }
            for _ in 0..<Self.patience where isReading.load(ordering: .sequentiallyConsistent) {
                sched_yield()
            }
            guard !isReading.load(ordering: .sequentiallyConsistent) else { return [] }
            defer { retired = [] }
            return retired
        }
        for object in released { object.release() }
    }

    /// What `body` is given stays alive until `endReading`.
    func beginReading() -> Unmanaged<Object>? {
        isReading.store(true, ordering: .sequentiallyConsistent)
        return current.load()
    }

    func endReading() { isReading.store(false, ordering: .releasing) }
}
