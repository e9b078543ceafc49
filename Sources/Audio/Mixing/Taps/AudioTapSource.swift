// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// The properties of the samples that a tap has pulled.
///
/// - Corresponds to: the results of `MTAudioProcessingTapGetSourceAudio`.
public struct AudioTapSource: Sendable, Hashable {
    /// Special properties of samples.
    public struct Flags: OptionSet, Sendable, Hashable {
        /// The bits.
        public let rawValue: UInt32
        /// Creates flags from their bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The first samples of a stream: playback starts here, or the tap has not received the
        /// previous samples.
        public static let startOfStream = Flags(rawValue: 1 << 8)
        /// The last samples of the stream, or silence after it.
        public static let endOfStream = Flags(rawValue: 1 << 9)
        /// The samples are not continuous: they do not follow the previous ones, or there is a gap
        /// among them. This happens after a seek, a pause and an underrun.
        public static let discontinuity = Flags(rawValue: 1 << 10)

        // Without optimisation `[]` would create an array.
        static let none = Flags()
    }

    /// The number of frames: as many as were requested or were left of the block.
    public var frameCount: Int
    /// The special properties of the samples.
    public var flags: Flags
    /// The item time range of the samples. At rate 2, a second of samples has a range of two.
    public var timeRange: MediaTimeRange
}
