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

        /// The samples are the first of a stream: playback starts here, or the tap has not received
        /// the previous samples.
        public static let startOfStream = Flags(rawValue: 1 << 8)
        /// The samples are the last of the stream, or silence after its end.
        public static let endOfStream = Flags(rawValue: 1 << 9)
        /// The samples are not continuous: they do not follow the previous samples, or there is a
        /// gap among them. This happens after a seek, a pause or an underrun.
        public static let discontinuity = Flags(rawValue: 1 << 10)

        // Without optimisation, the literal `[]` would create an array.
        static let none = Flags()
    }

    /// The number of frames: the requested number, or the number that was left in the block.
    public var frameCount: Int
    /// The special properties of the samples.
    public var flags: Flags
    /// The item time range of the samples. At rate 2, one second of samples covers two seconds of
    /// item time. At negative rates, the samples are in reverse order: the first of them is heard
    /// at the end of the range.
    public var timeRange: MediaTimeRange
    /// A Boolean value that indicates whether the samples are in reverse order.
    package var isReversed = false
}
