// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// The content of a video composition's frames during a time range: a background, and layers over
/// it.
///
/// - Concurrency: a value; any thread.
/// - Ownership: holds its payload.
/// - Corresponds to: `AVMutableVideoCompositionInstruction`.
public struct VideoCompositionInstruction: Sendable {
    /// The time range of the instruction.
    public var timeRange: MediaTimeRange
    /// The colour behind the layers: red, green, blue and alpha, from 0 to 1, not premultiplied.
    /// Opaque black by default.
    public var backgroundColor: SIMD4<Float>
    /// The layers, from top to bottom. If there are none, only the background is drawn.
    public var layerInstructions: [VideoCompositionLayerInstruction]
    /// A transition between two of the layers; nil, the default, for none.
    public var transition: VideoCompositionTransition?
    /// The tracks whose frames a custom compositor needs in addition to those of the layers.
    public var additionalSourceTrackIDs: [Int] = []
    /// A value for a custom compositor, which receives it with each request.
    public var payload: (any Sendable)?

    /// Creates an instruction.
    ///
    /// - Parameter layerInstructions: The layers, from top to bottom.
    public init(
        timeRange: MediaTimeRange, layerInstructions: [VideoCompositionLayerInstruction] = [],
        backgroundColor: SIMD4<Float> = SIMD4(0, 0, 0, 1)
    ) {
        self.timeRange = timeRange
        self.layerInstructions = layerInstructions
        self.backgroundColor = backgroundColor
    }

    /// The tracks whose frames are needed, each once, in the order of the layers.
    ///
    /// - Corresponds to: `requiredSourceTrackIDs`.
    public var requiredSourceTrackIDs: [Int] {
        (layerInstructions.map(\.trackID) + additionalSourceTrackIDs).reduce(into: []) {
            if !$0.contains($1) { $0.append($1) }
        }
    }

    /// A Boolean value that indicates whether the composed frame changes even while the frames of
    /// the tracks do not.
    ///
    /// - Corresponds to: `containsTweening`.
    public var containsTweening: Bool {
        transition != nil || layerInstructions.contains { $0.isMoving(in: timeRange) }
    }

    /// The only track of the instruction, if its frames are shown unchanged; nil in all other
    /// cases. Frames of this track that have the render size need no compositing.
    package var plainTrackID: Int? {
        guard layerInstructions.count == 1, let layer = layerInstructions.first,
            transition == nil, additionalSourceTrackIDs.isEmpty, layer.isPlain(in: timeRange)
        else { return nil }
        return layer.trackID
    }

    /// Returns the progress of the transition at a time.
    ///
    /// - Parameter frameDuration: The time between two frames.
    package func transitionProgress(at time: MediaTime, frameDuration: MediaTime) -> Double {
        let last = timeRange.duration - frameDuration
        guard last > .zero else { return time > timeRange.start ? 1 : 0 }
        let progress = (time - timeRange.start).seconds / last.seconds
        return min(max(progress, 0), 1)
    }
}
