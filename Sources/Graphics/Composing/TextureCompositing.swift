// SPDX-License-Identifier: Apache-2.0

public import PlayheadGL
public import PlayheadTime
public import PlayheadVideoCompositions

/// A custom compositor that draws each frame of a video composition with OpenGL. It receives a
/// texture with the frame of each track, and draws into a framebuffer.
///
///     final class Halves: TextureCompositing {
///         func draw(_ request: TextureCompositionRequest) throws { … }
///     }
///     composition.makeTextureCompositor = { Halves() }
///
/// - Concurrency: created, used and released on one thread, on which the context is current.
/// - Errors: if `draw` throws an error or leaves an OpenGL error, reading ends with
///   `VideoCompositionError.Code.compositorFailed`.
/// - Corresponds to: `AVVideoCompositing` with pixel buffers that Metal or OpenGL draw into.
public protocol TextureCompositing: AnyObject {
    /// Draws a frame. The method must issue all drawing before it returns, but need not wait until
    /// OpenGL has executed it.
    ///
    /// The method may leave OpenGL in any state, but must not delete objects that it did not
    /// create.
    func draw(_ request: TextureCompositionRequest) throws
}

/// A request to draw one composed frame.
///
/// In textures and in the target, the bottom row is first, at t = 0, as usual in OpenGL. Alpha is
/// premultiplied. Components are in the colour space of the composition.
///
/// - Concurrency: the thread of the call.
/// - Lifetime: valid until the call returns.
/// - Corresponds to: `AVAsynchronousVideoCompositionRequest`.
public struct TextureCompositionRequest {
    /// The time of the composed frame.
    public let compositionTime: MediaTime
    /// The instruction at the time.
    public let instruction: VideoCompositionInstruction
    /// The framebuffer to draw into, which is bound and filled with the instruction's background.
    public let target: GLFramebuffer
    /// The context, which is current.
    public let context: HeadlessContext

    let textures: [Int: GLTexture]

    /// The tracks that show a frame, in ascending order.
    public var sourceTrackIDs: [Int] { textures.keys.sorted() }

    /// Returns the upright frame that a track shows, with square pixels; nil if it shows nothing.
    public func sourceTexture(byTrackID id: Int) -> GLTexture? { textures[id] }
}
