// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import Synchronization

/// An object that follows the timeline of an item, as the item's video and audio do. An example is
/// the subtitles of the item.
protocol ItemCompanion: AnyObject, Sendable {
    /// Creates a companion with the same settings for a copy of the item.
    func copy(asset: Asset, timebase: Timebase) -> any ItemCompanion
    /// Handles the end of the item.
    func close()
}

/// The companions of an item, at most one of each type. The item does not need to know the types.
///
/// - Concurrency: any thread.
final class ItemCompanions: Sendable {
    private let all = Mutex<[ObjectIdentifier: any ItemCompanion]>([:])

    /// Returns the companion of a type. It is created when it is first needed.
    func companion<Companion: ItemCompanion>(_ make: () -> Companion) -> Companion {
        all.withLock { all in
            let key = ObjectIdentifier(Companion.self)
            if let present = all[key] as? Companion { return present }
            let new = make()
            all[key] = new
            return new
        }
    }

    /// Adds copies of the companions of another item.
    func copy(_ other: ItemCompanions, asset: Asset, timebase: Timebase) {
        let copies = other.all.withLock { $0 }.mapValues {
            $0.copy(asset: asset, timebase: timebase)
        }
        all.withLock { $0 = copies }
    }

    func close() {
        for companion in all.withLock({ $0 }).values { companion.close() }
    }
}
