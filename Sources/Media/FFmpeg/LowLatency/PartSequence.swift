// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The playlist that FFmpeg receives for a playlist with parts. FFmpeg does not know parts, so its
/// entries are parts near the live edge, and whole segments before it.
///
/// Entries have numbers of their own, which never change: what was listed in parts stays so when
/// its segment is complete, and nothing is listed twice. FFmpeg loads a playlist again before it
/// opens an entry if the time since the last load exceeds the duration of the last entry. The last
/// entry therefore lasts a millisecond, and whether to ask the server is decided here: not before
/// FFmpeg has opened all entries.
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
    }

    /// The number of the first entry.
    private(set) var firstNumber: Int64 = 0
    private var entries: [Entry] = []
    /// The number of the entry that FFmpeg has opened last; -1 before the first one.
    private var openedNumber: Int64 = -1
    /// The header that FFmpeg has loaded last.
    private var loadedHeader: Resource?
    /// The place up to which everything is listed, and the end of the newest playlist.
    private var place: Place
    private(set) var end: Place
    private(set) var targetDuration: Int64 = 1
    private(set) var partTarget: MediaTime?
    private(set) var canBlockReload = false
    private(set) var hasEnded = false
    /// The number of times that FFmpeg has loaded the playlist since it last opened an entry.
    private var answerCount = 0

    /// The number of loads without the opening of an entry after which the server is asked. FFmpeg
    /// may load the playlist again before it opens the first entry.
    private static let maximumAnswers = 3
    private static let shortest = "0.001"

    /// - Parameter place: The place at which reading begins.
    init(_ playlist: PartPlaylist, from place: Place) {
        (self.place, end) = (place, place)
        update(playlist)
    }

    // MARK: - Playlists

    /// Takes a playlist that was loaded later. One that is older than the last one changes nothing.
    mutating func update(_ playlist: PartPlaylist) {
        targetDuration = playlist.targetDuration
        partTarget = playlist.partTarget ?? partTarget
        canBlockReload = playlist.canBlockReload
        hasEnded = playlist.hasEnded
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
            append(segment.resource, segment.duration, segment, sequence)
        } else {
            for part in segment.parts.dropFirst(first) {
                append(part.resource, part.duration, segment, sequence)
            }
        }
        place =
            segment.isComplete
            ? Place(sequence: sequence + 1, part: 0)
            : Place(sequence: sequence, part: max(first, segment.parts.count))
    }

    private mutating func append(
        _ resource: Resource?, _ duration: MediaTime, _ segment: PartPlaylist.Segment,
        _ sequence: Int64
    ) {
        guard let resource else { return }
        let isFirst = entries.last?.sequence != sequence
        entries.append(
            Entry(
                resource: resource, duration: duration, header: segment.header,
                isDiscontinuous: isFirst && segment.isDiscontinuous, sequence: sequence))
    }

    private mutating func removeEntries(_ count: Int) {
        entries.removeFirst(count)
        firstNumber += Int64(count)
    }

    // MARK: - FFmpeg's reading

    private var endNumber: Int64 { firstNumber + Int64(entries.count) }

    /// Records that FFmpeg opens a file.
    mutating func noteOpening(of address: String, at offset: Int64) {
        let next = Int(max(openedNumber + 1 - firstNumber, 0))
        guard next < entries.count else { return }
        let name = Self.name(address)
        func isOpened(_ resource: Resource?) -> Bool {
            guard let resource, resource.bytes?.first ?? 0 == offset else { return false }
            return resource.address == address || Self.name(resource.address) == name
        }
        if let index = entries[next...].firstIndex(where: { isOpened($0.resource) }) {
            openedNumber = firstNumber + Int64(index)
            answerCount = 0
        } else if let entry = entries[next...].first(where: { isOpened($0.header) }) {
            loadedHeader = entry.header
        }
    }

    private static func name(_ address: String) -> String {
        HTTPAddress(address)?.description ?? address
    }

    /// Returns whether FFmpeg's request for the playlist is answered without asking the server,
    /// because it has not opened all entries.
    mutating func answersAtOnce() -> Bool {
        answerCount += 1
        return openedNumber + 1 < endNumber && answerCount <= Self.maximumAnswers
    }

    // MARK: - The text

    /// Returns the entries that FFmpeg has not read, and the one that it has opened last.
    mutating func lines() -> [Substring] {
        removeEntries(Int(min(max(openedNumber - firstNumber, 0), Int64(entries.count))))
        var lines = [
            "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:\(targetDuration)",
            "#EXT-X-MEDIA-SEQUENCE:\(firstNumber)",
        ]
        // FFmpeg would load a header again if it were listed again.
        var header = loadedHeader
        for (index, entry) in entries.enumerated() {
            if entry.isDiscontinuous { lines.append("#EXT-X-DISCONTINUITY") }
            if let own = entry.header, own != header {
                lines.append("#EXT-X-MAP:URI=\"\(own.address)\"" + Self.range(own.bytes))
                header = own
            }
            let isLast = index == entries.count - 1 && !hasEnded
            lines.append("#EXTINF:\(isLast ? Self.shortest : Self.text(entry.duration)),")
            if let bytes = entry.resource.bytes {
                lines.append("#EXT-X-BYTERANGE:\(bytes.count)@\(bytes.first)")
            }
            lines.append(entry.resource.address)
        }
        if hasEnded { lines.append("#EXT-X-ENDLIST") }
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

    /// Returns the address of the playlist with the directives that make the server wait for the
    /// next part (section 6.2.5.2).
    func blockingAddress(of address: String) -> String {
        let plain = address.prefix { $0 != "#" }
        return plain + (plain.contains("?") ? "&" : "?")
            + "_HLS_msn=\(end.sequence)&_HLS_part=\(end.part)"
    }
}
