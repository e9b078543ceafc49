// SPDX-License-Identifier: Apache-2.0

/// The format of decoded audio: interleaved 32-bit float samples with a sample rate and named
/// channels.
///
/// - Corresponds to: `AVAudioFormat` in its standard format, but interleaved.
public struct AudioFormat: Sendable, Hashable {
    /// The sample rate, in frames per second.
    public var sampleRate: Int
    /// The channels, in the order of the interleaved samples.
    public var channels: [AudioChannel]

    /// Creates a format from a sample rate, in frames per second, and channels in the order of the
    /// interleaved samples.
    public init(sampleRate: Int, channels: [AudioChannel]) {
        self.sampleRate = sampleRate
        self.channels = channels
    }

    /// The number of samples in a frame.
    public var channelCount: Int { channels.count }

    /// Returns a format with a left and a right channel.
    ///
    /// - Parameter sampleRate: The sample rate, in frames per second.
    public static func stereo(sampleRate: Int) -> AudioFormat {
        AudioFormat(sampleRate: sampleRate, channels: [.frontLeft, .frontRight])
    }

    /// Returns a format with one centre channel.
    ///
    /// - Parameter sampleRate: The sample rate, in frames per second.
    public static func mono(sampleRate: Int) -> AudioFormat {
        AudioFormat(sampleRate: sampleRate, channels: [.frontCenter])
    }
}

/// A loudspeaker position. The raw value is the bit number of the position in the channel masks of
/// WAVE files and of FFmpeg.
public enum AudioChannel: UInt8, Sendable, Hashable, CaseIterable {
    /// Front left. `kAudioChannelLabel_Left`.
    case frontLeft = 0
    /// Front right. `kAudioChannelLabel_Right`.
    case frontRight
    /// Front centre. `kAudioChannelLabel_Center`.
    case frontCenter
    /// Low-frequency effects. `kAudioChannelLabel_LFEScreen`.
    case lowFrequency
    /// Back left. `kAudioChannelLabel_LeftSurround`.
    case backLeft
    /// Back right. `kAudioChannelLabel_RightSurround`.
    case backRight
    /// Between front left and front centre. `kAudioChannelLabel_LeftCenter`.
    case frontLeftOfCenter
    /// Between front right and front centre. `kAudioChannelLabel_RightCenter`.
    case frontRightOfCenter
    /// Back centre. `kAudioChannelLabel_CenterSurround`.
    case backCenter
    /// Side left. `kAudioChannelLabel_LeftSurroundDirect`.
    case sideLeft
    /// Side right. `kAudioChannelLabel_RightSurroundDirect`.
    case sideRight
    /// Above the listener. `kAudioChannelLabel_TopCenterSurround`.
    case topCenter
    /// Front left, raised. `kAudioChannelLabel_VerticalHeightLeft`.
    case topFrontLeft
    /// Front centre, raised. `kAudioChannelLabel_VerticalHeightCenter`.
    case topFrontCenter
    /// Front right, raised. `kAudioChannelLabel_VerticalHeightRight`.
    case topFrontRight
    /// Back left, raised. `kAudioChannelLabel_TopBackLeft`.
    case topBackLeft
    /// Back centre, raised. `kAudioChannelLabel_TopBackCenter`.
    case topBackCenter
    /// Back right, raised. `kAudioChannelLabel_TopBackRight`.
    case topBackRight
}
