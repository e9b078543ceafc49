// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadTime
package import PlayheadWriting

/// Joins parts of media without encoding. Each part is copied from the keyframe at or before its
/// start up to the keyframe at or after its end.
///
/// At a cut, frames that depend on frames before the keyframe are left out. Audio is cut at the
/// same times as the video, at packet boundaries.
///
/// - Concurrency: one thread.
package struct KeyframeJoin {
    /// A part of an asset.
    package struct Part {
        package var asset: Asset
        /// The requested range; nil for the whole asset.
        package var range: MediaTimeRange?

        package init(asset: Asset, range: MediaTimeRange?) {
            self.asset = asset
            self.range = range
        }
    }

    /// A function that receives the fraction that is copied, from 0 to 1. The fraction never
    /// decreases. It is reported only if each part has a range with an end.
    package var progressHandler: (@Sendable (Double) -> Void)?

    private let engine: any WritingEngine
    private let cancellation: Cancellation
    /// The parameters of the first part's tracks, by input. Those of all other parts must be equal.
    private var formats: [(track: AssetTrack, parameters: any AnyObject & Sendable)] = []
    private var inputs: [AssetWriterInput] = []
    /// The decode time of the last packet of each input, in times of the file.
    private var lastTimes: [MediaTime?] = []
    /// The end of the copied media, in times of the file.
    private var end = MediaTime.zero
    /// The duration of the requested ranges, and of those that are copied.
    private var duration = MediaTime.zero
    private var copiedDuration = MediaTime.zero
    /// The fraction that was reported last.
    private var reported = 0.0

    /// The smallest difference between two reported fractions.
    private static let progressStep = 0.001

    package init(engine: any WritingEngine, cancellation: Cancellation) {
        self.engine = engine
        self.cancellation = cancellation
    }

    /// Writes a file, and returns the ranges that were copied, in the times of their assets.
    ///
    /// - Parameter includesAudio: A Boolean value that indicates whether audio is copied.
    package mutating func write(
        _ parts: [Part], to path: String, inputs paths: [String], includesAudio: Bool
    ) throws(MediaWritingError) -> [MediaTimeRange] {
        let writer = try AssetWriter(path: path, engine: engine)
        writer.replacesExistingFile = true
        writer.sourcePaths = paths
        var copied: [MediaTimeRange] = []
        duration = parts.reduce(.zero) { $0 + ($1.range?.duration ?? .indefinite) }
        do throws(MediaWritingError) {
            for part in parts {
                let demuxer = try reading { () throws(MediaError) in
                    try part.asset.openDemuxer(cancellation: cancellation)
                }
                let tracks = try tracks(of: demuxer, part.asset.subject, includesAudio)
                if inputs.isEmpty { try begin(writer, demuxer, tracks) }
                copied.append(try copy(part, demuxer, tracks))
                copiedDuration = copiedDuration + (part.range?.duration ?? .indefinite)
            }
            for input in inputs { try input.markAsFinished() }
            try writer.finishWritingAndWait()
        } catch {
            writer.cancelWriting()
            throw error
        }
        if duration.isNumeric, reported < 1 { progressHandler?(1) }
        return copied
    }

    /// Reports the progress of a part whose frames from a keyframe to a time are copied.
    private mutating func report(_ part: Part, from start: MediaTime?, to time: MediaTime) {
        guard let progressHandler, let start, let range = part.range, time.isNumeric,
            duration.isNumeric, duration > .zero
        else { return }
        // The frames between the end of the range and the next keyframe are not known before.
        let share = min((time - start).seconds / max((range.end - start).seconds, 0.001), 1)
        let copied = copiedDuration.seconds + share * range.duration.seconds
        let fraction = min(copied / duration.seconds, 1)
        guard fraction >= reported + Self.progressStep else { return }
        reported = fraction
        progressHandler(fraction)
    }

    // MARK: - Tracks

    /// Returns the video track and the audio track of a part. They must have the same format as
    /// those of the first part.
    private func tracks(
        of demuxer: any Demuxer, _ subject: String, _ includesAudio: Bool
    ) throws(MediaWritingError) -> [AssetTrack] {
        let source = try reading { () throws(MediaError) in
            try ExportSource(demuxer.description, subject: subject, audioTrackIDs: nil)
        }
        guard let video = source.video else {
            throw MediaWritingError(
                .noSamples, subject: subject, cause: "it has no video, and so no keyframes",
                remedy: "remove --keyframes")
        }
        let tracks = [video] + (includesAudio ? source.audio.prefix(1) : [])
        guard !formats.isEmpty else { return tracks }
        let isSame =
            tracks.count == formats.count
            && zip(tracks, formats).allSatisfy { track, first in
                demuxer.sampleParameters(of: track).map {
                    engine.haveSameFormat($0, first.parameters)
                } ?? false
            }
        guard isSame else {
            throw MediaWritingError(
                .unsupportedFormat, subject: subject,
                cause: "its samples have a different format from those of the first part",
                remedy: "use parts of one file, or remove --keyframes")
        }
        return tracks
    }

    private mutating func begin(
        _ writer: AssetWriter, _ demuxer: any Demuxer, _ tracks: [AssetTrack]
    ) throws(MediaWritingError) {
        // The first part may begin later than its timecode.
        writer.metadata = ExportTimecode.removed(from: demuxer.description.metadata)
        for track in tracks {
            guard let parameters = demuxer.sampleParameters(of: track) else {
                throw MediaWritingError(
                    .unsupportedFormat, subject: writer.path,
                    cause: "the samples cannot be copied", remedy: "remove --keyframes")
            }
            let input = AssetWriterInput(
                passthrough: EncodedTrackFormat(track, parameters: parameters))
            try writer.add(input)
            inputs.append(input)
            formats.append((track, parameters))
        }
        lastTimes = inputs.map { _ in nil }
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
    }

    // MARK: - Samples

    /// Copies a part. Returns the range that was copied.
    private mutating func copy(
        _ part: Part, _ demuxer: any Demuxer, _ tracks: [AssetTrack]
    ) throws(MediaWritingError) -> MediaTimeRange {
        let subject = part.asset.subject
        demuxer.selectTracks(Set(tracks.map(\.id)))
        if let range = part.range {
            try reading { () throws(MediaError) in try demuxer.seek(to: range.start) }
        }
        var times = DecodeTimes(tracks[0])
        var start: MediaTime?
        var last = MediaTime.negativeInfinity
        var stop = MediaTime.positiveInfinity
        // It is known only later whether audio that is read before the keyframe's packet, or near
        // the end, belongs to the part.
        var sounds: [MediaPacket] = []
        reading: while let packet = try reading({ () throws(MediaError) in
            try demuxer.readPacket()
        }) {
            if cancellation.isCancelled { throw .exportCancelled(subject) }
            guard packet.trackID == tracks[0].id else {
                sounds.append(packet)
                if let start { try copySounds(&sounds, from: start, until: last, tracks) }
                continue
            }
            guard let known = times.add(packet) else {
                throw MediaWritingError(
                    .unsupportedFormat, subject: subject,
                    cause: "the compressed frames have no decode times",
                    remedy: "remove --keyframes")
            }
            for packet in known {
                guard packet.presentationTime.isNumeric else { continue }
                if start == nil {
                    guard packet.isKeyframe else { continue }
                    start = packet.presentationTime
                } else if packet.isKeyframe, let range = part.range,
                    packet.presentationTime >= range.end
                {
                    stop = packet.presentationTime
                    break reading
                }
                try copyFrame(packet, start, &last)
                report(part, from: start, to: last)
            }
        }
        if !stop.isNumeric {
            for packet in times.finish() where packet.presentationTime.isNumeric {
                if start == nil, packet.isKeyframe { start = packet.presentationTime }
                try copyFrame(packet, start, &last)
            }
        }
        guard let start else {
            throw MediaWritingError(
                .noSamples, subject: subject, cause: "the part contains no keyframe",
                remedy: "choose another part")
        }
        let partEnd = stop.isNumeric ? stop : last
        // The audio of the last frames may be stored after the keyframe.
        if stop.isNumeric, tracks.count > 1 {
            try readSounds(demuxer, tracks[1], until: partEnd, &sounds)
        }
        try copySounds(&sounds, from: start, until: partEnd, tracks)
        end = end + (partEnd - start)
        return MediaTimeRange(start: start, duration: partEnd - start)
    }

    /// Copies a frame, unless it is shown before the keyframe that it follows. Such a frame depends
    /// on frames before the keyframe.
    private mutating func copyFrame(
        _ packet: MediaPacket, _ start: MediaTime?, _ last: inout MediaTime
    ) throws(MediaWritingError) {
        guard let start, packet.presentationTime >= start else { return }
        last = max(last, packet.end)
        try append(packet, to: 0, movedBy: end - start)
    }

    /// Reads the audio that plays before a time but is stored in the file after the video packets
    /// that have been read.
    private func readSounds(
        _ demuxer: any Demuxer, _ track: AssetTrack, until time: MediaTime,
        _ sounds: inout [MediaPacket]
    ) throws(MediaWritingError) {
        demuxer.selectTracks([track.id])
        while let packet = try reading({ () throws(MediaError) in try demuxer.readPacket() }) {
            guard packet.trackID == track.id else { continue }
            if packet.presentationTime.isNumeric, packet.presentationTime >= time { return }
            sounds.append(packet)
        }
    }

    /// Copies the audio that begins before a time. The rest waits.
    private mutating func copySounds(
        _ sounds: inout [MediaPacket], from start: MediaTime, until time: MediaTime,
        _ tracks: [AssetTrack]
    ) throws(MediaWritingError) {
        var waiting: [MediaPacket] = []
        for packet in sounds where packet.presentationTime.isNumeric {
            if packet.presentationTime < start { continue }
            if packet.presentationTime < time {
                try append(packet, to: 1, movedBy: end - start)
            } else {
                waiting.append(packet)
            }
        }
        sounds = waiting
    }

    private mutating func append(
        _ packet: MediaPacket, to input: Int, movedBy offset: MediaTime
    ) throws(MediaWritingError) {
        var packet = packet
        packet.presentationTime += offset
        if packet.decodeTime.isNumeric { packet.decodeTime += offset }
        // Parts of other files may reorder more frames, so their first decode time may be earlier
        // than the last one in the file.
        if let last = lastTimes[input], packet.decodeTime.isNumeric, packet.decodeTime <= last {
            let unit = MediaTime(
                value: 1, timescale: max(formats[input].track.timeUnit.timescale, 1))
            packet.decodeTime = last + unit
            guard packet.decodeTime <= packet.presentationTime else {
                throw MediaWritingError(
                    .unsupportedFormat, subject: "",
                    cause: "the parts reorder their frames differently",
                    remedy: "remove --keyframes")
            }
        }
        lastTimes[input] =
            packet.decodeTime.isNumeric ? packet.decodeTime : packet.presentationTime
        try inputs[input].appendAndWait(packet)
    }
}
