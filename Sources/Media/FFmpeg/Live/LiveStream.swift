// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A live stream as a demuxer knows it: its timeline, which outlives the containers that are opened
/// for it, and the monitor for the player.
///
/// FFmpeg does not seek in live streams. A seek therefore opens the stream again, with playlists
/// that are cut so that they begin at the wanted segment; see `LiveReading`.
///
/// - Concurrency: the demuxer's thread only.
final class LiveStream {
    let monitor: LiveMonitor
    private let store: LiveTimelineStore
    /// The timeline; nil if the asset is not a live stream, or not known to be one.
    private(set) var timeline: LiveTimeline?

    /// The timeline of this opening of the asset or of another one, whichever is newest.
    var newestTimeline: LiveTimeline? { timeline == nil ? nil : store.timeline ?? timeline }

    /// The ranges of dates that the newest playlist states, and the dates of its segments.
    private var dates = PlaylistDates()
    /// The timeline of the first playlist, if the asset is not a live stream, but states dates or
    /// discontinuities.
    private(set) var recording: LiveTimeline?
    /// The number of playlists whose ranges of dates were taken.
    private(set) var dateCount = 0

    /// A Boolean value that indicates whether this opening of the asset, or an earlier one, has
    /// found a live stream.
    var isKnown: Bool { timeline != nil || store.timeline != nil }

    init(monitor: LiveMonitor, store: LiveTimelineStore) {
        self.monitor = monitor
        self.store = store
    }

    /// Takes the playlist of the main variant.
    func take(_ playlist: MediaPlaylist) {
        guard !playlist.segments.isEmpty else { return }
        if var known = timeline {
            known.update(playlist)
            timeline = known
        } else if var earlier = store.timeline {
            // The timestamps of another opening may have another zero.
            earlier.forgetOffsets()
            earlier.update(playlist)
            timeline = earlier
        } else {
            timeline = LiveTimeline(playlist)
        }
        timelineChanged()
        putOffReload()
    }

    /// Passes the timeline to the player and to other openings of the asset.
    private func timelineChanged() {
        guard let timeline else { return }
        store.timeline = timeline
        monitor.note(timeline.window, dates: timeline.dates)
    }

    /// The timeline in which a seek finds a segment, because the times of packets are not those of
    /// the file: that of a live stream, or of a playlist with discontinuities; nil for others.
    var segments: LiveTimeline? {
        timeline ?? recording.flatMap { $0.hasDiscontinuities ? $0 : nil }
    }

    /// Takes the main variant's playlist, if it is not a live stream.
    func take(recording playlist: Playlist) {
        let tags = ["#EXT-X-PROGRAM-DATE-TIME:", "#EXT-X-DISCONTINUITY"]
        guard recording == nil, !isKnown, !playlist.isLive,
            playlist.lines.contains(where: { line in tags.contains { line.hasPrefix($0) } })
        else { return }
        let list = MediaPlaylist(playlist)
        if !list.segments.isEmpty { recording = LiveTimeline(list) }
    }

    /// Sets the time at which the first segment of a recording begins.
    func beginRecording(at time: MediaTime) {
        guard let first = recording?.firstSequence else { return }
        recording?.anchor(first, at: time)
        recording?.use(.zero, in: first)
    }

    /// Takes the ranges of dates of the main variant's playlist.
    func take(dateRangesOf playlist: Playlist) {
        let ranges = playlist.dateRanges
        guard !ranges.isEmpty || !dates.ranges.isEmpty else { return }
        dates = PlaylistDates(ranges: ranges, MediaPlaylist(playlist))
        dateCount += 1
    }

    /// Returns the ranges of dates with their times.
    ///
    /// - Parameter start: The time at which the first segment begins, if the stream is not live.
    func dateRanges(from start: MediaTime) -> [DateRange] {
        dates.timed(by: timeline, from: start)
    }

    /// Sets the time at which the playlist should be loaded again.
    func putOffReload() {
        let isFinal = timeline?.hasEnded ?? true
        monitor.setReload(after: isFinal ? nil : timeline?.reloadInterval)
    }

    func anchor(_ sequence: Int64, at time: MediaTime) {
        timeline?.anchor(sequence, at: time)
        timelineChanged()
        recording?.anchor(sequence, at: time)
    }

    func note(keyframe time: MediaTime, previous: MediaTime?, offset: MediaTime) {
        let hasChanged = timeline?.note(keyframe: time, previous: previous, offset: offset)
        // Most keyframes are at their places, or within segments.
        if hasChanged == true { timelineChanged() }
        recording?.note(keyframe: time, previous: previous, offset: offset)
    }

    /// Returns the numbers of the first segment and of the first period of a presentation that are
    /// listed, by the times at which they begin.
    func numbers(
        of use: LiveTimelineStore.Use, starts: [Int64], periods: [Int64]
    ) -> (Int64, Int64) {
        store.numbers(of: use, starts: starts, periods: periods)
    }

    func firstNumber(ofPeriods starts: [Int64]) -> Int64 {
        store.firstNumber(ofPeriods: starts)
    }

    /// The tracks of the period of a presentation that was opened first; empty before that.
    var tracks: [MediaPresentation.Period.Track] { store.presentationTracks }

    /// The beginnings of the periods of the newest version of a presentation.
    var periodStarts: [String: Int64] { store.periodStarts }

    /// Records the tracks of a period of a presentation, and the beginnings of its periods.
    func note(_ tracks: [MediaPresentation.Period.Track], starts: [String: Int64]) {
        if store.presentationTracks.isEmpty { store.presentationTracks = tracks }
        store.periodStarts = starts
    }

    func use(_ offset: MediaTime, in sequence: Int64) {
        timeline?.use(offset, in: sequence)
        timelineChanged()
        recording?.use(offset, in: sequence)
    }
}

extension LiveTimeline {
    /// The time after which the playlist should be loaded again, in nanoseconds (RFC 8216, section
    /// 6.3.4).
    var reloadInterval: Int64 {
        let shortest: Int64 = 500_000_000
        return max(targetDuration.nanoseconds ?? 0, shortest)
    }
}
