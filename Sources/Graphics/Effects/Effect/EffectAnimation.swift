// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// Keyframes for the value of an effect's input over the time of the item. Values are looked up by
/// time, so a video that is paused, sought or exported has the same value at the same frame.
///
/// ```swift
/// try blur.set(
///     EffectAnimation([
///         .init(at: .zero, .float(0)),
///         .init(at: MediaTime(value: 2, timescale: 1), .float(20), .smooth),
///     ]), for: "radius")
/// ```
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `CAKeyframeAnimation` on an `AVSynchronizedLayer`.
public struct EffectAnimation: Sendable, Equatable {
    /// The interpolation from a keyframe to the next.
    public enum Interpolation: String, Sendable, Hashable, CaseIterable {
        /// Linear interpolation.
        case linear
        /// No interpolation: the value changes at the next keyframe. Booleans and menus always
        /// change in this way.
        case hold
        /// Ease in and out: 3t² − 2t³.
        case smooth
    }

    /// A value and the time at which it is reached.
    public struct Keyframe: Sendable, Equatable {
        /// The time of the item.
        public var time: MediaTime
        /// The value at that time.
        public var value: EffectValue
        /// The interpolation from this keyframe to the next.
        public var interpolation: Interpolation

        /// Creates a keyframe at a time, with the interpolation to the next keyframe.
        public init(
            at time: MediaTime, _ value: EffectValue, _ interpolation: Interpolation = .linear
        ) {
            self.time = time
            self.value = value
            self.interpolation = interpolation
        }
    }

    /// The keyframes in the order of their times; at least one.
    public let keyframes: [Keyframe]

    /// Creates an animation from keyframes in any order.
    ///
    /// - Precondition: there is at least one keyframe, and all times are numeric.
    public init(_ keyframes: [Keyframe]) {
        precondition(
            !keyframes.isEmpty && keyframes.allSatisfy { $0.time.isNumeric },
            "an animation has keyframes, each at a time")
        // The sort keeps the order of keyframes that are at the same time. At that time, the value
        // jumps to the value of the last one.
        self.keyframes = keyframes.enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }.map(\.element)
    }

    /// Returns the value at a time of the item, in seconds. Before the first keyframe, it is the
    /// value of the first one, and after the last keyframe, the value of the last one.
    public func value(atSeconds seconds: Double) -> EffectValue {
        guard let next = keyframes.firstIndex(where: { $0.time.seconds > seconds }) else {
            return keyframes[keyframes.count - 1].value
        }
        guard next > 0 else { return keyframes[0].value }
        let (from, to) = (keyframes[next - 1], keyframes[next])
        let length = to.time.seconds - from.time.seconds
        let share = Float(length > 0 ? (seconds - from.time.seconds) / length : 1)
        switch from.interpolation {
        case .hold: return from.value
        case .linear: return Self.mix(from.value, to.value, share)
        case .smooth: return Self.mix(from.value, to.value, share * share * (3 - 2 * share))
        }
    }

    private static func mix(
        _ from: EffectValue, _ to: EffectValue, _ share: Float
    ) -> EffectValue {
        switch (from, to) {
        case (.float(let from), .float(let to)): .float(from + (to - from) * share)
        case (.point2D(let from), .point2D(let to)): .point2D(from + (to - from) * share)
        case (.color(let from), .color(let to)): .color(from + (to - from) * share)
        default: from
        }
    }
}
