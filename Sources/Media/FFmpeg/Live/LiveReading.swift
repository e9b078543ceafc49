// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The playlists of a live stream, or of a recording with discontinuities, in one container: where
/// each of them begins.
///
/// The first playlist with a given address determines the segment with which reading begins. Later
/// versions of that playlist are cut at the same segment. FFmpeg is set to begin with the first
/// segment of a live playlist.
///
/// - Concurrency: a value, on the demuxer's thread.
struct LiveReading {
    /// The place at which reading begins.
    enum Place {
        /// The beginning that the playlist or the distance from the live edge determines.
        case edge
        /// A segment of the stream's timeline.
        case segment(Int64)

        var isEdge: Bool { if case .edge = self { true } else { false } }
    }

    let place: Place
    /// The address of the main variant's playlist; nil if the asset refers to one playlist only.
    var mainAddress: String?
    /// The addresses to which the multivariant playlist refers more than once. FFmpeg reads each of
    /// them several times, at different paces, so their playlists are not read in parts.
    var repeatedAddresses: Set<String> = []
    /// The place at which playback should begin according to the multivariant playlist.
    var statedStart: MediaPlaylist.Start?
    /// A period of a live presentation.
    struct Period: Hashable {
        /// The number of discontinuities before it.
        var number: Int64
        /// A Boolean value that indicates whether all of its segments are listed.
        var isOver: Bool
    }

    /// The period that is read, as the newest playlist states it; nil if all that is listed is
    /// read.
    var period: Period?
    /// The sequence number of the segment of a recording up to which it is read, because that
    /// segment needs another header or is a keyframe alone; nil if it is read to its end.
    private(set) var nextPart: Int64?
    /// A Boolean value that indicates whether the segments of a recording with discontinuities are
    /// keyframes alone.
    private(set) var isOfKeyframes = false
    /// A Boolean value that indicates whether a playlist of a recording with discontinuities is
    /// read in parts. If it is, those that are loaded later are too.
    private var isInParts = false
    /// A Boolean value that indicates whether the main playlist of such a recording is read whole.
    private var isMainWhole = false
    /// The address under which FFmpeg loads the main playlist.
    private(set) var loadedAddress: String?
    /// The sequence number with which reading of the main playlist begins, in the numbers of the
    /// stream's timeline, and the time at which that segment, or the part of it, begins.
    private(set) var beginning: (sequence: Int64, time: MediaTime)?
    /// The time at which playback should begin, as the playlist states it: on the stream's timeline
    /// or, if the playlist is not live, relative to its beginning.
    private(set) var start: MediaTime?
    private var firstSequences: [String: Int64] = [:]
    /// The durations of the segments of each playlist, by the key of the playlist.
    private var durations: [String: [Listed: MediaTime]] = [:]

    /// The number of lines from which the durations of a playlist are not recorded.
    private static let longestTimedList = 100_000
    /// The playlists that are read in parts, by the addresses under which FFmpeg loads them.
    var parts: [String: PartSequence] = [:]
    /// A Boolean value that indicates whether reading of the main playlist begins within a segment.
    private(set) var beginsInside = false
    /// The difference between the sequence numbers of the stream's timeline and those of the main
    /// playlist, which may be the playlist of another variant.
    private var shift: Int64?

    /// The playlists of which the servers offer delta updates, by their keys.
    private(set) var loaded: [String: LoadedPlaylist] = [:]
    /// The keys of the playlists whose updates could not be used.
    private var wholeKeys: Set<String> = []

    init(_ place: Place) { self.place = place }

    /// Returns an address in the form in which addresses are compared.
    static func key(_ address: String) -> String {
        HTTPAddress(address)?.description ?? address
    }

    /// Records a whole playlist from a server.
    mutating func note(_ playlist: Playlist, of address: String) {
        let key = Self.key(address)
        guard !wholeKeys.contains(key) else { return }
        loaded[key] = LoadedPlaylist(playlist, at: HostClock.nanoseconds)
    }

    // MARK: - Durations

    /// A segment that a playlist lists, as FFmpeg requests it.
    private struct Listed: Hashable {
        var address: String
        var offset: Int64
    }

    /// Records the durations of the segments of a playlist that FFmpeg receives.
    mutating func note(durationsOf playlist: Playlist, from address: String) {
        guard !playlist.isMultivariant, playlist.lines.count <= Self.longestTimedList else {
            return
        }
        var playlist = playlist
        playlist.resolveRanges()
        var found: [Listed: MediaTime] = [:]
        var (duration, offset) = (MediaTime?.none, Int64(0))
        for line in playlist.lines {
            if let text = line.value(ofTag: "#EXTINF:") {
                duration = Double(text.prefix { $0 != "," }).flatMap(MediaPlaylist.time)
            } else if let text = line.value(ofTag: "#EXT-X-BYTERANGE:") {
                offset = text.split(separator: "@").dropFirst().first.flatMap { Int64($0) } ?? 0
            } else if !line.isEmpty, !line.hasPrefix("#") {
                found[Listed(address: String(line), offset: offset)] = duration
                (duration, offset) = (nil, 0)
            }
        }
        durations[Self.key(address)] = found
    }

    /// Returns the duration of a segment, in nanoseconds; nil if no playlist lists it.
    func duration(of address: String, at offset: Int64) -> Int64? {
        let segment = Listed(address: address, offset: offset)
        guard let found = durations.values.lazy.compactMap({ $0[segment] }).first else {
            return nil
        }
        // The last part is listed with a duration that makes FFmpeg load the playlist again.
        let part = parts.values.lazy.compactMap(\.partTarget).first
        return (found < PartSequence.shortestDuration ? part ?? found : found).nanoseconds
    }

    /// Stops asking for updates of a playlist.
    mutating func refuseUpdates(of address: String) {
        let key = Self.key(address)
        wholeKeys.insert(key)
        loaded[key] = nil
    }

    /// Returns whether a media playlist is that of the main variant.
    func isMain(_ address: String) -> Bool {
        guard let mainAddress else { return true }
        if mainAddress == address { return true }
        if let main = HTTPAddress(mainAddress), let other = HTTPAddress(address) {
            return main.description == other.description
        }
        // FFmpeg completes the names of files.
        return address.hasSuffix("/" + mainAddress)
    }

    /// The duration that is examined when reading begins at the live edge, in microseconds: less
    /// than there is before the edge. It is nil for streams that are not read in parts.
    var partAnalysis: Int64? {
        parts.values.compactMap { $0.partTarget?.nanoseconds }.min().map { 2 * $0 / 1000 }
    }

    /// Records that FFmpeg opens a file.
    ///
    /// - Returns: The time after which the file should be requested again if the server does not
    ///   have it, in nanoseconds; nil if once is enough.
    mutating func noteOpening(of address: String, at offset: Int64) -> Int64? {
        var pause: Int64?
        for playlist in Array(parts.keys) {
            let isNewest = parts[playlist]?.noteOpening(of: address, at: offset) ?? false
            if isNewest { pause = (parts[playlist]?.partTarget?.nanoseconds).map { $0 / 2 } }
        }
        return pause
    }

    /// Records that a file has been opened.
    mutating func noteOpened(_ address: String, at offset: Int64) {
        for playlist in Array(parts.keys) { parts[playlist]?.noteOpened(address, at: offset) }
    }

    /// Cuts a media playlist, and records it if it is the main playlist.
    ///
    /// - Parameter isRemote: A Boolean value that indicates whether the playlist comes from a
    ///   server. Only such a playlist is read in parts.
    /// - Returns: A Boolean value that indicates whether the playlist belongs to a live stream.
    mutating func take(
        _ playlist: inout Playlist, from address: String, isRemote: Bool, of stream: LiveStream
    ) throws(MediaError) -> Bool {
        let isMain = isMain(address)
        // FFmpeg may write the address of the asset differently.
        if mainAddress == nil, let loadedAddress, parts[address] == nil {
            parts[address] = parts.removeValue(forKey: loadedAddress)
        }
        guard playlist.isLive || stream.isKnown else {
            if isMain { noteStart(of: playlist) }
            cut(&playlist, isMain: isMain, stream.recording)
            return false
        }
        var list = MediaPlaylist(playlist)
        let partList = try isRemote ? partPlaylist(playlist, from: address) : nil
        if let partList {
            list.include(
                partTarget: partList.partTarget, holdBack: partList.holdBack,
                incompleteSegment: partList.incompleteDuration)
        }
        if isMain {
            loadedAddress = loadedAddress ?? address
            let shift = shift ?? stream.timeline?.shift(of: list) ?? 0
            self.shift = shift
            list.firstSequence += shift
            stream.take(list)
        }
        if let partList, parts[address] != nil || !list.segments.isEmpty {
            take(partList, list, from: address, isMain: isMain, stream)
            playlist.lines = parts[address]?.lines() ?? []
            return true
        }
        guard !list.segments.isEmpty else { return true }
        let first = firstSequences[address] ?? firstSequence(of: list, isMain: isMain, stream)
        // A server may begin to count again.
        let cut = first < list.endSequence ? max(first - list.firstSequence, 0) : 0
        firstSequences[address] = first
        if isMain, beginning == nil {
            let sequence = list.firstSequence + cut
            beginning = stream.timeline?[sequence].map { (sequence, $0.start) }
        }
        playlist.removeFirst(Int(cut))
        if let period {
            let end = ownSequences(of: list).upperBound
            playlist.end(
                after: Int(max(end - list.firstSequence - cut, 0)), isFinal: period.isOver)
        }
        return true
    }

    /// Removes the segments before the one with which reading of a recording begins, and those
    /// after a discontinuity, if they need another header or are keyframes alone.
    private mutating func cut(
        _ playlist: inout Playlist, isMain: Bool, _ recording: LiveTimeline?
    ) {
        guard playlist.lines.contains("#EXT-X-DISCONTINUITY") else { return }
        let list = MediaPlaylist(playlist)
        if isMain { isOfKeyframes = playlist.isOfKeyframes }
        var first = 0
        if case .segment(let sequence) = place, let recording, let segment = recording[sequence] {
            first = recording.index(of: sequence, in: list, isSame: isMain)
            if isMain { beginning = (sequence, segment.start) }
        }
        let number = list.segments.dropFirst(first).first?.discontinuity ?? 0
        // Audio may need headers beside video that needs none. All of a part ends together.
        isInParts = !isMainWhole && (isInParts || playlist.hasHeaders || playlist.isOfKeyframes)
        if isMain { isMainWhole = !isInParts }
        if isInParts, let end = list.segments.firstIndex(where: { $0.discontinuity > number }) {
            playlist.end(after: end, isFinal: true)
            if isMain { nextPart = recording.map { $0.firstSequence + Int64(end) } }
        }
        playlist.removeFirst(first)
    }

    /// Returns the sequence numbers of the segments of the period that is read.
    private func ownSequences(of list: MediaPlaylist) -> Range<Int64> {
        guard let period else { return list.firstSequence..<list.endSequence }
        let segments = list.segments
        let first = segments.firstIndex { $0.discontinuity >= period.number } ?? segments.count
        let end = segments.firstIndex { $0.discontinuity > period.number } ?? segments.count
        return list.firstSequence + Int64(first)..<list.firstSequence + Int64(end)
    }

    /// Returns the parts of a playlist; nil if it is not read in parts.
    private func partPlaylist(
        _ playlist: Playlist, from address: String
    ) throws(MediaError) -> PartPlaylist? {
        guard parts[address] != nil || PartPlaylist.isStated(in: playlist),
            !repeatedAddresses.contains(Self.key(address))
        else { return nil }
        let list = PartPlaylist(playlist)
        guard parts[address] != nil else {
            // FFmpeg keeps the numbers with which it has begun.
            return list.isUsable && firstSequences[address] == nil ? list : nil
        }
        guard !list.isEncrypted else {
            throw MediaError(
                .damaged, subject: address, cause: "its segments are encrypted from now on",
                remedy: "open it again")
        }
        return list
    }

    /// Takes a playlist with parts.
    ///
    /// - Parameter list: The segments of the playlist, in the numbers of the timeline.
    private mutating func take(
        _ partList: PartPlaylist, _ list: MediaPlaylist, from address: String, isMain: Bool,
        _ stream: LiveStream
    ) {
        defer { parts[address]?.loadTime = HostClock.nanoseconds }
        if parts[address] != nil {
            parts[address]?.update(partList)
            return
        }
        let first = firstSequence(of: list, isMain: isMain, stream)
        let index = Int(first - list.firstSequence)
        var begin = PartPlaylist.Place(sequence: partList.firstSequence + Int64(index), part: 0)
        var time = MediaTime.zero
        if case .edge = place, (list.start ?? statedStart) == nil {
            let start = list.segments.prefix(index).map(\.duration).reduce(.zero, +)
            // Another rendition was loaded later, and may end with a part more.
            let margin = isMain ? .zero : partList.partTarget ?? .zero
            let wanted = list.duration - list.recommendedOffset - margin - start
            if let found = partList.independentPart(ofSegment: index, at: wanted) {
                (begin.part, time) = found
            }
        }
        firstSequences[address] = first
        if isMain, beginning == nil {
            beginsInside = begin.part > 0
            beginning = stream.timeline?[first].map { (first, $0.start + time) }
        }
        parts[address] = PartSequence(partList, from: begin)
    }

    private mutating func noteStart(of playlist: Playlist) {
        guard let stated = playlist.start ?? statedStart else { return }
        start = MediaPlaylist(playlist).beginning(stated: stated).time
    }

    /// Returns the sequence number, in a playlist, of the segment with which reading begins.
    private mutating func firstSequence(
        of list: MediaPlaylist, isMain: Bool, _ stream: LiveStream
    ) -> Int64 {
        let wanted: Int64
        switch place {
        case .edge where period != nil && !isMain && beginning != nil:
            // The tracks of a presentation have a common timeline.
            let main = beginning?.sequence ?? 0
            wanted = stream.timeline?.sequence(like: main, in: list) ?? main
        case .edge:
            let (index, time) = list.beginning(stated: statedStart)
            if isMain, list.start ?? statedStart != nil {
                start = (stream.timeline?[list.firstSequence]?.start ?? .zero) + time
            }
            wanted = list.firstSequence + Int64(index)
        case .segment(let sequence):
            wanted =
                isMain ? sequence : stream.timeline?.sequence(like: sequence, in: list) ?? sequence
        }
        let own = ownSequences(of: list)
        return min(max(wanted, own.lowerBound), max(own.upperBound, own.lowerBound + 1) - 1)
    }
}
