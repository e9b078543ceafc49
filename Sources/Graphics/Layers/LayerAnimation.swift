// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// A change of a layer's property over time.
///
/// An animation is a value, and it is evaluated for each frame: the frame shows the property's
/// value at the frame's time, on the host clock or on an item's timeline. If a video is paused,
/// seeks or plays at half its rate, animations on its timeline follow. A video that is rendered
/// offline has the same values at the same frames.
///
///     layer.animations = [
///         LayerAnimation(
///             .opacity([0, 1]), beginTime: MediaTime(value: 2, timescale: 1),
///             duration: MediaTime(value: 1, timescale: 2), timeline: .item(output))
///     ]
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `CABasicAnimation` and `CAKeyframeAnimation`; `AVSynchronizedLayer` for
///   animations on an item's timeline.
public struct LayerAnimation: Sendable, Equatable {
    /// The animated property and its values from first to last. An animation with two values
    /// corresponds to `CABasicAnimation`.
    public enum Track: Sendable, Hashable {
        /// The opacity, from 0 to 1.
        case opacity([Double])
        /// The position of the anchor point, in the unit of the layer's frame.
        case position([SIMD2<Double>])
        /// The frame, in the unit of the layer's frame.
        case frame([LayerRect])
        /// The part of the content that is shown, in fractions of the content.
        case contentsRect([LayerRect])
        /// The radius of the corners, in pixels.
        case cornerRadius([Double])
        /// The position along z.
        case zPosition([Double])
        /// Matrices, interpolated element by element.
        case transform([Transform3D])
        /// A rotation that is applied before the layer's own transform, in radians about an axis.
        case rotation([Double], axis: SIMD3<Double> = [0, 0, 1])
        /// A scaling that is applied before the layer's own transform.
        case scale([SIMD2<Double>])
        /// A translation that is applied after the layer's own transform, in pixels.
        case translation([SIMD3<Double>])
        /// The colour of a layer whose content is a colour.
        case color([SIMD4<Float>])
        /// The progress of a transition.
        case progress([Double])
    }

    /// The timeline of an animation.
    public enum Timeline: Sendable {
        /// The host clock.
        case host
        /// The timeline of the item that an output belongs to.
        case item(any PixelBufferSource)
    }

    /// The value of a property before and after the animation. Corresponds to
    /// `CAMediaTimingFillMode`.
    public enum FillMode: String, Sendable, Hashable, CaseIterable {
        /// The layer's own value, both before and after.
        case removed
        /// The layer's own value before the animation, and the animation's last value after it.
        case forwards
        /// The animation's first value before the animation, and the layer's own value after it.
        case backwards
        /// The first value before the animation, and the last value after it.
        case both
    }

    /// The interpolation between values. Corresponds to `CAAnimationCalculationMode`.
    public enum CalculationMode: String, Sendable, Hashable, CaseIterable {
        /// Linear interpolation.
        case linear
        /// No interpolation: each value is constant until the time of the next one. The number of
        /// key times must be the number of values plus one. Without key times, all values have
        /// equal durations.
        case discrete
    }

    /// The property and its values.
    public var track: Track
    /// The start of the animation, on its timeline.
    public var beginTime: MediaTime
    /// The duration of one run, from the first value to the last.
    public var duration: MediaTime
    /// The clock that the animation follows.
    public var timeline: Timeline
    /// The timing function of a run. It applies to the whole run, `keyTimingFunctions` to its
    /// steps.
    public var timingFunction: TimingFunction
    /// The time of each value, as a fraction of the run from 0 to 1, in ascending order; nil for
    /// equal steps. The value is constant before the first time and after the last one.
    public var keyTimes: [Double]?
    /// The timing functions of the steps between two values. Steps without a function are linear.
    public var keyTimingFunctions: [TimingFunction] = []
    /// The interpolation between two values.
    public var calculationMode = CalculationMode.linear
    /// The number of runs, which may be infinite or fractional.
    public var repeatCount = 1.0
    /// A Boolean value that indicates whether each run is followed by its reversal, which has the
    /// same duration.
    public var autoreverses = false
    /// The speed of the animation relative to its timeline; 2 is twice as fast.
    public var speed = 1.0
    /// The value of the property before the animation starts and after it ends.
    public var fillMode: FillMode

    /// Creates an animation.
    ///
    /// - Parameter duration: the duration of one run. If it is not positive, the run ends at once.
    public init(
        _ track: Track, beginTime: MediaTime, duration: MediaTime, timeline: Timeline = .host,
        timingFunction: TimingFunction = .linear, fillMode: FillMode = .removed
    ) {
        self.track = track
        self.beginTime = beginTime
        self.duration = duration
        self.timeline = timeline
        self.timingFunction = timingFunction
        self.fillMode = fillMode
    }
}

extension LayerAnimation.Timeline: Equatable {
    /// Returns whether two timelines are equal. Outputs are compared by identity.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.host, .host): true
        case (.item(let left), .item(let right)): left === right
        default: false
        }
    }
}
