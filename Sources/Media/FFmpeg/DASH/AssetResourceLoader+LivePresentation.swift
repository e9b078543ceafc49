// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Live presentations, whose MPD is loaded again while they play.
extension AssetResourceLoader {
    /// The longest window that is listed, in microseconds.
    private static let longestWindow: Int64 = 6 * 3_600_000_000
    /// The maximum size of a document with the server's time, in bytes.
    private static let clockBytes = 256

    /// Returns the number that is added to those of a track's segments. FFmpeg leaves out the first
    /// segment of a live playlist if that of another one has the next number.
    private static func numberOffset(of use: MediaPresentation.Period.Track.Use) -> Int64 {
        if case .rendition(let number) = use { (Int64(number) + 1) * 1_000_000_000 } else { 0 }
    }

    // MARK: - Periods

    /// Returns the number of the period that is read, among those that are listed: that of the
    /// wanted segment or, at the live edge, of the segment at the recommended distance from it.
    func livePeriod() throws(MediaError) -> Int {
        try learnClock()
        guard var reading = presentation else { preconditionFailure("there is no presentation") }
        let periods = reading.presentation.periods
        let first = live.firstNumber(ofPeriods: periods.map(\.start))
        if case .segment(let sequence) = self.reading.place, let segment = live.timeline?[sequence]
        {
            return Int(min(max(segment.discontinuity - first, 0), Int64(periods.count - 1)))
        }
        var playlist = SegmentPlaylist(limit: rules.playlistBytes, subject: subject)
        var starts: [(period: Int, start: Int64)] = []
        for number in periods.indices {
            reading.enter(number)
            presentation = reading
            let count = playlist.count
            guard let window = reading.window(ofPeriod: number, longest: Self.longestWindow) else {
                continue
            }
            try addSegments(of: 0, inPeriod: number, window, to: &playlist)
            if playlist.count > count { starts.append((number, playlist.starts[count])) }
        }
        // The shifts are those of the tracks of the last period.
        (shifts, trackShifts) = ([:], [:])
        let delay = reading.presentation.delay ?? 3 * playlist.longestDuration
        let place = starts.last { $0.start <= playlist.end - delay } ?? starts.first
        return place?.period ?? periods.count - 1
    }

    /// Returns the media playlist of a track with the segments that are available now.
    func livePlaylist(_ index: Int) throws(MediaError) -> Playlist? {
        try refreshPresentation()
        var playlist = SegmentPlaylist(limit: rules.playlistBytes, subject: subject)
        guard let reading = presentation else { preconditionFailure("there is no presentation") }
        let found = reading.presentation
        // The newest period that has segments, if it has this track at all.
        var newest = found.periods.startIndex
        for number in found.periods.indices {
            if number > 0 { playlist.addDiscontinuity() }
            guard let window = reading.window(ofPeriod: number, longest: Self.longestWindow) else {
                continue
            }
            let count = playlist.count
            try addSegments(of: index, inPeriod: number, window, to: &playlist)
            if playlist.count > count || reading.track(index, inPeriod: number) == nil {
                newest = number
            }
        }
        guard !playlist.isEmpty else {
            throw MediaError(
                .cannotOpen, subject: subject,
                cause: "none of the live stream's segments is available yet",
                remedy: "try again later, and check the clock of this machine")
        }
        if found.isLive, let depth = found.windowDepth {
            playlist.removeSegments(before: playlist.end - depth)
        }
        let (sequence, discontinuity) = live.numbers(
            of: reading.tracks[index].use, starts: playlist.starts,
            periods: found.periods.map(\.start))
        // The period that is read may have left the presentation.
        let following = found.periods.firstIndex { $0.start > reading.openPeriod.start }
        let open = found.periods.lastIndex { $0.start <= reading.openPeriod.start } ?? -1
        self.reading.period = LiveReading.Period(
            number: discontinuity + Int64(open),
            isOver: reading.hasEnded || following.map { newest >= $0 } ?? false)
        return Playlist(
            playlist.text(
                live: SegmentPlaylist.Live(
                    sequence: sequence + Self.numberOffset(of: reading.tracks[index].use),
                    discontinuity: discontinuity,
                    zeroDate: found.availabilityStart, delay: found.delay,
                    hasEnded: reading.hasEnded)))
    }

    /// Loads the MPD again if that is due. If it cannot be loaded, the last one is kept.
    private func refreshPresentation() throws(MediaError) {
        try learnClock()
        guard let reading = presentation, reading.presentation.isLive,
            let period = reading.presentation.updatePeriod, reading.age >= period
        else { return }
        presentation?.loadTime = HostClock.nanoseconds
        let place = reading.presentation.location.map { reading.base.resolving($0) }
        let url = (place ?? reading.base).address
        let depth = max(listCount, 1)
        do throws(MediaError) {
            try countOpen()
            let (source, address) = try openChildSource(url, (0, nil))
            let base = address.map { ReferenceBase(address: $0.resolving("")) } ?? place
            let found = try MediaPresentationParser.parse(
                try wholeText(source), base: base ?? reading.base, subject: subject,
                starts: live.periodStarts)
            if let found {
                presentation?.replace(with: found, base: base ?? reading.base)
                live.note([], starts: found.periodStarts)
            }
            options.accessObserver?(AssetAccess(subject: url, depth: depth))
        } catch {
            options.accessObserver?(AssetAccess(subject: url, depth: depth, error: error))
            if violation != nil || interrupt.isTriggered { throw error }
        }
    }

    /// Determines the server's time.
    private func learnClock() throws(MediaError) {
        guard let reading = presentation, reading.presentation.isLive, reading.clockOffset == nil
        else { return }
        let offset = try clockOffset(of: reading)
        presentation?.clockOffset = offset
    }

    /// Returns the time of the server minus the host time, in microseconds. If the MPD states no
    /// clock that can be read, it is that of this machine.
    private func clockOffset(of reading: PresentationReading) throws(MediaError) -> Int64 {
        for clock in reading.presentation.clocks {
            let host = HostClock.nanoseconds / 1000
            let first = clock.value.split(separator: " ").first.map(String.init) ?? ""
            var text: String?
            if clock.scheme.contains(text: ":utc:direct:") {
                text = clock.value
            } else if ["head", "xsdate", "iso"].contains(where: {
                clock.scheme.contains(text: ":utc:http-\($0):")
            }) {
                text = try serverTime(
                    reading.base.resolving(first).address,
                    isHeader: clock.scheme.contains(text: "http-head"))
            }
            if let text, let date = UTCDate.microseconds(text) { return date - host }
        }
        return Int64(TransferMonitor.date * 1e6) - HostClock.nanoseconds / 1000
    }

    /// Returns the time that a server states, in the header of its response or in the text; nil if
    /// it cannot be loaded.
    private func serverTime(_ url: String, isHeader: Bool) throws(MediaError) -> String? {
        let depth = max(listCount, 1)
        do throws(MediaError) {
            try countOpen()
            let source = try openChildSource(url, (0, Int64(Self.clockBytes))).0
            options.accessObserver?(AssetAccess(subject: url, depth: depth))
            if isHeader { return (source as? HTTPDataSource)?.serverDate }
            let bytes = try source.bytes(
                upTo: Self.clockBytes, isCancelled: { interrupt.isTriggered })
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            options.accessObserver?(AssetAccess(subject: url, depth: depth, error: error))
            if violation != nil || interrupt.isTriggered { throw error }
            return nil
        }
    }
}
