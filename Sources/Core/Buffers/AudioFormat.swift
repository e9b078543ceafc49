// SPDX-License-Identifier: Apache-2.0

/// The form of decoded sound: interleaved 32-bit float samples at a rate, over named channels.
///
/// - Corresponds to: `AVAudioFormat` in its standard format, but interleaved.
public struct AudioFormat: Sendable, Hashable {
    /// Frames a second.
    public var sampleRate: Int
    /// In the order of the interleaved samples.
    public var channels: [AudioChannel]

    public init(sampleRate: Int, channels: [AudioChannel]) {
        self.sampleRate = sampleRate
        self.channels = channels
    }

    /// How many samples a frame has.
    public var channelCount: Int { channels.count }

    /// Left and right.
    ///
    /// - Parameter sampleRate: frames a second.
    public static func stereo(sampleRate: Int) -> AudioFormat {
        AudioFormat(sampleRate: sampleRate, channels: [.frontLeft, .frontRight])
    }

    /// One channel, in the middle.
    ///
    /// - Parameter sampleRate: frames a second.
    public static func mono(sampleRate: Int) -> AudioFormat {
        AudioFormat(sampleRate: sampleRate, channels: [.frontCenter])
    }
}

/// A loudspeaker position; the raw value is its bit in WAVE's channel mask and FFmpeg's layouts.
public enum AudioChannel: UInt8, Sendable, Hashable, CaseIterable {
    case frontLeft = 0, frontRight, frontCenter, lowFrequency, backLeft, backRight
    case frontLeftOfCenter, frontRightOfCenter, backCenter, sideLeft, sideRight
    case topCenter, topFrontLeft, topFrontCenter, topFrontRight
    case topBackLeft, topBackCenter, topBackRight
}
