// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// MPDs, which FFmpeg receives as HLS playlists. Their segments therefore pass the same rules as
/// those of playlists.
extension AssetResourceLoader {
    /// The number of bytes at the beginning of a file in which an index is searched if the MPD does
    /// not state its place.
    private static let indexSearch: Int64 = 1 << 16
    /// The maximum size of an index in bytes.
    private static let maximumIndex: Int64 = 8 << 20

    /// Reads the asset as an MPD, and returns a multivariant playlist; nil if it is not an MPD.
    func presentationPlaylist(
        _ data: PeekedDataSource, at address: HTTPAddress?, of name: String
    ) throws(MediaError) -> Playlist? {
        guard Self.mayBePresentation(data.head, name) else { return nil }
        let base = ReferenceBase(address: address?.resolving("") ?? name)
        guard
            let found = try MediaPresentationParser.parse(
                try wholeText(data), base: base, subject: subject, starts: live.periodStarts)
        else { return nil }
        var reading = PresentationReading(
            found, base: base, isLive: found.isLive || live.isKnown, like: live.tracks)
        if !reading.isLive {
            reading.enter(found.period(at: PresentationReading.microseconds(start)))
        }
        presentation = reading
        if reading.isLive {
            let period = try livePeriod()
            presentation?.enter(period)
        }
        let tracks = presentation?.tracks ?? []
        live.note(tracks, starts: found.periodStarts)
        return Playlist(MediaPresentation.Period.multivariantPlaylist(of: tracks))
    }

    /// Returns whether data may be an MPD, which is XML with the root element `MPD`.
    private static func mayBePresentation(_ head: [UInt8], _ name: String) -> Bool {
        let text = String(decoding: head.prefix(peekSize), as: UTF8.self)
        guard let first = text.first(where: { !$0.isWhitespace && $0 != "\u{FEFF}" }), first == "<"
        else { return false }
        let path = name.prefix { $0 != "?" }.lowercased()
        return text.contains(text: "<MPD") || text.contains(text: ":MPD") || path.hasSuffix(".mpd")
    }

    /// Reads a document completely.
    func wholeText(_ data: any MediaDataSource) throws(MediaError) -> [UInt8] {
        let bytes = try data.bytes(
            upTo: rules.playlistBytes + 1, isCancelled: { interrupt.isTriggered })
        guard bytes.count <= rules.playlistBytes else {
            throw violate("a playlist of more than \(rules.playlistBytes) bytes")
        }
        return bytes
    }

    // MARK: - Tracks

    /// Returns the media playlist of a track of the presentation; nil if the name is not that of a
    /// track.
    func trackPlaylist(_ name: String) throws(MediaError) -> Playlist? {
        guard let index = PresentationName.index(name), let reading = presentation,
            reading.tracks.indices.contains(index)
        else { return nil }
        if reading.isLive { return try livePlaylist(index) }
        var playlist = SegmentPlaylist(limit: rules.playlistBytes, subject: subject)
        try addSegments(of: index, inPeriod: reading.period, reading.wholePeriod, to: &playlist)
        presentation?.noteEnd(of: index, playlist.end)
        playlist.removeSegments(before: PresentationReading.microseconds(start))
        guard !playlist.isEmpty else {
            throw MediaError(
                .damaged, subject: subject, cause: "its MPD lists no segments",
                remedy: "correct the MPD")
        }
        return Playlist(playlist.text())
    }

    /// Adds the segments of a track in a period.
    func addSegments(
        of index: Int, inPeriod number: Int, _ window: SegmentInformation.Window,
        to playlist: inout SegmentPlaylist
    ) throws(MediaError) {
        guard let reading = presentation, let track = reading.track(index, inPeriod: number) else {
            return
        }
        let period = reading.presentation.periods[number]
        let (representation, segments) = (track.representation, track.representation.segments)
        let isOpen = period.start == reading.openPeriod.start
        playlist.shift = isOpen ? fragmentShift(ofTrack: index) : nil
        defer { noteShift(playlist.takeShiftedAddresses()) }
        let values = AddressTemplate.Values(
            representation: representation.id, bandwidth: representation.bandwidth)
        guard segments.form != .file || segments.base != reading.base else {
            throw MediaError(
                .damaged, subject: subject,
                cause: "a representation of its MPD has no address (BaseURL)",
                remedy: "correct the MPD")
        }
        if segments.form == .file, let found = try segmentIndex(of: segments) {
            try add(found, of: segments, in: period, to: &playlist)
            return
        }
        if let header = segments.header, segments.form != .file || header.address != nil {
            let address =
                segments.form == .template
                ? header.address.flatMap { AddressTemplate($0)?.address(values) } : header.address
            try playlist.addHeader(
                segments.base.resolving(address ?? "").address, header.bytes)
        }
        try segments.forEachSegment(in: window, values, subject: subject) {
            (segment) throws(MediaError) in
            try playlist.addSegment(
                segments.base.resolving(segment.reference.address ?? "").address,
                segment.reference.bytes, from: period.start + segment.start,
                to: period.start + segment.end)
        }
    }

    /// Adds the parts of a file that its index lists.
    private func add(
        _ index: SegmentIndex, of segments: SegmentInformation,
        in period: MediaPresentation.Period, to playlist: inout SegmentPlaylist
    ) throws(MediaError) {
        let file = segments.base.address
        let header =
            segments.header?.bytes ?? ByteSpan(first: 0, count: index.offset)
        try playlist.addHeader(
            segments.base.resolving(segments.header?.address ?? "").address, header)
        // The index has a timescale of its own.
        var own = segments
        own.timescale = index.timescale
        own.timeOffset = 0
        let offset = period.start + segments.microseconds(0)
        for part in index.parts {
            let start = own.microseconds(part.start) + offset
            let end = own.microseconds(part.end) + offset
            guard end > period.start, start < period.end ?? .max else { continue }
            try playlist.addSegment(
                file, part.bytes, from: start, to: end)
        }
    }

    // MARK: - Shifts

    /// Returns the shift of a track's timestamps; nil if they stay as they are.
    private func fragmentShift(ofTrack index: Int) -> FragmentShift? {
        if let known = trackShifts[index] { return known }
        guard let time = presentation?.shift(of: index), time > .zero else { return nil }
        let shift = FragmentShift(time)
        trackShifts[index] = shift
        return shift
    }

    /// Records the files of a track whose timestamps are shifted.
    private func noteShift(_ shifted: (addresses: [String], shift: FragmentShift?)) {
        guard let shift = shifted.shift else { return }
        // Old segments of a live presentation are no longer requested.
        if shifts.count > Self.shiftLimit { shifts = [:] }
        for address in shifted.addresses { shifts[address] = shift }
    }

    /// The number of addresses from which the shifts of old segments are forgotten.
    private static let shiftLimit = 1 << 16

    /// Returns the index of a representation's file; nil if it has none.
    private func segmentIndex(
        of segments: SegmentInformation
    ) throws(MediaError) -> SegmentIndex? {
        if let known = presentation?.indexes[segments.base.address] { return known }
        let place = segments.index ?? ByteSpan(first: 0, count: Self.indexSearch)
        guard place.count <= Self.maximumIndex else {
            throw violate("an index of more than \(Self.maximumIndex) bytes")
        }
        let bytes = try bytes(of: segments.base.address, place)
        let index = SegmentIndex(bytes, at: place.first)
        presentation?.indexes[segments.base.address] = .some(index)
        return index
    }

    /// Reads a part of a file to which the presentation refers.
    private func bytes(
        of url: String, _ place: ByteSpan
    ) throws(MediaError) -> [UInt8] {
        let depth = max(listCount, 1) + 1
        try countOpen()
        try checkDepth(depth)
        let source = try openChildSource(url, (place.first, place.first + place.count)).0
        let block = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(min(place.count, 1 << 16)), alignment: 16)
        defer { block.deallocate() }
        var bytes: [UInt8] = []
        while bytes.count < Int(place.count) {
            let room = UnsafeMutableRawBufferPointer(
                rebasing: block.prefix(Int(place.count) - bytes.count))
            let count = try source.read(
                into: room, at: place.first + Int64(bytes.count),
                isCancelled: { interrupt.isTriggered })
            if count == 0 { break }
            bytes.append(contentsOf: room.prefix(count))
        }
        options.accessObserver?(AssetAccess(subject: url, depth: depth))
        return bytes
    }
}
