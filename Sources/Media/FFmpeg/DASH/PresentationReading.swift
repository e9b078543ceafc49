// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The presentation that an asset is, as one container reads it.
///
/// - Concurrency: a value, on the demuxer's thread.
struct PresentationReading {
    var presentation: MediaPresentation
    /// The address of the MPD.
    var base: ReferenceBase
    /// A Boolean value that indicates whether the presentation is, or was at first, live.
    let isLive: Bool
    /// The number of the period that is read, among those that were listed when it was opened.
    private(set) var period = 0
    /// The period that is read, as it was when it was opened.
    private(set) var openPeriod: MediaPresentation.Period
    /// The tracks that the multivariant playlist names.
    private(set) var tracks: [MediaPresentation.Period.Track] = []
    /// The tracks of the period that was opened first. Those of others have the same order.
    let model: [MediaPresentation.Period.Track]
    /// The indexes of files that were read, by their addresses; nil for files without one.
    var indexes: [String: SegmentIndex?] = [:]
    /// The end of the longest track that was listed; nil before the first one.
    private var mediaEnd: Int64?
    /// The host time, in nanoseconds, at which the MPD was loaded.
    var loadTime = HostClock.nanoseconds
    /// The time of the server minus the host time, in microseconds; nil before it was determined.
    var clockOffset: Int64?

    init(
        _ presentation: MediaPresentation, base: ReferenceBase, isLive: Bool,
        like model: [MediaPresentation.Period.Track]
    ) {
        (self.presentation, self.base, self.isLive) = (presentation, base, isLive)
        self.model = model
        openPeriod = presentation.periods[0]
        enter(0)
    }

    /// Chooses the period that is read.
    mutating func enter(_ period: Int) {
        self.period = period
        openPeriod = presentation.periods[period]
        tracks = openPeriod.tracks(like: model)
    }

    /// The time on the presentation's timeline at which the timestamps of the period are zero, with
    /// the shifts of the tracks.
    var timestampZero: MediaTime { periodStart - latestOffset }

    /// The timestamp at which the period begins, in the track in which it is the latest.
    private var latestOffset: MediaTime { tracks.map(Self.offset).max() ?? .zero }

    /// Returns the shift of a track's timestamps, with which the period begins at one timestamp in
    /// all tracks. It is not negative, because fragments cannot have negative times.
    func shift(of track: Int) -> MediaTime { latestOffset - Self.offset(tracks[track]) }

    private static func offset(_ track: MediaPresentation.Period.Track) -> MediaTime {
        let segments = track.representation.segments
        return MediaTime(value: segments.timeOffset, timescale: Int32(segments.timescale))
    }

    /// Returns the timestamp at which the first period begins, which is the zero of the asset's
    /// timeline; nil for a live presentation, and if the media is not near it.
    ///
    /// - Parameter start: The first timestamp of the media.
    func timestampOffset(near start: MediaTime) -> MediaTime? {
        guard !isLive else { return nil }
        let offset = latestOffset
        return (start - offset).magnitude < Self.longestLead ? offset : nil
    }

    /// The maximum time from the beginning of the media to that of a period within it, or the
    /// other way. If an MPD does not state where its media begins, the distance is longer.
    private static let longestLead = MediaTime(value: 60, timescale: 1)

    /// A Boolean value that indicates whether there are several periods, which are opened one after
    /// the other.
    var hasPeriods: Bool { !isLive && presentation.periods.count > 1 }

    /// The beginning of the period.
    var periodStart: MediaTime { Self.time(openPeriod.start) }

    /// The end of the period; nil as long as it is the last one.
    var periodEnd: MediaTime? {
        presentation.periods.first { $0.start > openPeriod.start }.map { Self.time($0.start) }
    }

    /// Records the end of a track's last segment. Segments that are listed without their durations
    /// may end later than the period.
    mutating func noteEnd(of track: Int, _ end: Int64) {
        let segments = tracks[track].representation.segments
        let isExact = segments.runs != nil || segments.form == .file
        let limit = openPeriod.end
        mediaEnd = max(mediaEnd ?? end, isExact ? end : min(end, limit ?? end))
    }

    /// The time from the beginning of the first period to the end of the last one; nil if it is not
    /// known.
    var duration: MediaTime? {
        guard !isLive, let end = hasPeriods ? presentation.end : mediaEnd,
            end > presentation.periods[0].start
        else { return nil }
        return Self.time(end - presentation.periods[0].start)
    }

    static func time(_ microseconds: Int64) -> MediaTime {
        MediaTime(value: microseconds, timescale: 1_000_000)
    }

    /// Returns a time in whole microseconds, rounded.
    static func microseconds(_ time: MediaTime) -> Int64 {
        Int64((min(max(time.seconds, 0), 1e9) * 1e6).rounded())
    }

    /// Returns the version of a track in another period.
    func track(_ index: Int, inPeriod other: Int) -> MediaPresentation.Period.Track? {
        guard tracks.indices.contains(index) else { return nil }
        let candidates = presentation.periods[other].tracks(like: model)
        let wanted = tracks[index]
        let like = candidates.filter { $0.use == wanted.use }
        return like.first { $0.representation.id == wanted.representation.id }
            ?? like.min {
                abs($0.representation.bandwidth - wanted.representation.bandwidth)
                    < abs($1.representation.bandwidth - wanted.representation.bandwidth)
            }
    }

    /// The recommended distance from the live edge, in microseconds; nil if the MPD states none.
    var liveDelay: Int64? { presentation.isLive ? presentation.delay : nil }

    // MARK: - Windows

    /// The window that contains all segments of the period.
    var wholePeriod: SegmentInformation.Window { wholePeriod(period) }

    private func wholePeriod(_ index: Int) -> SegmentInformation.Window {
        let period = presentation.periods[index]
        return SegmentInformation.Window(
            periodEnd: period.end.map { $0 - period.start },
            isLast: index == presentation.periods.count - 1)
    }

    /// The age of the MPD in microseconds.
    var age: Int64 { (HostClock.nanoseconds - loadTime) / 1000 }

    /// The current time on the presentation's timeline, in microseconds.
    private var now: Int64 {
        HostClock.nanoseconds / 1000 + (clockOffset ?? 0) - presentation.availabilityStart
    }

    /// A Boolean value that indicates whether no more segments will become available.
    var hasEnded: Bool {
        guard presentation.isLive else { return true }
        return presentation.updatePeriod == nil && presentation.end.map { now >= $0 } ?? false
    }

    /// Returns the segments of a period that are available; nil if the period has not begun.
    func window(ofPeriod index: Int, longest: Int64) -> SegmentInformation.Window? {
        var window = wholePeriod(index)
        guard presentation.isLive else { return window }
        let edge = now - presentation.periods[index].start
        guard edge >= 0 else { return nil }
        let depth = min(presentation.windowDepth ?? longest, longest)
        window.available = edge - depth...edge
        return window
    }

    /// Replaces the presentation with a newer version of it.
    mutating func replace(with newer: MediaPresentation, base: ReferenceBase) {
        (presentation, self.base) = (newer, base)
    }
}
