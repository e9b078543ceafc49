// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// A change of one of a layer's properties over time.
///
/// It is a value like the layer it belongs to, and is looked up, not run: a frame shows what the
/// property is at the time of that frame, on the host's clock or on an item's timeline. A film that
/// is paused, sought or played at half its rate takes its animations with it, and a film rendered
/// offline has them at exactly the same frames.
///
///     layer.animations = [
///         LayerAnimation(
///             .opacity([0, 1]), beginTime: MediaTime(value: 2, timescale: 1),
///             duration: MediaTime(value: 1, timescale: 2), timeline: .item(output))
///     ]
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `CABasicAnimation` and `CAKeyframeAnimation`; `AVSynchronizedLayer` for those
///   on an item's timeline.
public struct LayerAnimation: Sendable, Equatable {
    /// What changes, and its values from first to last; two make a `CABasicAnimation`.
    public enum Track: Sendable, Hashable {
        case opacity([Double])
        /// Of the anchor point, in the unit of the layer's frame.
        case position([SIMD2<Double>])
        /// In the unit of the layer's frame.
        case frame([LayerRect])
        case contentsRect([LayerRect])
        case cornerRadius([Double])
        case zPosition([Double])
        /// Matrices, mixed number by number.
        case transform([Transform3D])
        /// A turn before the layer's own transform, in radians about an axis.
        case rotation([Double], axis: SIMD3<Double> = [0, 0, 1])
        /// A scaling before the layer's own transform.
        case scale([SIMD2<Double>])
        /// A move after the layer's own transform, in pixels.
        case translation([SIMD3<Double>])
        /// Of a layer of one colour.
        case color([SIMD4<Float>])
        /// Of a transition.
        case progress([Double])
    }

    /// Whose time an animation runs on.
    public enum Timeline: Sendable {
        /// The host clock.
        case host
        /// That of the item whose pictures an output hands out.
        case item(any PixelBufferSource)
    }

    /// What becomes of the property before and after. Corresponds to `CAMediaTimingFillMode`.
    public enum FillMode: String, Sendable, Hashable, CaseIterable {
        /// What it is without the animation.
        case removed
        /// After: as the animation left it.
        case forwards
        /// Before: as the animation finds it.
        case backwards
        case both
    }

    /// How values between those given are found. Corresponds to `CAAnimationCalculationMode`.
    public enum CalculationMode: String, Sendable, Hashable, CaseIterable {
        case linear
        /// Not at all: each value stands until the next one's time. Needs one more key time than
        /// there are values; without key times all stand equally long.
        case discrete
    }

    /// Which property it changes, and from what to what.
    public var track: Track
    /// When it begins, on its timeline.
    public var beginTime: MediaTime
    /// Of one run.
    public var duration: MediaTime
    /// Which clock it goes by.
    public var timeline: Timeline
    /// Of each run as a whole.
    public var timingFunction: TimingFunction
    /// When each value is reached, from 0 to 1, growing; nil for equal steps. Before the first of them and
    /// after the last, values stand.
    public var keyTimes: [Double]?
    /// Of each step between two values; missing ones are linear.
    public var keyTimingFunctions: [TimingFunction] = []
    /// What lies between two values.
    public var calculationMode = CalculationMode.linear
    /// How often it runs; may be infinite, or end within a run.
    public var repeatCount = 1.0
    /// Whether each run goes back again, which takes as long.
    public var autoreverses = false
    /// Seconds of the animation in a second of its timeline.
    public var speed = 1.0
    /// What holds before its beginning and after its end.
    public var fillMode: FillMode

    /// - Parameter duration: of one run; one that is not positive is over as it begins.
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
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.host, .host): true
        case (.item(let left), .item(let right)): left === right
        default: false
        }
    }
}
