// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// The cards that have been drawn, up to a number of bytes. The cards that were used least recently
/// are dropped first; those that are in use are never dropped.
///
/// - Concurrency: a value; any thread.
struct BrowserCards: Sendable {
    private struct Entry: Sendable {
        var card: BrowserCard
        var lastUse: Int
    }

    private var entries: [ExactPath: Entry] = [:]
    private var useCount = 0
    /// The paths of the cards that are in use, whether or not they have been drawn.
    private var used: Set<ExactPath> = []
    /// The size of all cards, in bytes.
    private(set) var byteCount = 0
    /// The maximum size of all cards, in bytes.
    var byteLimit: Int { didSet { drop() } }

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// The number of cards.
    var count: Int { entries.count }

    /// Returns the card of a path.
    subscript(path: ExactPath) -> BrowserCard? { entries[path]?.card }

    /// Marks the cards that are in use from now on.
    mutating func use(_ paths: some Sequence<ExactPath>) {
        useCount += 1
        used = Set(paths)
        for path in used { entries[path]?.lastUse = useCount }
        drop()
    }

    /// Adds a card, or replaces the one with its path.
    mutating func insert(_ card: BrowserCard) {
        let path = card.request.entry.key
        let former = entries[path]
        byteCount += card.picture.byteCount - (former?.card.picture.byteCount ?? 0)
        // A card that is no longer wanted may still arrive.
        let lastUse = used.contains(path) ? useCount : former?.lastUse ?? useCount - 1
        entries[path] = Entry(card: card, lastUse: lastUse)
        drop()
    }

    /// Removes the cards of files that could not be opened or had no frame to show.
    mutating func removeFailures() {
        for (path, entry) in entries where entry.card.hasFailed {
            byteCount -= entry.card.picture.byteCount
            entries[path] = nil
        }
    }

    /// Returns the requests that are missing for an entry, the first one first.
    func missing(of entry: FolderEntry, _ metrics: CardMetrics) -> [BrowserCard.Stage] {
        guard let card = self[entry.key], card.request.entry == entry else {
            return [.name, .complete]
        }
        guard card.isComplete else { return [.complete] }
        // A card of another size is shown until it has been drawn again.
        return card.request.metrics == metrics ? [] : [.complete]
    }

    private mutating func drop() {
        guard byteCount > byteLimit else { return }
        let idle = entries.filter { $0.value.lastUse < useCount }
            .sorted { $0.value.lastUse < $1.value.lastUse }
        for (path, entry) in idle where byteCount > byteLimit {
            byteCount -= entry.card.picture.byteCount
            entries[path] = nil
        }
    }
}
