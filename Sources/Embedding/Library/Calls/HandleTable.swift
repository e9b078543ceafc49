// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The handles through which hosts refer to objects. A handle is a number whose type is a pointer.
/// It is never dereferenced.
///
/// A handle contains a place in the table, the generation of that place, and the kind of object. A
/// stale or invalid handle can therefore be detected.
///
/// - Concurrency: any thread. A lock is held only during a look-up.
/// - Ownership: the table retains an object until its handle is removed.
final class HandleTable: Sendable {
    enum Kind: UInt64 {
        case player = 1, effect = 2, writer = 3
    }

    private struct Place {
        var generation: UInt64 = 1
        var kind = Kind.player
        var object: (any AnyObject & Sendable)?
    }

    private struct State {
        var places: [Place] = []
        var free: [Int] = []
    }

    static let shared = HandleTable()

    private static let kindBits: UInt64 = 4
    private static let placeBits: UInt64 = 20
    /// The maximum number of handles.
    static let placeLimit = 1 << placeBits
    private static let generationLimit: UInt64 = 1 << 32
    private let state = Mutex(State())

    /// Adds an object and returns its handle; nil if the table is full.
    func add(_ object: any AnyObject & Sendable, kind: Kind) -> OpaquePointer? {
        state.withLock { state in
            let index: Int
            if let last = state.free.popLast() {
                index = last
            } else {
                guard state.places.count < Self.placeLimit else { return nil }
                index = state.places.count
                state.places.append(Place())
            }
            state.places[index].kind = kind
            state.places[index].object = object
            let number =
                state.places[index].generation << (Self.kindBits + Self.placeBits)
                | UInt64(index) << Self.kindBits | kind.rawValue
            return OpaquePointer(bitPattern: UInt(number))
        }
    }

    /// Returns the object for a handle; nil if the handle is stale, invalid or of another kind.
    func object<Object: AnyObject & Sendable>(
        _ handle: OpaquePointer?, _ kind: Kind, as type: Object.Type
    ) -> Object? {
        state.withLock { state in
            guard let index = Self.index(of: handle, kind, in: state) else { return nil }
            return state.places[index].object as? Object
        }
    }

    /// Removes a handle and returns its object; nil if the handle is invalid.
    func remove<Object: AnyObject & Sendable>(
        _ handle: OpaquePointer?, _ kind: Kind, as type: Object.Type
    ) -> Object? {
        state.withLock { state in
            guard let index = Self.index(of: handle, kind, in: state),
                let object = state.places[index].object as? Object
            else { return nil }
            state.places[index].object = nil
            state.places[index].generation += 1
            if state.places[index].generation == Self.generationLimit {
                state.places[index].generation = 1
            }
            state.free.append(index)
            return object
        }
    }

    /// Returns the place that a handle contains. The handle may be invalid.
    static func place(of handle: UInt) -> Int {
        Int(UInt64(handle) >> kindBits & (1 << placeBits - 1))
    }

    private static func index(of handle: OpaquePointer?, _ kind: Kind, in state: State) -> Int? {
        let number = UInt64(UInt(bitPattern: handle))
        guard number & (1 << kindBits - 1) == kind.rawValue else { return nil }
        let index = place(of: UInt(number))
        guard index < state.places.count, state.places[index].object != nil,
            state.places[index].kind == kind,
            state.places[index].generation == number >> (kindBits + placeBits)
        else { return nil }
        return index
    }
}
