// SPDX-License-Identifier: Apache-2.0

import PlayheadPlayback

/// The numbers of decoded and dropped frames, for each item, that a ledger already contains. Both
/// the numbers and the ledger outlive a lost context.
///
/// - Concurrency: one thread at a time.
final class PlaybackCounts {
    private struct Entry {
        weak var item: PlayerItem?
        var decoded = 0
        var dropped = 0
    }

    private var entries: [Entry] = []

    /// Returns the numbers of decoded and dropped frames of an item since the last call.
    func takeNew(of item: PlayerItem) -> (decoded: Int, dropped: Int) {
        let index: Int
        if let known = entries.firstIndex(where: { $0.item === item }) {
            index = known
        } else {
            entries.removeAll { $0.item == nil }
            index = entries.count
            entries.append(Entry(item: item))
        }
        let (before, counts) = (entries[index], item.frameCounts)
        entries[index].decoded = counts.decoded
        entries[index].dropped = counts.dropped
        return (counts.decoded - before.decoded, counts.dropped - before.dropped)
    }
}
