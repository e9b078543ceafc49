// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// Files that are still being written.
extension FFmpegDemuxer {
    /// Opens the file again as a stream whose end is not known. Ordinary files stay as they are.
    func followGrowth() {
        let start = description.startTime.isNumeric ? description.startTime : .zero
        var timescales: [Int: Int32] = [:]
        for case let stream? in context.streams where stream.pointee.time_base.den > 0 {
            timescales[Int(stream.pointee.id)] = stream.pointee.time_base.den
        }
        guard followed == nil, !isLive, let source = context.file,
            let file = FollowedFile(
                source, container: description.container, timescales: timescales, start: start)
        else { return }
        file.extend(to: file.measure() ?? description.end)
        followed = file
        do throws(MediaError) {
            try reopen()
        } catch {
            // The file is played up to its current end.
            followed = nil
            return
        }
        clearPending()
        hasMoved = false
        description.providesPreciseDurationAndTiming = false
        for index in description.tracks.indices {
            let start = description.tracks[index].timeRange.start
            description.tracks[index].timeRange = MediaTimeRange(
                start: start, duration: .indefinite)
        }
        report(file)
    }

    /// Measures the file again, because nothing is read for a while.
    func measureGrowth() {
        guard let followed, !followed.hasEnded else { return }
        // The check comes first, because a writer may write and close the file in between.
        let isOver = !followed.isBeingWritten
        followed.extend(to: followed.measure() ?? lastTime(of: followed, isOver: isOver))
        followed.hasEnded = isOver
        report(followed)
    }

    /// Records a packet that was read, which may be later than the last measurement.
    func noteGrowth(_ packet: MediaPacket) {
        guard let followed, packet.end.isNumeric,
            packet.end - followed.range.end >= FollowedFile.step
        else { return }
        followed.extend(to: packet.end)
        report(followed)
    }

    /// Records that everything has been read, because the file is not written to any more.
    func noteEndOfGrowth() {
        guard let followed, !followed.isBeingWritten else { return }
        let played = description.tracks.filter {
            selection.contains($0.id) && ($0.mediaType == .video || $0.mediaType == .audio)
        }
        if let end = played.compactMap({ ends[$0.id] }).filter(\.isNumeric).max(),
            end > followed.range.start
        {
            followed.range = MediaTimeRange(start: followed.range.start, end: end)
        }
        followed.hasEnded = true
        report(followed)
    }

    private func report(_ file: FollowedFile) {
        description.duration = file.range.duration
        live.monitor.note(
            LiveWindow(
                range: file.range,
                recommendedOffset: min(FollowedFile.recommendedOffset, file.range.duration),
                hasEnded: file.hasEnded, isFile: true))
        live.monitor.setReload(after: file.hasEnded ? nil : FollowedFile.interval)
    }

    /// Returns the end of a file in a format that can be searched without an index, MPEG. FFmpeg
    /// finds it by the last timestamps when it opens the file. Returns nil for other formats.
    private func lastTime(of file: FollowedFile, isOver: Bool) -> MediaTime? {
        let isDue = HostClock.nanoseconds - file.lastSearch >= FollowedFile.searchInterval
        guard ["mpegts", "mpeg"].contains(description.container), isDue || isOver else {
            return nil
        }
        file.lastSearch = HostClock.nanoseconds
        defer { interrupt.begin() }
        let context = try? FormatContext(
            source, options: options, interrupt: interrupt, transfer: monitor, live: live)
        guard let current = context.map({ AssetDescription($0) }), current.duration.isNumeric
        else { return nil }
        return description.startTime + current.duration
    }
}

extension FollowedFile {
    /// Extends the range to a time.
    func extend(to time: MediaTime?) {
        guard let time, time.isNumeric, time > range.end else { return }
        range = MediaTimeRange(start: range.start, end: time)
    }
}
