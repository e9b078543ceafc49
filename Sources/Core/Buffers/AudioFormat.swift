// SPDX-License-Identifier: Apache-2.0

/// The format of decoded audio: interleaved 32-bit float samples at a rate, over named channels.
///
/// - Corresponds to: `AVAudioFormat` in its standard format, but interleaved.
public struct AudioFormat: Sendable, Hashable {
    /// The number of frames per second.
    public var sampleRate: Int
    /// The channels, in the order of the interleaved samples.
    public var channels: [AudioChannel]

    /// Creates a format from a rate, in frames per second, and channels in the order of the
    /// samples.
    public init(sampleRate: Int, channels: [AudioChannel]) {
        self.sampleRate = sampleRate
        self.channels = channels
    }

    /// The number of samples in a frame.
    public var channelCount: Int { channels.count }

    /// Returns the format with a left and a right channel.
    ///
    /// - Parameter sampleRate: The number of frames per second.
    public static func stereo(sampleRate: Int) -> AudioFormat {
        AudioFormat(sampleRate: sampleRate, channels: [.frontLeft, .frontRight])
    }

    /// Returns the format with one centre channel.
    ///
    /// - Parameter sampleRate: The number of frames per second.
    public static func mono(sampleRate: Int) -> AudioFormat {
        AudioFormat(sampleRate: sampleRate, channels: [.frontCenter])
    }
}

/// A loudspeaker position. The raw value is its bit in the channel mask of WAVE and in FFmpeg's
/// layouts.
public enum AudioChannel: UInt8, Sendable, Hashable, CaseIterable {
    case frontLeft = 0, frontRight, frontCenter, lowFrequency, backLeft, backRight
    case frontLeftOfCenter, frontRightOfCenter, backCenter, sideLeft, sideRight
    case topCenter, topFrontLeft, topFrontCenter, topFrontRight
    case topBackLeft, topBackCenter, topBackRight
}
