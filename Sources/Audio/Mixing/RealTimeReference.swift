// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A reference that real-time threads read without reference counting, while other threads replace
/// its object.
///
/// - Concurrency: any thread may exchange the object. Readers do not lock, allocate or wait.
/// - Ownership: the reference retains the object until it has been exchanged and no read of it is
///   in progress.
package final class RealTimeReference<Object: AnyObject & Sendable>: Sendable {
    // A writer swaps the reference, then checks whether a read is in progress. A reader marks its
    // read, then takes the reference. All of these accesses are sequentially consistent, so the
    // writer sees that an object which a reader may have taken is in use, and keeps it for later.

    /// The number of times that a writer yields while a read is in progress. A read usually ends
    /// much earlier, but its thread may be preempted, so the wait must be bounded.
    private static var patience: Int { 1000 }

    private let current: AtomicReference<Object>
    /// The number of reads in progress. There may be several if a host reads from several threads.
    private let readers = Atomic(0)
    /// The objects that were exchanged but may still be read.
    private let retired = Mutex<[Unmanaged<Object>]>([])

    package init(_ object: Object? = nil) {
        current = AtomicReference(object.map { Unmanaged.passRetained($0) })
    }

    deinit {
        current.load()?.release()
        retired.withLock { for object in $0 { object.release() } }
    }

    /// Replaces the object, and releases the old one now or at the next call.
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

    /// Begins a read and returns the object, which stays alive until `endReading`.
    package func beginReading() -> Unmanaged<Object>? {
        readers.add(1, ordering: .sequentiallyConsistent)
        return current.load()
    }

    package func endReading() { readers.subtract(1, ordering: .releasing) }
}
