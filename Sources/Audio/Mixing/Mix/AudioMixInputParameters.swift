// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// The parameters for the audio of one track in a mix.
///
/// The taps are applied first, then volume and pan, then the player's volume. Volumes are factors
/// on the samples. They follow item time exactly to the sample, at any rate. Volumes are linear
/// within a ramp and never jump: a step, or muting, takes 10 ms. Peaks above full scale are rounded
/// off rather than clipped.
///
/// - Corresponds to: `AVAudioMixInputParameters`, `AVMutableAudioMixInputParameters`.
public struct AudioMixInputParameters: Sendable {
    /// The track, by `AssetTrack.id`; nil for any track.
    public var trackID: Int?
    /// The taps that process the audio, in order. Each tap pulls from the one before it.
    ///
    /// - Corresponds to: `AVAudioMixInputParameters.audioTapProcessor`.
    public var taps: [AudioProcessingTap] = []
    /// The pan from −1 (left only) to 1 (right only). The opposite side is attenuated, and the
    /// centre is unchanged. NaN counts as 0.
    ///
    /// - Corresponds to: `AVAudioMixing.pan`.
    public var pan: Float = 0
    /// A Boolean value that indicates whether the track is muted, regardless of its volume.
    public var isMuted = false
    private(set) var envelope = VolumeEnvelope()

    /// Creates parameters that change nothing.
    public init(trackID: Int? = nil) { self.trackID = trackID }

    /// Returns the volume at an item time.
    public func volume(at time: MediaTime) -> Float { envelope.volume(at: time) }

    /// Sets the volume from an item time until the next point that is set.
    ///
    /// - Parameters:
    ///   - volume: A factor. A negative factor counts as 0, and a factor that is not finite counts
    ///     as 1.
    ///   - time: The item time. A time that is not numeric sets the volume for all times before the
    ///     first point.
    /// - Corresponds to: `AVMutableAudioMixInputParameters.setVolume(_:at:)`.
    public mutating func setVolume(_ volume: Float, at time: MediaTime = .negativeInfinity) {
        envelope.setVolume(Self.valid(volume), at: time)
    }

    /// Sets a linear ramp of the volume over a range of item time. After the ramp, the volume keeps
    /// the end value until the next point. The ramp replaces points within the range. A range that
    /// is empty or not numeric has no effect.
    ///
    /// - Corresponds to: `AVMutableAudioMixInputParameters
    ///   .setVolumeRamp(fromStartVolume:toEndVolume:timeRange:)`.
    public mutating func setVolumeRamp(
        from startVolume: Float, to endVolume: Float, timeRange: MediaTimeRange
    ) {
        envelope.setRamp(
            from: Self.valid(startVolume), to: Self.valid(endVolume), timeRange: timeRange)
    }

    /// Returns the ramp at an item time; nil if the volume is constant at that time.
    ///
    /// - Corresponds to:
    ///   `AVAudioMixInputParameters.getVolumeRamp(for:startVolume:endVolume:timeRange:)`.
    package func volumeRamp(
        at time: MediaTime
    ) -> (startVolume: Float, endVolume: Float, timeRange: MediaTimeRange)? {
        envelope.ramp(at: time)
    }

    /// Lowers the volume during ranges in which other audio has priority. For example, music is
    /// lowered under a voice. The volume ramps down before each range and up after it. If two
    /// ranges are too close for that, the volume stays down between them. Existing points and ramps
    /// remain, and are multiplied by the factor.
    ///
    /// - Parameters:
    ///   - factor: The factor applied to the volume during the ranges.
    ///   - ranges: The ranges of item time, in any order. Ranges that are not numeric are ignored.
    ///   - attack: The duration of the ramp before a range.
    ///   - release: The duration of the ramp after a range.
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

    /// Returns the ranges in order. Ranges that are closer than `gap` are joined.
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
