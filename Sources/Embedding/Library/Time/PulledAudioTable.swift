// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import Synchronization

/// A table of the audio that hosts read, by the handle of the player. It is for the threads of
/// mixers, which must not wait for the locks of the handle table and of players.
///
/// An entry is at the place that its handle contains. Entries are allocated in blocks of a thousand
/// and are never freed.
///
/// - Concurrency: any thread may change entries. `read` does not lock, allocate or wait.
/// - Ownership: retains the audio in an entry until it is replaced and no longer being read.
final class PulledAudioTable: Sendable {
    /// A block of a thousand consecutive entries.
    private final class Block: Sendable {
        let places: [RealTimeReference<PulledAudio>]

        init() { places = (0..<PulledAudioTable.blockSize).map { _ in RealTimeReference() } }
    }

    static let shared = PulledAudioTable()

    private static let blockSize = 1 << 10
    private static let blockCount = HandleTable.placeLimit / blockSize
    /// The blocks. Each is set once and never released, so reading needs no reference counting.
    private nonisolated(unsafe) let blocks: UnsafeMutablePointer<AtomicReference<Block>>
    /// A lock that serialises changes.
    private let changing = Mutex(())

    private init() {
        blocks = .allocate(capacity: Self.blockCount)
        for index in 0..<Self.blockCount { (blocks + index).initialize(to: AtomicReference(nil)) }
    }

    /// Adds the audio of a new player.
    func add(_ device: HostedDevice, of handle: UInt) {
        changing.withLock { _ in
            place(of: handle).exchange(with: PulledAudio(handle: handle, device))
        }
    }

    /// Replaces or removes the audio of a player. Does nothing if another player has taken the
    /// place.
    func change(to device: HostedDevice?, of handle: UInt) {
        changing.withLock { _ in
            guard read(handle, { _ in true }) == true else { return }
            place(of: handle).exchange(with: device.map { PulledAudio(handle: handle, $0) })
        }
    }

    /// Calls `body` with the audio of a player, and returns the result. Returns nil if the player
    /// has no such audio.
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

    /// Returns the entry for a handle. The lock must be held.
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
