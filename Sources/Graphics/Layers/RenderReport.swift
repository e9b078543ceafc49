// SPDX-License-Identifier: Apache-2.0

public import PlayheadEffects
public import PlayheadGL
public import PlayheadTextures
public import PlayheadTime

/// The result of drawing one frame.
public struct RenderReport: Sendable {
    /// An error of drawing; the rest of the frame was drawn.
    public enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        /// A frame could not be uploaded; its layer shows the previous one, or nothing.
        case picture(TextureError)
        /// An effect was bypassed.
        case effect(EffectError)
        /// OpenGL reported an error of a draw.
        case gl(GLError)
        /// A layer's numbers cannot be drawn; it and its sublayers are skipped.
        case layer(LayerError)
        /// A message of the driver; in debug contexts only.
        case message(GLMessage)

        /// The description of the error.
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

    /// A Boolean value that indicates whether the context was lost, and drawing was incomplete.
    /// Create all objects again in another context, including the renderer.
    public internal(set) var isContextLost = false
    /// A Boolean value that indicates whether the frame looks different from the previous one, as
    /// far as the renderer can know.
    public internal(set) var hasChanged = false
    /// A Boolean value that indicates whether an effect will look different the next time although
    /// nothing about it changes.
    public internal(set) var isMoving = false
    /// A Boolean value that indicates whether the frame was drawn: false if it was unchanged and
    /// only changes were to be drawn.
    public internal(set) var wasDrawn = false
    /// A Boolean value that indicates whether a video layer shows another frame than before.
    public internal(set) var hasNewPicture = false
    /// A Boolean value that indicates whether the observed layer does, which `displayTime` and
    /// `itemTime` describe: the one of the source that `render` observes, or the first.
    package internal(set) var hasNewObservedPicture = false
    /// A Boolean value that indicates whether an overlay shows another image than before.
    var hasNewOverlay = false
    /// A Boolean value that indicates whether deinterlaced video shows another field than before.
    var hasNewField = false
    /// The presentation time of the observed layer's frame, in its item's time; `invalid` if no
    /// layer has a frame.
    public internal(set) var displayTime = MediaTime.invalid
    /// The item time for which it was drawn; `invalid` without a video layer.
    package internal(set) var itemTime = MediaTime.invalid
    /// The item time of the first video layer, which effects follow.
    var sceneTime = MediaTime.invalid
    /// The CPU time spent requesting frames from sources, in nanoseconds.
    package internal(set) var pullNanoseconds: Int64 = 0
    /// The time on the render thread spent uploading frames, in nanoseconds; if the CPU converts
    /// them (`PictureConversion.cpu`), it includes the conversion.
    package internal(set) var uploadNanoseconds: Int64 = 0
    /// The CPU time spent issuing everything else, in nanoseconds.
    package internal(set) var drawNanoseconds: Int64 = 0
    /// The host time when the observed layer's frame was decoded, in nanoseconds. Nil if no frame
    /// is new.
    package internal(set) var decodedHostTime: Int64?
    /// The host time when all new frames had been uploaded, in nanoseconds. Nil if no frame is new.
    package internal(set) var uploadedHostTime: Int64?
    /// The GPU's time for uploads, in nanoseconds, of a frame some frames ago. Nil if no result has
    /// arrived since the last frame, or none is measured (`VideoRenderer.measuresGPU`).
    package internal(set) var gpuUploadNanoseconds: Int64?
    /// The GPU's time for drawing, likewise.
    package internal(set) var gpuDrawNanoseconds: Int64?
    /// The problems; each is reported in the first frame that has it.
    public internal(set) var problems: [Problem] = []
}
