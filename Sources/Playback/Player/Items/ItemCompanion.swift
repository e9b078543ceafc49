// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import Synchronization

/// An object that lives with an item and plays with its timeline, apart from its video and audio:
/// its subtitles.
protocol ItemCompanion: AnyObject, Sendable {
    /// Creates a companion with the same choices for a copy of the item.
    func copy(asset: Asset, timebase: Timebase) -> any ItemCompanion
    /// Handles the end of the item.
    func close()
}

/// The companions of an item, one of each type, which the item does not know.
///
/// - Concurrency: any thread.
final class ItemCompanions: Sendable {
    private let all = Mutex<[ObjectIdentifier: any ItemCompanion]>([:])

    /// Returns the companion of a type, which is created when it is first needed.
    func companion<Companion: ItemCompanion>(_ make: () -> Companion) -> Companion {
        all.withLock { all in
            let key = ObjectIdentifier(Companion.self)
            if let present = all[key] as? Companion { return present }
            let new = make()
            all[key] = new
            return new
        }
    }

    /// Adds copies of another item's companions.
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
