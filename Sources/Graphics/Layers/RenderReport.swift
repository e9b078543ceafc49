// SPDX-License-Identifier: Apache-2.0

public import PlayheadEffects
public import PlayheadGL
public import PlayheadTextures
public import PlayheadTime

/// The result of drawing one frame.
public struct RenderReport: Sendable {
    /// An error that occurred while a frame was drawn. The rest of the frame was drawn.
    public enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        /// A frame could not be uploaded. Its layer shows the previous frame, or nothing.
        case picture(TextureError)
        /// An effect was bypassed.
        case effect(EffectError)
        /// OpenGL reported an error in a draw.
        case gl(GLError)
        /// A layer has values that cannot be drawn. The layer and its sublayers are skipped.
        case layer(LayerError)
        /// A message of the driver. Drivers send messages in debug contexts only.
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

    /// A Boolean value that indicates whether the context was lost. If so, the drawing is
    /// incomplete. Recreate all objects in another context, including the renderer.
    public internal(set) var isContextLost = false
    /// A Boolean value that indicates whether the frame looks different from the previous one, as
    /// far as the renderer can know.
    public internal(set) var hasChanged = false
    /// A Boolean value that indicates whether the next frame will look different because of an
    /// effect, although neither its values nor its input change.
    package internal(set) var isMoving = false
    /// A Boolean value that indicates whether the frame was drawn. It is false if the frame was
    /// unchanged and `render` was called with `redraw: .ifChanged`.
    public internal(set) var wasDrawn = false
    /// A Boolean value that indicates whether a video layer shows a different frame than before.
    public internal(set) var hasNewPicture = false
    /// A Boolean value that indicates whether the observed layer shows a different frame than
    /// before. The observed layer is the layer of the source that `render` observes, or the first
    /// video layer. `displayTime` and `itemTime` describe the same layer.
    package internal(set) var hasNewObservedPicture = false
    /// A Boolean value that indicates whether an overlay shows a different image than before.
    var hasNewOverlay = false
    /// A Boolean value that indicates whether deinterlaced video shows a different field than
    /// before.
    var hasNewField = false
    /// The presentation time of the observed layer's frame, in its item's time; `invalid` if no
    /// layer has a frame.
    public internal(set) var displayTime = MediaTime.invalid
    /// The item time for which the observed layer's frame was drawn; `invalid` without a video
    /// layer.
    package internal(set) var itemTime = MediaTime.invalid
    /// The item time of the first video layer, which is the time of effects.
    var sceneTime = MediaTime.invalid
    /// The CPU time spent requesting frames from sources, in nanoseconds.
    package internal(set) var pullNanoseconds: Int64 = 0
    /// The time that the render thread spent uploading frames, in nanoseconds. If the CPU converts
    /// them (`PictureConversion.cpu`), the time includes the conversion.
    package internal(set) var uploadNanoseconds: Int64 = 0
    /// The CPU time spent on the rest of the frame, in nanoseconds.
    package internal(set) var drawNanoseconds: Int64 = 0
    /// The host time when the observed layer's frame was decoded, in nanoseconds; nil if no frame
    /// is new.
    package internal(set) var decodedHostTime: Int64?
    /// The host time when all new frames had been uploaded, in nanoseconds; nil if no frame is new.
    package internal(set) var uploadedHostTime: Int64?
    /// The GPU time for the uploads of an earlier frame, in nanoseconds. It is nil if no result has
    /// arrived since the last frame, or if the GPU's time is not measured
    /// (`VideoRenderer.measuresGPU`).
    package internal(set) var gpuUploadNanoseconds: Int64?
    /// The GPU time for drawing an earlier frame, in nanoseconds; nil in the same cases as
    /// `gpuUploadNanoseconds`.
    package internal(set) var gpuDrawNanoseconds: Int64?
    /// The problems. A problem that lasts is reported only in the first frame in which it occurs.
    public internal(set) var problems: [Problem] = []
}
