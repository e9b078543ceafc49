// SPDX-License-Identifier: Apache-2.0

/// A point in time or a duration, as a rational number of seconds.
///
/// The time is exactly `value / timescale` seconds. For example, 1001/30000 is one frame at 29.97
/// fps, and 30,000 such frames add up to exactly 1001 s, whereas a sum of `Double` values drifts.
/// Times with any timescales are compared exactly, by 128-bit cross-multiplication.
///
///     let frame = MediaTime(value: 1001, timescale: 30000)
///     let second = MediaTime(value: 1, timescale: 1)
///     frame < second                    // true, exactly
///     (frame + second).description      // "1.033367 s (31001/30000)"
///
/// Besides numbers there are `invalid` (not a time), `indefinite` (unknown, such as the end of a
/// live stream), and two infinities. The order is that of `CMTimeCompare`: −∞, numbers, indefinite,
/// +∞, invalid. Arithmetic never traps. If the result can be represented, it is exact. Otherwise it
/// is rounded and has the flag `hasBeenRounded`, or is an infinity if it is too large.
///
/// - Corresponds to: `CMTime`. As in `CMTime`, `epoch` distinguishes numerically equal times of
///   different loops. Times of different epochs are ordered by epoch and cannot be added. Encoding
///   keeps the four fields, as `CMTimeCopyAsDictionary` does.
public struct MediaTime: Sendable, Hashable, Codable {
    /// The numerator, in units of 1/`timescale` seconds.
    public var value: Int64
    /// The number of units per second; positive for every numeric time.
    public var timescale: Int32
    /// The kind of the time, and whether it has been rounded.
    public var flags: Flags
    /// The loop or pass that the time belongs to; 0 by default.
    public var epoch: Int64

    /// Flags for the kind of a time. The raw values are those of `CMTimeFlags`.
    public struct Flags: OptionSet, Sendable, Hashable, Codable {
        /// The bits, as in `CMTimeFlags`.
        public let rawValue: UInt32
        /// Creates flags from their bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// A time that is not `invalid`. Corresponds to `kCMTimeFlags_Valid`.
        public static let valid = Flags(rawValue: 1 << 0)
        /// A number that was rounded. Corresponds to `kCMTimeFlags_HasBeenRounded`.
        public static let hasBeenRounded = Flags(rawValue: 1 << 1)
        /// Later than any number. Corresponds to `kCMTimeFlags_PositiveInfinity`.
        public static let positiveInfinity = Flags(rawValue: 1 << 2)
        /// Earlier than any number. Corresponds to `kCMTimeFlags_NegativeInfinity`.
        public static let negativeInfinity = Flags(rawValue: 1 << 3)
        /// An unknown time. Corresponds to `kCMTimeFlags_Indefinite`.
        public static let indefinite = Flags(rawValue: 1 << 4)

        /// The flags of times that are not numeric.
        static let nonnumeric: Flags = [.positiveInfinity, .negativeInfinity, .indefinite]

        // These sets are constants for the audio callback. In builds without optimisation, a set
        // literal would first create an array.
        static let validOrNonnumeric = nonnumeric.union(.valid)
        static let validAndIndefinite = indefinite.union(.valid)
        static let validAndPositiveInfinity = positiveInfinity.union(.valid)
        static let validAndNegativeInfinity = negativeInfinity.union(.valid)
        static let validAndRounded = hasBeenRounded.union(.valid)
    }

    /// Creates a time of any kind. A number whose timescale is not positive becomes invalid.
    public init(value: Int64, timescale: Int32, flags: Flags, epoch: Int64) {
        self.value = value
        self.timescale = timescale
        self.flags = flags
        self.epoch = epoch
    }

    /// Creates a time of `value / timescale` seconds; `invalid` if the timescale is not positive.
    public init(value: Int64, timescale: Int32, epoch: Int64 = 0) {
        self =
            timescale > 0
            ? MediaTime(value: value, timescale: timescale, flags: .valid, epoch: epoch) : .invalid
    }

    /// A value that is not a time. Corresponds to `CMTime.invalid`.
    public static let invalid = MediaTime(value: 0, timescale: 0, flags: [], epoch: 0)
    /// An unknown time, such as the duration of a live stream. Corresponds to `CMTime.indefinite`.
    public static let indefinite = MediaTime(
        value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
    /// A time later than all numbers. Corresponds to `CMTime.positiveInfinity`.
    public static let positiveInfinity = MediaTime(
        value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
    /// A time earlier than all others. Corresponds to `CMTime.negativeInfinity`.
    public static let negativeInfinity = MediaTime(
        value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)
    /// Zero seconds. Corresponds to `CMTime.zero`.
    public static let zero = MediaTime(value: 0, timescale: 1, flags: .valid, epoch: 0)

    /// A Boolean value that indicates whether this is a number, an infinity or indefinite.
    public var isValid: Bool {
        flags.contains(.valid) && (timescale > 0 || !flags.isDisjoint(with: .nonnumeric))
    }
    /// A Boolean value that indicates whether this is a number: valid, finite and definite.
    public var isNumeric: Bool {
        flags.intersection(.validOrNonnumeric) == .valid && timescale > 0
    }
    /// A Boolean value that indicates whether the time is unknown, such as the end of a live
    /// stream.
    public var isIndefinite: Bool { flags.contains(.validAndIndefinite) }
    /// A Boolean value that indicates whether this is +∞.
    public var isPositiveInfinity: Bool { flags.contains(.validAndPositiveInfinity) }
    /// A Boolean value that indicates whether this is −∞.
    public var isNegativeInfinity: Bool { flags.contains(.validAndNegativeInfinity) }
    /// A Boolean value that indicates whether this is a number that has been rounded.
    public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }
}
