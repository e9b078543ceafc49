// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// The values of an effect's input over the time of the film: looked up, not run, so that a film
/// that is paused, sought or rendered has them at exactly the same frames.
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
        /// In a straight line.
        case linear
        /// Not before the next one's time. Truth values and menus change so in any case.
        case hold
        /// Slowly at first and at last: 3t² − 2t³.
        case smooth
    }

    /// A value, and the time of the item at which it is reached.
    public struct Keyframe: Sendable, Equatable {
        /// The time on the animation's timeline.
        public var time: MediaTime
        /// The value at that time.
        public var value: EffectValue
        /// The way on from here.
        public var interpolation: Interpolation

        /// Creates a keyframe at a time, and the way that leads from it to the next.
        public init(
            at time: MediaTime, _ value: EffectValue, _ interpolation: Interpolation = .linear
        ) {
            self.time = time
            self.value = value
            self.interpolation = interpolation
        }
    }

    /// In the order of their times; at least one.
    public let keyframes: [Keyframe]

    /// - Precondition: there is a keyframe, and the times of all are numbers.
    public init(_ keyframes: [Keyframe]) {
        precondition(
            !keyframes.isEmpty && keyframes.allSatisfy { $0.time.isNumeric },
            "an animation has keyframes, each at a time")
        // Of two at one time the later one counts from there on: a jump.
        self.keyframes = keyframes.enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }.map(\.element)
    }

    /// The value at a time of the item, in seconds: the first one's before it, the last one's after
    /// it.
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
