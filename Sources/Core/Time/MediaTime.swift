// SPDX-License-Identifier: Apache-2.0

/// A point in time or a duration, as a rational number of seconds.
///
/// `value / timescale` seconds, exactly: 1001/30000 is one frame of 29.97 fps, and adding it 30,000
/// times is 1001 s to the last digit, where seconds as `Double` drift. Times are compared exactly,
/// by 128-bit cross-multiplication, whatever their timescales.
///
///     let frame = MediaTime(value: 1001, timescale: 30000)
///     let second = MediaTime(value: 1, timescale: 1)
///     frame < second                    // true, exactly
///     (frame + second).description      // "1.033367 s (31001/30000)"
///
/// Besides numbers there are `invalid` (no time at all), `indefinite` (not known, such as the end
/// of a live stream), and two infinities. They are ordered as `CMTimeCompare` has them: −∞, every
/// number, indefinite, +∞, invalid. Arithmetic never traps, and is exact whenever its result can be
/// represented; else the result is rounded, and says so by `hasBeenRounded`; one that is too large
/// is an infinity.
///
/// - Corresponds to: `CMTime`. As there, `epoch` tells apart numerically equal times of different
///   loops of a piece; times of different epochs compare by epoch first, and do not add. Coding
///   keeps the four fields, as `CMTimeCopyAsDictionary` does.
public struct MediaTime: Sendable, Hashable, Codable {
    /// Numerator, in units of 1/`timescale` seconds.
    public var value: Int64
    /// Units a second; positive for every numeric time.
    public var timescale: Int32
    /// Whether this is a number, and whether it is exact.
    public var flags: Flags
    /// The loop or pass that the time belongs to; 0 unless a source says otherwise.
    public var epoch: Int64

    /// What kind of time a `MediaTime` is. The raw values are those of `CMTimeFlags`.
    public struct Flags: OptionSet, Sendable, Hashable, Codable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Set for every time that is one. Corresponds to `kCMTimeFlags_Valid`.
        public static let valid = Flags(rawValue: 1 << 0)
        public static let hasBeenRounded = Flags(rawValue: 1 << 1)
        /// Later than any. Corresponds to `CMTime.positiveInfinity`.
        public static let positiveInfinity = Flags(rawValue: 1 << 2)
        /// Earlier than any. Corresponds to `CMTime.negativeInfinity`.
        public static let negativeInfinity = Flags(rawValue: 1 << 3)
        public static let indefinite = Flags(rawValue: 1 << 4)

        /// The flags of a time that is no number.
        static let nonnumeric: Flags = [.positiveInfinity, .negativeInfinity, .indefinite]

        // The sound callback asks for these. A set written out where it is used makes an array
        // first, in builds without optimisation.
        static let validOrNonnumeric = nonnumeric.union(.valid)
        static let validAndIndefinite = indefinite.union(.valid)
        static let validAndPositiveInfinity = positiveInfinity.union(.valid)
        static let validAndNegativeInfinity = negativeInfinity.union(.valid)
        static let validAndRounded = hasBeenRounded.union(.valid)
    }

    /// A time of any kind. A number whose timescale is not positive counts as invalid.
    public init(value: Int64, timescale: Int32, flags: Flags, epoch: Int64) {
        self.value = value
        self.timescale = timescale
        self.flags = flags
        self.epoch = epoch
    }

    /// `value / timescale` seconds; `invalid` when the timescale is not positive.
    public init(value: Int64, timescale: Int32, epoch: Int64 = 0) {
        self =
            timescale > 0
            ? MediaTime(value: value, timescale: timescale, flags: .valid, epoch: epoch) : .invalid
    }

    /// No time at all. Corresponds to `CMTime.invalid`.
    public static let invalid = MediaTime(value: 0, timescale: 0, flags: [], epoch: 0)
    /// A time that cannot be told, such as the length of a broadcast. Corresponds to
    /// `CMTime.indefinite`.
    public static let indefinite = MediaTime(
        value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
    /// Later than all others.
    public static let positiveInfinity = MediaTime(
        value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
    /// Earlier than all others.
    public static let negativeInfinity = MediaTime(
        value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)
    /// The beginning. Corresponds to `CMTime.zero`.
    public static let zero = MediaTime(value: 0, timescale: 1, flags: .valid, epoch: 0)

    /// Whether this is a time at all: a number, an infinity, or indefinite.
    public var isValid: Bool {
        flags.contains(.valid) && (timescale > 0 || !flags.isDisjoint(with: .nonnumeric))
    }
    /// Whether this is a number: valid, finite, definite.
    public var isNumeric: Bool {
        flags.intersection(.validOrNonnumeric) == .valid && timescale > 0
    }
    /// Whether the time is not known, such as the end of a live stream.
    public var isIndefinite: Bool { flags.contains(.validAndIndefinite) }
    /// Whether it is later than all others.
    public var isPositiveInfinity: Bool { flags.contains(.validAndPositiveInfinity) }
    /// Whether it is earlier than all others.
    public var isNegativeInfinity: Bool { flags.contains(.validAndNegativeInfinity) }
    /// Whether this is a number that has lost precision on the way here.
    public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }
}
