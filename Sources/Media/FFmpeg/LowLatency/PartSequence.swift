// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The playlist that FFmpeg receives for a playlist with parts. FFmpeg does not know parts, so its
/// entries are parts near the live edge, and whole segments before it.
///
/// Entries have numbers of their own. What was listed in parts stays so when its segment is
/// complete, and nothing is listed twice. If the parts of a segment have left the playlist before
/// the first of them was opened, as after a pause, the segment is listed whole; the numbers after
/// it change, which does no harm, because FFmpeg opens the entries in order.
///
/// FFmpeg loads a playlist again before it opens an entry if the time since the last load exceeds
/// the duration of the last entry. The last entry therefore lasts a millisecond, and whether to ask
/// the server is decided here: not before FFmpeg has opened all entries.
///
/// - Concurrency: a value.
struct PartSequence: Hashable {
    typealias Place = PartPlaylist.Place
    typealias Resource = PartPlaylist.Resource

    private struct Entry: Hashable {
        var resource: Resource
        var duration: MediaTime
        var header: Resource?
        var isDiscontinuous: Bool
        /// The segment to which the entry belongs, in the numbers of the server.
        var sequence: Int64
        var isPart: Bool
    }

    /// The number of the first entry.
    private(set) var firstNumber: Int64 = 0
    private var entries: [Entry] = []
    /// The number of the entry that FFmpeg has opened last; -1 before the first one.
    private var openedNumber: Int64 = -1
    /// The header that FFmpeg has loaded last.
    private var loadedHeader: Resource?
    /// The place at which reading begins.
    private let start: Place
    /// The place up to which everything is listed, and the end of the newest playlist.
    private var place: Place
    private(set) var end: Place
    private(set) var targetDuration: Int64 = 1
    private(set) var partTarget: MediaTime?
    private(set) var canBlockReload = false
    private(set) var hasEnded = false
    private var hints: [PartPlaylist.Hint] = []
    /// The number of times that FFmpeg has loaded the playlist since it last opened an entry.
    private var answerCount = 0
    /// The host time at which the server was last asked, in nanoseconds.
    var loadTime: Int64 = 0

    /// The number of loads without the opening of an entry after which the server is asked. FFmpeg
    /// may load the playlist again before it opens the first entry.
    private static let maximumAnswers = 3
    /// The number of entries that FFmpeg receives. It asks again before the last of them.
    private static let longestList = 256
    private static let shortest = "0.001"
    /// A duration that only the last entry does not reach.
    static let shortestDuration = MediaTime(value: 2, timescale: 1000)

    /// - Parameter place: The place at which reading begins.
    init(_ playlist: PartPlaylist, from place: Place) {
        start = place
        self.place = place
        end = place
        update(playlist)
    }

    // MARK: - Playlists

    /// Takes a playlist that was loaded later. One that is older than the last one changes nothing.
    mutating func update(_ playlist: PartPlaylist) {
        targetDuration = playlist.targetDuration
        partTarget = playlist.partTarget ?? partTarget
        canBlockReload = playlist.canBlockReload
        hasEnded = hasEnded || playlist.hasEnded
        hints = playlist.hints
        joinParts(by: playlist)
        for (index, segment) in playlist.segments.enumerated() {
            add(segment, playlist.firstSequence + Int64(index))
        }
        end = max(end, playlist.end)
        // FFmpeg skips what is not listed any more.
        let removed = entries.prefix { $0.sequence < playlist.firstSequence }.count
        removeEntries(removed)
    }

    private mutating func add(_ segment: PartPlaylist.Segment, _ sequence: Int64) {
        guard sequence >= place.sequence else { return }
        let first = sequence == place.sequence ? place.part : 0
        if first == 0, segment.isComplete {
            append(segment, sequence)
        } else {
            for part in segment.parts.dropFirst(first) { append(part, of: segment, sequence) }
        }
        place =
            segment.isComplete
            ? Place(sequence: sequence + 1, part: 0)
            : Place(sequence: sequence, part: max(first, segment.parts.count))
    }

    private mutating func append(_ segment: PartPlaylist.Segment, _ sequence: Int64) {
        guard let resource = segment.resource else { return }
        entries.append(
            Entry(
                resource: resource, duration: segment.duration, header: segment.header,
                isDiscontinuous: segment.isDiscontinuous, sequence: sequence, isPart: false))
    }

    private mutating func append(
        _ part: PartPlaylist.Part, of segment: PartPlaylist.Segment, _ sequence: Int64
    ) {
        guard let resource = part.resource else { return }
        let isFirst = entries.last?.sequence != sequence
        entries.append(
            Entry(
                resource: resource, duration: part.duration, header: segment.header,
                isDiscontinuous: isFirst && segment.isDiscontinuous, sequence: sequence,
                isPart: true))
    }

    /// Replaces parts that have left the playlist by their segments, unless one of the parts of a
    /// segment has been opened.
    private mutating func joinParts(by playlist: PartPlaylist) {
        func whole(_ entry: Entry) -> PartPlaylist.Segment? {
            guard entry.isPart, let segment = playlist[entry.sequence] else { return nil }
            return segment.isComplete && segment.parts.isEmpty ? segment : nil
        }
        let unread = entries.dropFirst(nextIndex)
        guard unread.contains(where: { whole($0) != nil }) else { return }
        var begun: Set<Int64> = start.part > 0 ? [start.sequence] : []
        if nextIndex > 0 { begun.insert(entries[nextIndex - 1].sequence) }
        entries = Array(entries.prefix(nextIndex))
        for entry in unread {
            if let segment = whole(entry), !begun.contains(entry.sequence) {
                if entries.last?.sequence != entry.sequence { append(segment, entry.sequence) }
            } else {
                entries.append(entry)
            }
        }
    }

    private mutating func removeEntries(_ count: Int) {
        entries.removeFirst(count)
        firstNumber += Int64(count)
    }

    // MARK: - FFmpeg's reading

    /// The number after that of the last entry.
    var endNumber: Int64 { firstNumber + Int64(entries.count) }

    /// The index of the first entry that FFmpeg has not opened.
    private var nextIndex: Int {
        Int(min(max(openedNumber + 1 - firstNumber, 0), Int64(entries.count)))
    }

    /// The entries that FFmpeg may open next.
    private var nextEntries: ArraySlice<Entry> {
        entries.dropFirst(nextIndex).prefix(Self.longestList)
    }

    /// Records that FFmpeg opens a file.
    ///
    /// - Returns: A Boolean value that indicates whether the file is one of the two newest parts,
    ///   which a server may list a moment before it has them.
    @discardableResult
    mutating func noteOpening(of address: String, at offset: Int64) -> Bool {
        let file = Opening(address, offset)
        guard let index = nextEntries.firstIndex(where: { file.isOf($0.resource) }) else {
            return false
        }
        openedNumber = firstNumber + Int64(index)
        answerCount = 0
        return entries[index].isPart && index + 2 >= entries.count && !hasEnded
    }

    /// Records that a file has been opened. A header that could not be opened is listed again.
    mutating func noteOpened(_ address: String, at offset: Int64) {
        let file = Opening(address, offset)
        let known = loadedHeader
        let entry = nextEntries.first { $0.header != known && $0.header.map(file.isOf) ?? false }
        if let entry { loadedHeader = entry.header }
    }

    /// A request by FFmpeg.
    private struct Opening {
        let address: String
        let offset: Int64
        let name: String

        init(_ address: String, _ offset: Int64) {
            (self.address, self.offset) = (address, offset)
            name = Self.name(address)
        }

        /// Returns whether this is the request for a resource. FFmpeg may write its address
        /// differently.
        func isOf(_ resource: Resource) -> Bool {
            guard resource.bytes?.first ?? 0 == offset else { return false }
            return resource.address == address || Self.name(resource.address) == name
        }

        private static func name(_ address: String) -> String {
            HTTPAddress(address)?.description ?? address
        }
    }

    /// Returns whether FFmpeg's request for the playlist is answered without asking the server,
    /// because it has not opened all entries, or because nothing will follow.
    mutating func answersAtOnce() -> Bool {
        if hasEnded { return true }
        answerCount += 1
        return openedNumber + 1 < endNumber && answerCount <= Self.maximumAnswers
    }

    // MARK: - The text

    /// Returns the entries that FFmpeg opens next, and the one that it has opened last.
    mutating func lines() -> [Substring] {
        removeEntries(max(nextIndex - 1, 0))
        let listed = entries.prefix(Self.longestList)
        let isFinal = hasEnded && listed.count == entries.count
        var lines = [
            "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:\(targetDuration)",
            "#EXT-X-MEDIA-SEQUENCE:\(firstNumber)",
        ]
        // FFmpeg would load a header again if it were listed again.
        var header = loadedHeader
        for (index, entry) in listed.enumerated() {
            if entry.isDiscontinuous { lines.append("#EXT-X-DISCONTINUITY") }
            if let own = entry.header, own != header {
                lines.append("#EXT-X-MAP:URI=\"\(own.address)\"" + Self.range(own.bytes))
                header = own
            }
            let isShort = index == listed.count - 1 && !isFinal
            lines.append("#EXTINF:\(isShort ? Self.shortest : Self.text(entry.duration)),")
            if let bytes = entry.resource.bytes {
                lines.append("#EXT-X-BYTERANGE:\(bytes.count)@\(bytes.first)")
            }
            lines.append(entry.resource.address)
        }
        if isFinal { lines.append("#EXT-X-ENDLIST") }
        return lines.map { Substring($0) } + [""]
    }

    private static func range(_ bytes: ByteSpan?) -> String {
        bytes.map { ",BYTERANGE=\"\($0.count)@\($0.first)\"" } ?? ""
    }

    private static func text(_ duration: MediaTime) -> String {
        let microseconds = (duration.nanoseconds ?? 0) / 1000
        let fraction = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000)."
            + String(repeating: "0", count: 6 - fraction.utf8.count) + fraction
    }

    // MARK: - Requests

    /// The resources that should be requested before the playlist lists them.
    var nextHints: [PartPlaylist.Hint] {
        hasEnded ? [] : hints.filter { hint in !(loadedHeader.map(hint.names) ?? false) }
    }

    /// Returns whether a resource that was announced is listed, and FFmpeg has not opened it yet.
    func isListed(_ hint: PartPlaylist.Hint) -> Bool {
        nextEntries.contains { entry in
            hint.names(entry.resource)
                || entry.header != loadedHeader && (entry.header.map(hint.names) ?? false)
        }
    }

    /// The directives that make the server wait for the next part (section 6.2.5.2).
    var blockingDirectives: [String] { ["_HLS_msn=\(end.sequence)", "_HLS_part=\(end.part)"] }
}

extension PartPlaylist.Hint {
    /// Returns whether a listed resource is the one that was announced.
    fileprivate func names(_ resource: PartPlaylist.Resource) -> Bool {
        address == resource.address && start == resource.bytes?.first ?? 0
            && (end == nil || end == resource.bytes.map { $0.first + $0.count })
    }
}
