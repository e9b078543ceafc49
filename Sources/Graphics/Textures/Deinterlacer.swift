// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
package import PlayheadGL
import PlayheadShaders

/// A deinterlacer that makes whole frames from fields, plane by plane, before any conversion.
///
/// Grey frames, and frames with planes of a format that OpenGL cannot draw to, are not changed.
///
/// - Concurrency: render thread.
package final class Deinterlacer {
    /// A field of a frame. Fields are in temporal order.
    package enum Field: UInt64, Sendable, Hashable {
        case first, second
    }

    private struct Program {
        let program: GLProgram
        let position: GLUniform
        let keptParity: GLUniform
        let isSecond: GLUniform
    }

    /// A field as a whole frame, and the framebuffers through which its planes are drawn.
    private struct Result {
        let picture: PictureTextures
        let framebuffers: [GLFramebuffer]
    }

    private let context: any GLContext
    private let painter: PicturePainter
    private var programs: [Bool: Program] = [:]
    private var results: [Result] = []
    private var frame = 0

    package init(context: any GLContext, painter: PicturePainter) {
        self.context = context
        self.painter = painter
    }

    /// Returns a field as a whole frame. If the frame needs no deinterlacing, or cannot be
    /// deinterlaced, returns the frame itself.
    ///
    /// - Parameter previous: the previous frame, if it is available. It is used only if its layout
    ///   and size are the same.
    /// - Lifetime: until `endFrame`; request it again for every frame.
    package func picture(
        _ picture: PictureTextures, previous: PictureTextures?, field: Field,
        _ deinterlacing: Deinterlacing
    ) throws(GLError) -> PictureTextures {
        let order = picture.attachments.fieldOrder
        guard deinterlacing != .none, order != .progressive, picture.layout.canBeDrawn else {
            return picture
        }
        // Field and kind are stored in bits that identifiers of frames do not use, so that each
        // field of each kind is identified as a separate frame.
        let kind: UInt64 = deinterlacing == .adaptive ? 1 : 0
        let identifier = picture.identifier | 1 << 63 | field.rawValue << 62 | kind << 61
        if let done = results.first(where: { $0.picture.identifier == identifier }) {
            done.picture.lastUse = frame
            return done.picture
        }
        let result = try result(like: picture)
        let matching = previous.flatMap {
            $0.layout == picture.layout && $0.width == picture.width
                && $0.height == picture.height ? $0 : nil
        }
        let isAdaptive = deinterlacing == .adaptive && matching != nil
        let program = try program(isAdaptive: isAdaptive)
        program.program.use()
        program.position.set(QuadGeometry.storedWhole.position)
        program.keptParity.set(
            Int32((order == .topFieldFirst) == (field == .first) ? 0 : 1))
        program.isSecond.set(field == .second)
        GLState.setBlending(.replace)
        for (index, framebuffer) in result.framebuffers.enumerated() {
            GLState.setTarget(
                framebuffer: framebuffer.name, width: framebuffer.width,
                height: framebuffer.height)
            picture.textures[index].bind(unit: 0, sampler: painter.sampler(.nearest))
            if isAdaptive, let matching {
                matching.textures[index].bind(unit: 1, sampler: painter.sampler(.nearest))
            }
            painter.drawQuad()
        }
        result.picture.copyProperties(of: picture)
        result.picture.attachments.fieldOrder = .progressive
        result.picture.identifier = identifier
        result.picture.lastUse = frame
        return result.picture
    }

    /// Ends a frame. Its results may be reused once the GPU has read them. Results that were not
    /// requested recently are released.
    package func endFrame() {
        frame += 1
        forget(before: frame - IdleMemory.idleFrames)
    }

    /// Releases results that the last frame did not request.
    package func trim() { forget(before: frame - 1) }

    private func forget(before limit: Int) {
        if results.contains(where: { $0.picture.lastUse < limit }) {
            results.removeAll { $0.picture.lastUse < limit }
        }
    }

    /// Returns textures for a result. Idle textures are reused, so there are only as many as the
    /// videos need.
    private func result(like picture: PictureTextures) throws(GLError) -> Result {
        let idle = results.first {
            $0.picture.lastUse <= frame - IdleMemory.framesInFlight
                && $0.picture.layout == picture.layout && $0.picture.width == picture.width
                && $0.picture.height == picture.height
        }
        if let idle { return idle }
        var made: [GLFramebuffer] = []
        for texture in picture.textures {
            made.append(
                try GLFramebuffer(
                    format: texture.format, width: texture.width, height: texture.height,
                    context: context))
        }
        let result = Result(
            picture: PictureTextures(like: picture, textures: made.map(\.texture)),
            framebuffers: made)
        results.append(result)
        return result
    }

    private func program(isAdaptive: Bool) throws(GLError) -> Program {
        if let program = programs[isAdaptive] { return program }
        let header = context.capabilities.shaderHeader
        let program = try GLProgram(
            vertex: ShaderLibrary.source(["quad.vert"], header: header),
            fragment: ShaderLibrary.source(
                ["deinterlace.frag"], defines: isAdaptive ? [("ADAPTIVE", "1")] : [],
                header: header),
            fragmentOutput: "fragmentColor", label: "deinterlace.frag", context: context)
        program.use()
        program.uniform("current").setUnit(0)
        program.uniform("previous").setUnit(1)
        program.uniform("textureMatrix").set(GLMatrix3.identity)
        let made = Program(
            program: program, position: program.uniform("positionMatrix"),
            keptParity: program.uniform("keptParity"), isSecond: program.uniform("isSecond"))
        programs[isAdaptive] = made
        return made
    }
}

extension PictureLayout {
    /// A Boolean value that indicates whether frames of this layout can be drawn into textures of
    /// the same formats and then be read as before. This is not possible if the layout shows one
    /// channel as several.
    fileprivate var canBeDrawn: Bool { colorViewCount > 1 || hasChroma }
}
