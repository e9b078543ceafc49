// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadTime

/// An object that finds frames of one video track by their times, with one decoder for all of them.
///
/// Requests in ascending order of time are the fastest. Between two of them, decoding continues at
/// the current position, or at the last keyframe between them.
///
/// - Concurrency: one thread at a time; calls block for reading and decoding.
package final class PictureFinder: VideoFrameFinder {
    /// The description of the asset.
    package let description: AssetDescription
    /// The video track.
    package let track: AssetTrack

    private let subject: String
    private let packets: PacketLookahead
    private let loop: DecodingLoop<VideoFrame>
    /// The frame that was found last, and the frame after it. The latter is nil unless it had to be
    /// decoded as well.
    private var current: VideoFrame?
    private var following: VideoFrame?
    /// A Boolean value that indicates whether decoding can continue from the decoder's current
    /// position.
    private var isContinuable = false
    private let decoder: any VideoDecoder

    /// The first step back after a seek that landed too late. The step is doubled with each new
    /// attempt.
    private static let firstStepBack = MediaTime(value: 1, timescale: 2)
    /// The maximum distance to a later time that is reached by reading. For a longer distance, the
    /// finder seeks. Reading past frames is faster than decoding again from an earlier keyframe.
    private static let longestReading = MediaTime(value: 10, timescale: 1)

    /// Opens an asset.
    ///
    /// - Parameters:
    ///   - trackID: The number of a video track; nil for the preferred track.
    ///   - cancellation: An object that, once cancelled, soon ends blocking calls with an error.
    package init(
        asset: Asset, trackID: Int? = nil, cancellation: Cancellation = Cancellation()
    ) throws(MediaError) {
        subject = asset.subject
        let demuxer = try asset.openDemuxer(cancellation: cancellation)
        description = demuxer.description
        track = try description.track(trackID, of: .video, in: subject)
        demuxer.selectTracks([track.id])
        let decoder = try demuxer.makeVideoDecoder(for: track)
        let packets = PacketLookahead(demuxer: demuxer, decoder: decoder)
        self.decoder = decoder
        self.packets = packets
        loop = DecodingLoop(
            nextPacket: packets.nextPacket, send: decoder.send, receive: decoder.receive)
    }

    /// Returns the frame that is displayed at a time, which is the last frame that begins at or
    /// before that time. As in a player, a frame that begins up to `VideoFrame.timeTolerance` later
    /// counts too. For a time before the first frame, returns the first frame.
    ///
    /// With a tolerance, the method returns the first frame within the tolerance that the decoder
    /// reaches. If the keyframe before `time` is close enough, it returns that keyframe.
    ///
    /// - Parameters:
    ///   - tolerance: The maximum time from the start of the returned frame to the start of the
    ///     displayed frame. It must not be negative.
    ///   - isCancelled: A function that is called between frames. If it returns true, the search
    ///     ends with the error `cancelled`.
    /// - Throws: `noSuchFrame` for a time after the end, and the errors of reading and decoding.
    package func picture(
        at time: MediaTime, toleranceBefore tolerance: MediaTime = .zero,
        isCancelled: () -> Bool = { false }
    ) throws(MediaError) -> VideoFrame {
        precondition(time.isNumeric, "a picture at \(time): not a time")
        return try picture(beginningBy: time + VideoFrame.timeTolerance, tolerance, isCancelled)
    }

    private func picture(
        beginningBy time: MediaTime, _ tolerance: MediaTime, _ isCancelled: () -> Bool
    ) throws(MediaError) -> VideoFrame {
        if let next = following, next.presentationTime <= time {
            (current, following) = (next, nil)
        }
        if let current, following != nil, current.presentationTime <= time { return current }
        // If there are too many packets to read ahead, the times come from the decoded frames.
        guard packets.areTimed, try move(to: time), packets.areTimed else {
            return try search(for: time, isCancelled)
        }
        let reached = current.map(\.presentationTime)
        guard let wanted = [packets.begin(ofPictureAt: time), reached].compactMap({ $0 }).max()
        else { return try search(for: time, isCancelled) }
        let keyframe = packets.keyframe(before: time)
        if let current, keyframe == nil, wanted - current.presentationTime <= tolerance {
            return try checked(current, at: time, shown: wanted)
        }
        let isKeyframeEnough = keyframe.map { tolerance > .zero && wanted - $0 <= tolerance }
        if packets.skip(toKeyframeBefore: time) { forget() }
        if let keyframe, isKeyframeEnough == true {
            if let frame = try decode(keyframe, stopping: true, isCancelled) {
                return try checked(frame, at: time, shown: wanted)
            }
        } else if isContinuable || keyframe != nil {
            // The target is the frame itself, or the first frame within the tolerance.
            let aim = tolerance > .zero ? packets.begin(from: wanted - tolerance) : nil
            if let frame = try decode(aim ?? wanted, stopping: false, isCancelled) {
                return try checked(frame, at: time, shown: wanted)
            }
        }
        return try search(for: time, isCancelled)
    }

    // MARK: - By packets

    /// Moves to a point from which the frame at a time can be decoded, and reads the packets up to
    /// that frame. Returns false if there are too many packets.
    private func move(to time: MediaTime) throws(MediaError) -> Bool {
        let position = following ?? current
        if isContinuable || packets.hasStopped, let position,
            position.presentationTime <= time,
            time - position.presentationTime <= Self.longestReading
        {
            let isKnown = try packets.read(to: time)
            if isKnown, isContinuable || packets.keyframe(before: time) != nil { return true }
        }
        try packets.seek(to: max(time, description.startTime))
        forget()
        isContinuable = true
        return try packets.read(to: time)
    }

    /// Decodes until the decoder returns the frame that begins at `time`. Returns nil if the
    /// decoder does not return that frame.
    private func decode(
        _ time: MediaTime, stopping: Bool, _ isCancelled: () -> Bool
    ) throws(MediaError) -> VideoFrame? {
        if let following, following.presentationTime == time {
            current = following
            self.following = nil
            return current
        }
        packets.aim(at: time, stopping: stopping)
        isContinuable = !stopping
        while let frame = try next(isCancelled) {
            if frame.presentationTime == time {
                (current, following) = (frame, nil)
                return frame
            }
            if frame.presentationTime > time { break }
        }
        return nil
    }

    // MARK: - By pictures

    /// Decodes every frame from a point well before a time. This method is used if packets do not
    /// state the times of their frames, or if too many packets would have to be read ahead.
    private func search(
        for time: MediaTime, _ isCancelled: () -> Bool
    ) throws(MediaError) -> VideoFrame {
        let start = description.startTime
        var aim = max(time, start)
        var step = Self.firstStepBack
        var first = pictureToGoOnFrom(to: time)
        while first == nil {
            try packets.seek(to: aim)
            forget()
            packets.aim(at: .invalid, stopping: false)
            first = try next(isCancelled)
            if aim <= start { break }
            if let first, first.presentationTime <= time { break }
            aim = max(aim - step, start)
            step += step
            first = nil
        }
        guard var found = first else { throw noFrame(at: time) }
        isContinuable = true
        (current, following) = (found, nil)
        while found.presentationTime <= time, let frame = try next(isCancelled) {
            if frame.presentationTime > time {
                following = frame
                return found
            }
            found = frame
            current = frame
        }
        return try checked(found, at: time)
    }

    /// Returns the last frame from the decoder if the frame at a time is not far ahead of it.
    private func pictureToGoOnFrom(to time: MediaTime) -> VideoFrame? {
        guard isContinuable, following == nil, !packets.areTimed, let current,
            current.presentationTime <= time,
            time - current.presentationTime <= Self.longestReading
        else { return nil }
        packets.aim(at: .invalid, stopping: false)
        return current
    }

    /// Returns `frame` if it is displayed at `time`. The last frame is displayed until both its
    /// duration and the asset have ended. But if the end of the file is missing, the last known
    /// frame is not extended, because the frames after it are unknown.
    ///
    /// - Parameter shown: The time of the frame that is displayed at `time`, if `frame` is an
    ///   earlier frame within the tolerance.
    private func checked(
        _ frame: VideoFrame, at time: MediaTime, shown: MediaTime? = nil
    ) throws(MediaError) -> VideoFrame {
        let shown = shown ?? frame.presentationTime
        guard time > shown, packets.hasReachedEnd, !packets.hasPicture(after: shown) else {
            return frame
        }
        let duration = frame.duration.isNumeric ? frame.duration : .zero
        let isWhole = description.missingByteCount == 0
        let known =
            isWhole && description.end.isNumeric ? description.end : description.startTime
        guard time - VideoFrame.timeTolerance <= max(shown + duration, known) else {
            throw noFrame(at: time, last: shown)
        }
        return frame
    }

    private func next(_ isCancelled: () -> Bool) throws(MediaError) -> VideoFrame? {
        guard !isCancelled() else {
            throw MediaError(.cancelled, subject: subject, cause: "image generation was cancelled")
        }
        let frame: VideoFrame?
        do {
            frame = try loop.next()
        } catch {
            // The loop has ended with the error; the next request seeks, and tries again.
            isContinuable = false
            throw error
        }
        guard let frame else { return nil }
        packets.forget(through: frame.presentationTime)
        return frame
    }

    private func forget() {
        (current, following) = (nil, nil)
        loop.restart()
    }

    private func noFrame(at time: MediaTime, last: MediaTime? = nil) -> MediaError {
        MediaError(
            .noSuchFrame, subject: subject,
            cause: "there is no frame at \(time.clockDescription)"
                + (description.missingByteCount > 0 ? ", as the end of the file is missing" : ""),
            remedy: last.map { "the last one is at \($0.clockDescription)" }
                ?? "the track has no frames")
    }
}
