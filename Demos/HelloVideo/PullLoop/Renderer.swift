// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI
import Synchronization

/// The part that runs on the render thread. It requests frames and draws them.
///
/// - Concurrency: `update` and `whenIdle` on any thread; everything else on the render thread.
final class Renderer: @unchecked Sendable {
    // Unchecked: mutable state outside of the mutex is used on the render thread only.

    private struct Wishes {
        var luma: Float = 1
        var chroma: Float = 1
        var controls: [Layer] = []
        var hasChanged = true
        var idleHandler: @Sendable () -> Void = {}
    }

    /// The objects of the OpenGL context.
    private struct Tools {
        let gl: OpenGL
        let program: UInt32
        let vertexArray: UInt32
        let textures: TextureCache
        /// The renderer of layers, for the sliders.
        let layers: VideoRenderer
    }

    private let output: PlayerItemVideoOutput
    private let wishes = Mutex(Wishes())
    private var tools: Tools?
    private var picture: PixelBuffer?
    /// The number of vsyncs since the last change.
    private var idleTicks = 0

    init(_ output: PlayerItemVideoOutput) {
        self.output = output
    }

    func update(luma: Float, chroma: Float, controls: [Layer]) {
        wishes.withLock {
            ($0.luma, $0.chroma, $0.controls, $0.hasChanged) = (luma, chroma, controls, true)
        }
    }

    func whenIdle(_ handler: @escaping @Sendable () -> Void) {
        wishes.withLock { $0.idleHandler = handler }
    }

    func prepare(_ context: any GLContext, _ load: OpenGL.Load) throws {
        let gl = try OpenGL(load)
        var vertexArray: UInt32 = 0
        gl.genVertexArrays(1, &vertexArray)
        tools = Tools(
            gl: gl,
            program: try gl.program(vertices: Self.vertexShader, pixels: Self.fragmentShader),
            vertexArray: vertexArray, textures: TextureCache(context: context),
            layers: VideoRenderer(context: context))
    }

    func end() { tools = nil }

    // MARK: The loop

    func drawFrame(at tick: DisplayTick, on surface: any PresentationSurface) {
        // This is the item time at which the next frame is displayed. If there is no new frame, the
        // last one stays visible.
        let time = output.itemTime(forHostTime: tick.targetTimestamp)
        var isNew = false
        if output.hasNewPixelBuffer(forItemTime: time),
            let (due, _) = output.copyPixelBuffer(forItemTime: time)
        {
            (picture, isNew) = (due, true)
        }
        let wishes = wishes.withLock { wishes in
            defer { wishes.hasChanged = false }
            return wishes
        }
        idleTicks = isNew || wishes.hasChanged ? 0 : idleTicks + 1
        guard idleTicks == 0 else {
            if idleTicks == 30 { wishes.idleHandler() }
            return
        }
        guard let tools, let picture, let target = try? surface.nextTarget() else { return }
        draw(picture, wishes, tools, into: target, tick)
        surface.present()
    }

    private func draw(
        _ picture: PixelBuffer, _ wishes: Wishes, _ tools: Tools, into target: RenderTarget,
        _ tick: DisplayTick
    ) {
        // This resets the texture bindings that the engine has recorded, because the calls below
        // bind other textures.
        GLState.beginFrame()
        // There is a texture for each plane: luma at full size, and chroma at half the size.
        guard let planes = try? tools.textures.textures(for: picture) else { return }
        let (gl, program) = (tools.gl, tools.program)
        func location(_ name: String) -> Int32 { gl.getUniformLocation(program, name) }
        gl.bindFramebuffer(OpenGL.framebuffer, target.framebuffer)
        gl.viewport(0, 0, Int32(target.width), Int32(target.height))
        gl.disable(OpenGL.blend)
        gl.clearColor(0, 0, 0, 1)
        gl.clear(OpenGL.colorBuffer)
        gl.useProgram(program)
        for (unit, texture) in planes.textures.enumerated() {
            gl.activeTexture(OpenGL.texture0 + UInt32(unit))
            gl.bindTexture(OpenGL.texture2D, texture.name)
            gl.bindSampler(UInt32(unit), 0)
            gl.texParameteri(OpenGL.texture2D, OpenGL.minFilter, OpenGL.linear)
            gl.texParameteri(OpenGL.texture2D, OpenGL.wrapS, OpenGL.clampToEdge)
            gl.texParameteri(OpenGL.texture2D, OpenGL.wrapT, OpenGL.clampToEdge)
            gl.uniform1i(location("plane\(unit)"), Int32(unit))
        }
        gl.uniform1i(location("isPacked"), planes.textures.count == 2 ? 1 : 0)

        // R'G'B' is a matrix times (Y', Cb, Cr), plus an offset. A gain for luma or chroma
        // multiplies the matrix column for that component, relative to the sample that stands for
        // zero.
        let color = planes.conversion
        let (scale, bias) = (color.signalScale, color.signalBias)
        let (luma, chroma) = (Double(wishes.luma), Double(wishes.chroma))
        let columns = (color.first * luma, color.second * chroma, color.third * chroma)
        let offset =
            columns.0 * (bias.x / scale.x) + columns.1 * (bias.y / scale.y)
            + columns.2 * (bias.z / scale.z)
        let matrix = [columns.0, columns.1, columns.2].flatMap { [$0.x, $0.y, $0.z] }
        gl.uniformMatrix3fv(location("matrix"), 1, 0, matrix.map { Float($0) })
        gl.uniform3f(
            location("offset"), Float(offset.x), Float(offset.y), Float(offset.z))

        // The frame is as large as possible, with its aspect ratio kept.
        let size = planes.displaySize
        let shape = Float(
            size.width / size.height * Double(target.height) / Double(target.width))
        gl.uniform2f(location("extent"), min(1, shape), min(1, 1 / shape))
        gl.bindVertexArray(tools.vertexArray)
        gl.drawArrays(OpenGL.triangleStrip, 0, 4)
        gl.bindVertexArray(0)
        tools.textures.endFrame()
        _ = tools.layers.render(
            Scene(background: .none, layers: wishes.controls), hostTime: tick.targetTimestamp,
            into: target)
    }

    private static let vertexShader = """
        out vec2 place;
        uniform vec2 extent;
        void main() {
            vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
            // The frame's first row is the top one.
            place = vec2(corner.x, 1.0 - corner.y);
            gl_Position = vec4((corner * 2.0 - 1.0) * extent, 0.0, 1.0);
        }
        """

    private static let fragmentShader = """
        in vec2 place;
        out vec4 color;
        uniform sampler2D plane0, plane1, plane2;
        // True if Cb and Cr are in one plane (NV12), false if each has its own.
        uniform bool isPacked;
        uniform mat3 matrix;
        uniform vec3 offset;
        void main() {
            float y = texture(plane0, place).r;
            vec2 c = isPacked ? texture(plane1, place).rg
                : vec2(texture(plane1, place).r, texture(plane2, place).r);
            color = vec4(matrix * vec3(y, c) + offset, 1.0);
        }
        """
}
