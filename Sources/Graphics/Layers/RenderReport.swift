// SPDX-License-Identifier: Apache-2.0

public import PlayheadEffects
public import PlayheadGL
public import PlayheadTextures
public import PlayheadTime

/// What drawing one frame came to.
public struct RenderReport: Sendable {
    /// What could not be drawn; the rest of the frame was.
    public enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        /// A picture could not be uploaded; its layer shows the one before, or nothing.
        case picture(TextureError)
        /// An effect was bypassed.
        case effect(EffectError)
        /// OpenGL refused a draw.
        case gl(GLError)
        /// A layer's numbers cannot be drawn; it and its sublayers are left out.
        case layer(LayerError)
        /// The driver found fault with a call; in debug contexts only.
        case message(GLMessage)

        public var description: String {
            switch self {
            case .picture(let error): error.description
            case .effect(let error): error.description
            case .gl(let error): error.description
            case .layer(let error): error.description
            case .message(let message): message.description
            }
        }
    }

    /// Whether the context has been lost, and nothing was drawn, or only a part: all that was made in
    /// it, the renderer too, has to be made anew in another.
    public internal(set) var isContextLost = false
    /// Whether the frame looks other than the one before, as far as the renderer can know.
    public internal(set) var hasChanged = false
    /// Whether an effect looks different the next time though nothing about it changes.
    public internal(set) var isMoving = false
    /// Whether it was drawn: not when it had not changed and only changes were asked for.
    public internal(set) var wasDrawn = false
    /// Whether a video layer shows another picture than in the frame before.
    public internal(set) var hasNewPicture = false
    /// Whether the observed one does, of which `displayTime` and `itemTime` tell: the one that shows
    /// what `render` was told to observe, or the first.
    package internal(set) var hasNewObservedPicture = false
    /// Whether what lies over a film is another picture than in the frame before.
    var hasNewOverlay = false
    /// Whether a deinterlaced film shows another field than in the frame before.
    var hasNewField = false
    /// When display of the observed layer's picture begins, in its item's time; `invalid` when
    /// no layer has a picture.
    public internal(set) var displayTime = MediaTime.invalid
    /// What that item's time was in this frame; `invalid` when there is no video layer.
    package internal(set) var itemTime = MediaTime.invalid
    /// What the first one's was, by which effects move.
    var sceneTime = MediaTime.invalid
    /// CPU time, in nanoseconds: asking sources for pictures.
    package internal(set) var pullNanoseconds: Int64 = 0
    /// Time on the render thread, in nanoseconds: handing pictures to OpenGL; where the processor
    /// converts them (`PictureConversion.cpu`), converting as well.
    package internal(set) var uploadNanoseconds: Int64 = 0
    /// CPU time, in nanoseconds: issuing everything else.
    package internal(set) var drawNanoseconds: Int64 = 0
    /// When the observed layer's picture was decoded, and when all new pictures had been handed to
    /// OpenGL; host time, in nanoseconds. Nil where no picture is new.
    package internal(set) var decodedHostTime: Int64?
    package internal(set) var uploadedHostTime: Int64?
    /// Time of the GPU's, in nanoseconds, of a frame some frames ago: to take pictures up, and to draw
    /// everything. Nil where no time has come in since the last frame, or none is measured
    /// (`VideoRenderer.measuresGPU`).
    package internal(set) var gpuUploadNanoseconds: Int64?
    package internal(set) var gpuDrawNanoseconds: Int64?
    /// Each problem is reported in the first frame that has it.
    public internal(set) var problems: [Problem] = []
}
