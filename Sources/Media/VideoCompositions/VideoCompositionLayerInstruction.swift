// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// The placement of one track's frames in the composed frames: the crop, the transform and the
/// opacity, each with ramps over time.
///
///     var title = VideoCompositionLayerInstruction(trackID: 2)
///     title.setTransform(.translation(x: 40, y: 600), at: .zero)
///     title.setOpacityRamp(from: 0, to: 1, timeRange: firstSecond)
///
/// Frames are first turned upright and scaled to square pixels. Without a transform, the top left
/// corner of a frame is at the top left corner of the composed frame, and pixels are not scaled.
/// Frames are cropped, then transformed, then drawn with the opacity over the layers below. A
/// property has its default before its first ramp, jumps to the start value where a ramp starts,
/// and keeps the end value until the next ramp. Setting a ramp removes the ramps that it overlaps.
///
/// AVFoundation crops and transforms frames as they are stored. If you port code that makes a
/// transform from `preferredTransform`, set `appliesPreferredTransform` to false.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `AVMutableVideoCompositionLayerInstruction`.
public struct VideoCompositionLayerInstruction: Sendable, Hashable {
    /// The `AssetTrack.id` of the track whose frames are shown.
    public var trackID: Int

    /// A Boolean value that indicates whether frames are turned upright before they are cropped and
    /// transformed. True by default; false corresponds to AVFoundation. See
    /// `Transform2D.init(_:size:)`.
    public var appliesPreferredTransform = true

    private var opacities = RampList<Double>()
    private var transforms = RampList<Transform2D>()
    private var crops = RampList<CropRectangle>()

    /// Creates an instruction that shows the frames of a track uncropped and opaque.
    public init(trackID: Int) { self.trackID = trackID }

    // MARK: - Opacity

    /// Sets the opacity, 0 to 1, that applies from `time` until the next ramp.
    ///
    /// - Corresponds to: `setOpacity(_:at:)`.
    public mutating func setOpacity(_ opacity: Double, at time: MediaTime) {
        opacities.set(.step(opacity, at: time))
    }

    /// Sets a ramp of the opacity. Before the first ramp, the opacity is 1.
    ///
    /// - Corresponds to: `setOpacityRamp(fromStartOpacity:toEndOpacity:timeRange:)`.
    public mutating func setOpacityRamp(
        from start: Double, to end: Double, timeRange: MediaTimeRange
    ) {
        opacities.set(VideoCompositionRamp(timeRange: timeRange, from: start, to: end))
    }

    /// Returns the ramp of the opacity at a time, or the next ramp if no ramp covers that time; nil
    /// after the last ramp.
    public func opacityRamp(at time: MediaTime) -> VideoCompositionRamp<Double>? {
        opacities.ramp(at: time)
    }

    /// Returns the opacity at a time.
    public func opacity(at time: MediaTime) -> Double {
        opacities.value(at: time) { $0 + ($1 - $0) * $2 } ?? 1
    }

    // MARK: - Transform

    /// Sets the transform that applies from `time` until the next ramp.
    ///
    /// - Corresponds to: `setTransform(_:at:)`.
    public mutating func setTransform(_ transform: Transform2D, at time: MediaTime) {
        transforms.set(.step(transform, at: time))
    }

    /// Sets a ramp of the transform. Each entry of the matrix is interpolated. Before the first
    /// ramp, the transform is the identity.
    ///
    /// - Corresponds to: `setTransformRamp(fromStart:toEnd:timeRange:)`.
    public mutating func setTransformRamp(
        from start: Transform2D, to end: Transform2D, timeRange: MediaTimeRange
    ) {
        transforms.set(VideoCompositionRamp(timeRange: timeRange, from: start, to: end))
    }

    /// Returns the ramp of the transform at a time, or the next ramp if no ramp covers that time;
    /// nil after the last ramp.
    public func transformRamp(at time: MediaTime) -> VideoCompositionRamp<Transform2D>? {
        transforms.ramp(at: time)
    }

    /// Returns the transform at a time.
    public func transform(at time: MediaTime) -> Transform2D {
        transforms.value(at: time) { $0.interpolated(to: $1, $2) } ?? .identity
    }

    // MARK: - Crop

    /// Sets the part of the frames that is visible from `time` until the next ramp.
    ///
    /// - Corresponds to: `setCropRectangle(_:at:)`.
    public mutating func setCropRectangle(_ rectangle: CropRectangle, at time: MediaTime) {
        crops.set(.step(rectangle, at: time))
    }

    /// Sets a ramp of the visible part. Origin and size are interpolated. Before the first ramp,
    /// the whole frame is visible.
    ///
    /// - Corresponds to:
    ///   `setCropRectangleRamp(fromStartCropRectangle:toEndCropRectangle:timeRange:)`.
    public mutating func setCropRectangleRamp(
        from start: CropRectangle, to end: CropRectangle, timeRange: MediaTimeRange
    ) {
        crops.set(VideoCompositionRamp(timeRange: timeRange, from: start, to: end))
    }

    /// Returns the ramp of the visible part at a time, or the next ramp if no ramp covers that
    /// time; nil after the last ramp.
    public func cropRectangleRamp(at time: MediaTime) -> VideoCompositionRamp<CropRectangle>? {
        crops.ramp(at: time)
    }

    /// Returns the visible part at a time; nil for the whole frame.
    public func cropRectangle(at time: MediaTime) -> CropRectangle? {
        crops.value(at: time) { $0.interpolated(to: $1, $2) }
    }

    // MARK: - Analysis

    /// The ramps of each property, for validation.
    var ramps:
        (
            opacity: [VideoCompositionRamp<Double>],
            transform: [VideoCompositionRamp<Transform2D>],
            crop: [VideoCompositionRamp<CropRectangle>]
        )
    { (opacities.ramps, transforms.ramps, crops.ramps) }

    /// Returns a Boolean value that indicates whether frames are shown unchanged during a range.
    func isPlain(in range: MediaTimeRange) -> Bool {
        func isNeeded<Value>(_ ramp: VideoCompositionRamp<Value>) -> Bool {
            ramp.timeRange.start < range.end
        }
        return opacities.ramps.filter(isNeeded).allSatisfy {
            $0.startValue == 1 && $0.endValue == 1
        }
            && transforms.ramps.filter(isNeeded).allSatisfy {
                $0.startValue == .identity && $0.endValue == .identity
            } && !crops.ramps.contains(where: isNeeded)
    }

    /// Returns a Boolean value that indicates whether a property changes during a range.
    func isMoving(in range: MediaTimeRange) -> Bool {
        func moves<Value>(_ ramp: VideoCompositionRamp<Value>) -> Bool {
            let (start, end) = (ramp.timeRange.start, ramp.timeRange.end)
            if start > range.start, start < range.end { return true }
            return ramp.startValue != ramp.endValue && start < range.end && end > range.start
        }
        return opacities.ramps.contains(where: moves) || transforms.ramps.contains(where: moves)
            || crops.ramps.contains(where: moves)
    }
}

extension VideoCompositionRamp {
    /// Returns a ramp with a duration of zero, which sets a value at a time.
    fileprivate static func step(_ value: Value, at time: MediaTime) -> Self {
        Self(
            timeRange: MediaTimeRange(start: time, duration: .zero), from: value, to: value)
    }
}
