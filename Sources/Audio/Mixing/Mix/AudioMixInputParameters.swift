// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// How one track's sound goes into the mix.
///
/// The order is: taps, then volume and pan, then the player's volume. Volumes are factors on the
/// samples, 1 as they are, and follow item time to the sample, at any rate. They are linear within
/// a ramp and never jump: from one to the next, as from muted to not, takes 10 ms. Sums and volumes
/// that exceed full scale are rounded off rather than cut.
///
/// - Corresponds to: `AVAudioMixInputParameters`, `AVMutableAudioMixInputParameters`.
public struct AudioMixInputParameters: Sendable {
    /// The track that they are for, by `AssetTrack.id`; nil for whichever plays.
    public var trackID: Int?
    /// What processes the track's sound, in order: each pulls from the one before.
    ///
    /// - Corresponds to: `AVAudioMixInputParameters.audioTapProcessor`.
    public var taps: [AudioProcessingTap] = []
    /// From −1, left only, to 1, right only: what is on the other side is lowered, that in the
    /// middle stays. A pan that is no number counts as 0.
    ///
    /// - Corresponds to: `AVAudioMixing.pan`.
    public var pan: Float = 0
    /// Whether nothing of the track is heard, whatever its volume.
    public var isMuted = false
    private(set) var envelope = VolumeEnvelope()

    public init(trackID: Int? = nil) { self.trackID = trackID }

    /// The volume at an item time.
    public func volume(at time: MediaTime) -> Float { envelope.volume(at: time) }

    /// Sets the volume from an item time on, until the next that is set.
    ///
    /// - Parameters:
    ///   - volume: negative ones count as 0, and one that is not finite as 1.
    ///   - time: one that is no number sets it for all times for which nothing else is set.
    /// - Corresponds to: `AVMutableAudioMixInputParameters.setVolume(_:at:)`.
    public mutating func setVolume(_ volume: Float, at time: MediaTime = .negativeInfinity) {
        envelope.setVolume(Self.valid(volume), at: time)
    }

    /// Lets the volume go from one to another, linearly, over a range of item time, and stay there
    /// until the next that is set. Replaces what was set within the range. One that is empty, or
    /// without numbers, changes nothing.
    ///
    /// - Corresponds to: `AVMutableAudioMixInputParameters
    ///   .setVolumeRamp(fromStartVolume:toEndVolume:timeRange:)`.
    public mutating func setVolumeRamp(
        from startVolume: Float, to endVolume: Float, timeRange: MediaTimeRange
    ) {
        envelope.setRamp(
            from: Self.valid(startVolume), to: Self.valid(endVolume), timeRange: timeRange)
    }

    /// The ramp that an item time lies in; nil where the volume is constant.
    ///
    /// - Corresponds to: `AVAudioMixInputParameters.getVolumeRamp(for:startVolume:endVolume:timeRange:)`.
    package func volumeRamp(
        at time: MediaTime
    ) -> (startVolume: Float, endVolume: Float, timeRange: MediaTimeRange)? {
        envelope.ramp(at: time)
    }

    /// Lowers the volume while something else is to be heard, such as a voice over music: ramps down
    /// before each range, and up after it. Where there is no time for that between two ranges, it
    /// stays down. Steps and ramps that are set go on under it.
    ///
    /// - Parameters:
    ///   - factor: on the volume that was set until now.
    ///   - ranges: of item time, in any order; those without numbers are left out.
    ///   - attack: how long before a range it begins to be lowered.
    ///   - release: how long after it the volume is back.
    public mutating func duck(
        by factor: Float, during ranges: [MediaTimeRange],
        attack: MediaTime = MediaTime(value: 200, timescale: 1000),
        release: MediaTime = MediaTime(value: 600, timescale: 1000)
    ) {
        let factor = Self.valid(factor)
        let attack = attack.isNumeric ? max(attack, .zero) : .zero
        let release = release.isNumeric ? max(release, .zero) : .zero
        for range in Self.merged(ranges, gap: attack + release) {
            envelope.multiply(
                from: 1, to: factor,
                timeRange: MediaTimeRange(start: range.start - attack, end: range.start))
            envelope.multiply(from: factor, to: factor, timeRange: range)
            envelope.multiply(
                from: factor, to: 1,
                timeRange: MediaTimeRange(start: range.end, duration: release))
        }
    }

    private static func valid(_ volume: Float) -> Float { volume.isFinite ? max(0, volume) : 1 }

    /// The ranges in order, those in one that are nearer to each other than `gap`.
    private static func merged(_ ranges: [MediaTimeRange], gap: MediaTime) -> [MediaTimeRange] {
        let sorted = ranges.filter { $0.start.isNumeric && $0.end.isNumeric && $0.isValid }
            .sorted { $0.start < $1.start }
        var result: [MediaTimeRange] = []
        for range in sorted {
            if let last = result.last, range.start - last.end < gap {
                result[result.count - 1] = last.union(range)
            } else {
                result.append(range)
            }
        }
        return result
    }
}
