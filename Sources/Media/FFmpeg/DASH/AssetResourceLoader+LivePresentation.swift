// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Live presentations, whose MPD is loaded again while they play.
extension AssetResourceLoader {
    /// The longest window that is listed, in microseconds.
    private static let longestWindow: Int64 = 6 * 3_600_000_000
    /// The maximum size of a document with the server's time, in bytes.
    private static let clockBytes = 256

    /// Returns the media playlist of a track with the segments that are available now.
    func livePlaylist(_ index: Int) throws(MediaError) -> Playlist? {
        try refreshPresentation()
        var playlist = SegmentPlaylist(limit: rules.playlistBytes, subject: subject)
        guard let reading = presentation else { preconditionFailure("there is no presentation") }
        let found = reading.presentation
        for number in found.periods.indices {
            guard let window = reading.window(ofPeriod: number, longest: Self.longestWindow) else {
                continue
            }
            playlist.addDiscontinuity()
            try addSegments(of: index, inPeriod: number, window, to: &playlist)
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
            ofTrack: index, starts: playlist.starts, periods: found.periods.map(\.start))
        return Playlist(
            playlist.text(
                live: SegmentPlaylist.Live(
                    sequence: sequence, discontinuity: discontinuity,
                    zeroDate: found.availabilityStart, delay: found.delay,
                    hasEnded: reading.hasEnded)))
    }

    /// Loads the MPD again if that is due. If it cannot be loaded, the last one is kept.
    private func refreshPresentation() throws(MediaError) {
        guard var reading = presentation, reading.presentation.isLive else { return }
        if reading.clockOffset == nil {
            reading.clockOffset = try clockOffset(of: reading)
            presentation = reading
        }
        guard let period = reading.presentation.updatePeriod,
            reading.age >= period
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
                try wholeText(source), base: base ?? reading.base, subject: subject)
            if let found { presentation?.replace(with: found, base: base ?? reading.base) }
            options.accessObserver?(AssetAccess(subject: url, depth: depth))
        } catch {
            options.accessObserver?(AssetAccess(subject: url, depth: depth, error: error))
            if violation != nil || interrupt.isTriggered { throw error }
        }
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
