// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// What a tap is told of the samples that it has pulled.
///
/// - Corresponds to: what `MTAudioProcessingTapGetSourceAudio` returns.
public struct AudioTapSource: Sendable, Hashable {
    /// What is special about a stretch of samples.
    public struct Flags: OptionSet, Sendable, Hashable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// They are the first of a stream: playback starts here, or the tap has not seen what came
        /// before.
        public static let startOfStream = Flags(rawValue: 1 << 8)
        /// They are the last of the stream, or silence after it.
        public static let endOfStream = Flags(rawValue: 1 << 9)
        /// They do not follow on those before, or not all on each other: after a seek, where
        /// playback goes on after a pause, and where sound had not been decoded in time.
        public static let discontinuity = Flags(rawValue: 1 << 10)

        // Without optimisation [] makes an array.
        static let none = Flags()
    }

    /// How many frames there are: as many as were asked for, or were left of the block.
    public var frameCount: Int
    /// What is particular about this piece.
    public var flags: Flags
    /// The item time that they are heard for. At rate 2, a second of samples lasts two.
    public var timeRange: MediaTimeRange
}
