// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// `AudioMixInputParameters` in the form that the audio callback reads, without reference counting.
///
/// - Concurrency: constant.
/// - Ownership: keeps its taps prepared.
final class MixProgram: @unchecked Sendable {
    // Unchecked: everything is constant. The pointers let the callback use the objects in `uses`
    // without reference counting.

    /// An interval of item time with linear volume, from `time` to the next segment.
    struct Segment {
        /// The item time, in nanoseconds.
        var time: Int64
        var volume: Float
        /// The change of the volume per nanosecond.
        var slope: Double
    }

    /// The segments in order of time; the first is before every item time.
    let segments: UnsafeMutableBufferPointer<Segment>
    /// The factor of each channel, for pan and mute.
    let channelGains: UnsafeMutableBufferPointer<Float>
    let taps: UnsafeMutableBufferPointer<Unmanaged<AudioProcessingTap>>
    private let uses: [TapUse]

    /// Creates a program.
    ///
    /// - Parameter lead: The time from a tap's processing until the audio is heard, in seconds.
    init(_ parameters: AudioMixInputParameters, format: AudioFormat, lead: Double) {
        uses = parameters.taps.map { TapUse($0, format: format, lead: lead) }
        taps = .allocate(capacity: uses.count)
        _ = taps.initialize(from: uses.map { Unmanaged.passUnretained($0.tap) })
        let all = Self.segments(of: parameters.envelope)
        segments = .allocate(capacity: all.count)
        _ = segments.initialize(from: all)
        channelGains = .allocate(capacity: format.channelCount)
        _ = channelGains.initialize(
            from: format.channels.map { Self.gain(of: $0, parameters) })
    }

    deinit {
        taps.deallocate()
        segments.deallocate()
        channelGains.deallocate()
    }

    private static func segments(of envelope: VolumeEnvelope) -> [Segment] {
        var result = [Segment(time: .min, volume: envelope.initial, slope: 0)]
        for (index, point) in envelope.points.enumerated() {
            guard let start = point.time.nearestNanoseconds,
                let end = point.end.nearestNanoseconds
            else { continue }
            let next = envelope.points.dropFirst(index + 1).first?.time.nearestNanoseconds ?? .max
            if end > start {
                let slope = Double(point.endVolume - point.volume) / Double(end - start)
                result.append(Segment(time: start, volume: point.volume, slope: slope))
            }
            if end < next {
                result.append(Segment(time: end, volume: point.endVolume, slope: 0))
            }
        }
        return result
    }

    private static func gain(
        of channel: AudioChannel, _ parameters: AudioMixInputParameters
    ) -> Float {
        if parameters.isMuted { return 0 }
        let pan = parameters.pan.isNaN ? 0 : min(max(parameters.pan, -1), 1)
        switch channel.side {
        case .left: return min(1, 1 - pan)
        case .right: return min(1, 1 + pan)
        case .middle: return 1
        }
    }

    /// Returns the index of the segment at an item time.
    func segment(at time: Int64) -> Int {
        var (low, high) = (0, segments.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if segments[middle].time <= time { low = middle } else { high = middle }
        }
        return low
    }
}

/// A tap that is prepared for as long as this object exists.
private final class TapUse: Sendable {
    let tap: AudioProcessingTap

    init(_ tap: AudioProcessingTap, format: AudioFormat, lead: Double) {
        self.tap = tap
        tap.addUse(format, lead: lead)
    }

    deinit { tap.removeUse() }
}

extension AudioChannel {
    fileprivate enum Side { case left, middle, right }

    fileprivate var side: Side {
        switch self {
        case .frontLeft, .backLeft, .frontLeftOfCenter, .sideLeft, .topFrontLeft, .topBackLeft:
            .left
        case .frontRight, .backRight, .frontRightOfCenter, .sideRight, .topFrontRight,
            .topBackRight:
            .right
        case .frontCenter, .lowFrequency, .backCenter, .topCenter, .topFrontCenter, .topBackCenter:
            .middle
        }
    }
}
