// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import Synchronization

/// The players' sound by their handles, for the threads of hosts' mixers: these must not come to wait for a
/// lock, not even for those short ones of the table of handles and of players.
///
/// A player's outlet has its handle's place. Room for outlets is made a thousand places at once, and kept.
///
/// - Concurrency: any thread sets; `read` neither locks, allocates nor waits.
/// - Ownership: keeps an outlet until another has its place and no read of it is under way.
final class PulledAudioTable: Sendable {
    /// A thousand places next to each other.
    private final class Block: Sendable {
        let places: [RealTimeReference<PulledAudio>]

        init() { places = (0..<PulledAudioTable.blockSize).map { _ in RealTimeReference() } }
    }

    static let shared = PulledAudioTable()

    private static let blockSize = 1 << 10
    private static let blockCount = HandleTable.placeLimit / blockSize
    /// Set once each: what is there stays, so that nothing has to be counted.
    private nonisolated(unsafe) let blocks: UnsafeMutablePointer<AtomicReference<Block>>
    /// Whoever changes does so alone.
    private let changing = Mutex(())

    private init() {
        blocks = .allocate(capacity: Self.blockCount)
        for index in 0..<Self.blockCount { (blocks + index).initialize(to: AtomicReference(nil)) }
    }

    /// Has a new player's sound read from its device.
    func add(_ device: HostedDevice, of handle: UInt) {
        changing.withLock { _ in
            place(of: handle).exchange(with: PulledAudio(handle: handle, device))
        }
    }

    /// Has a player's sound read from another device, or from none any more; not that of a player which has
    /// the place meanwhile.
    func change(to device: HostedDevice?, of handle: UInt) {
        changing.withLock { _ in
            guard read(handle, { _ in true }) == true else { return }
            place(of: handle).exchange(with: device.map { PulledAudio(handle: handle, $0) })
        }
    }

    /// Calls `body` with the outlet of a player; gives nil where there is none.
    func read<Result>(_ handle: UInt, _ body: (PulledAudio) throws -> Result) rethrows -> Result? {
        let place = HandleTable.place(of: handle)
        guard let block = blocks[place / Self.blockSize].load() else { return nil }
        return try block._withUnsafeGuaranteedRef { block in
            let place = block.places[place % Self.blockSize]
            defer { place.endReading() }
            return try place.beginReading()?._withUnsafeGuaranteedRef { outlet in
                outlet.handle == handle ? try body(outlet) : nil
            }
        }
    }

    /// Called locked.
    private func place(of handle: UInt) -> RealTimeReference<PulledAudio> {
        let place = HandleTable.place(of: handle)
        let index = place / Self.blockSize
        if let block = blocks[index].load() {
            return block.takeUnretainedValue().places[place % Self.blockSize]
        }
        let block = Block()
        _ = blocks[index].exchange(.passRetained(block))
        return block.places[place % Self.blockSize]
    }
}
