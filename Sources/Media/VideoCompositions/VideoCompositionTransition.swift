// SPDX-License-Identifier: Apache-2.0

/// A transition from one track to another during the time range of an instruction. Both tracks play
/// during the transition.
///
/// The layer of each track is drawn to an image of the render size, with its own crop, transform
/// and opacity. The transition mixes both images, and the result is drawn in place of the upper
/// layer. The progress is 0 in the first frame of the instruction and 1 in the last one, which
/// begins one frame duration before the end.
///
///     instruction.layerInstructions = [
///         VideoCompositionLayerInstruction(trackID: 1),
///         VideoCompositionLayerInstruction(trackID: 2),
///     ]
///     instruction.transition = VideoCompositionTransition(.dissolve, from: 1, to: 2)
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: opacity, transform or crop ramps of two layers; AVFoundation has no
///   transitions.
public struct VideoCompositionTransition: Sendable, Hashable {
    /// An edge of the image.
    public enum Edge: String, Sendable, Hashable, CaseIterable {
        /// The edges.
        case left, right, top, bottom
    }

    /// The way in which the second image replaces the first.
    public enum Kind: Sendable, Hashable {
        /// The first image fades into the second one.
        case dissolve
        /// The second image comes in from an edge, and pushes the first one out.
        case push(from: Edge)
        /// The second image is uncovered, beginning at an edge.
        case wipe(from: Edge)
        /// An effect of kind `transition`: the path of a gl-transition or of an ISF transition, or
        /// the name of a built-in transition.
        case effect(String)
    }

    /// The way in which the second image replaces the first.
    public var kind: Kind
    /// The track at the start. The instruction has a layer for it.
    public var fromTrackID: Int
    /// The track at the end. The instruction has a layer for it.
    public var toTrackID: Int

    /// Creates a transition between the layers of two tracks.
    public init(_ kind: Kind, from fromTrackID: Int, to toTrackID: Int) {
        self.kind = kind
        self.fromTrackID = fromTrackID
        self.toTrackID = toTrackID
    }
}
