// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The titles that internet radio inserts into its audio after every `interval` bytes
/// (`icy-metaint`): a byte with the length in units of 16 bytes, and the text.
///
/// - Concurrency: one thread at a time, which is the thread that reads the asset.
final class RadioTitles {
    /// The unit of the length of a title, in bytes.
    static let unit = 16
    /// The largest interval that is believed. Servers use 8 to 64 KiB.
    private static let longestInterval: Int64 = 16 << 20
    /// The maximum number of titles that wait.
    private static let countLimit = 64

    private let interval: Int64
    /// The number of bytes of audio before the next title.
    private var next: Int64
    /// The titles, with the number of bytes of audio before them.
    private var titles: [(position: Int64, items: [MetadataItem])] = []
    /// The newest title. Some servers repeat it.
    private var newest: [MetadataItem] = []

    /// Fails if the interval is not reasonable.
    init?(interval: Int64) {
        guard interval > 0, interval <= Self.longestInterval else { return nil }
        self.interval = interval
        next = interval
    }

    var isEmpty: Bool { titles.isEmpty }

    /// Returns whether a title follows after a number of bytes of audio.
    func isDue(at position: Int64) -> Bool { position >= next }

    /// Returns the number of bytes of audio before the next title.
    func distance(from position: Int64) -> Int64 { next - position }

    /// Records a title. An empty one means that the title has not changed.
    func note(_ block: [UInt8], at position: Int64) {
        next = position + interval
        let items = StreamTitle(block).items
        guard !items.isEmpty, items != newest else { return }
        newest = items
        if titles.count == Self.countLimit { titles.removeFirst() }
        titles.append((position, items))
    }

    /// Removes and returns the first title, if it comes before a position; otherwise nil.
    func take(before position: Int64) -> [MetadataItem]? {
        guard let first = titles.first, first.position < position else { return nil }
        return titles.removeFirst().items
    }
}
