// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy
import GraphicsTestSupport
import PlayheadBuffers
import PlayheadGL
import Testing

@Suite("OpenGL objects", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct GLTests {
    @Test func `a headless context is core 3.3 or later and reports its renderer`() throws {
        try GraphicsTest.withContext { context in
            #expect(context.capabilities.version >= 33)
            #expect(!context.capabilities.renderer.isEmpty)
            #expect(context.capabilities.maximumTextureSize >= 1024)
        }
    }

    @Test(arguments: [
        ("llvmpipe (LLVM 15.0.6, 256 bits)", true), ("softpipe", true),
        ("Software Rasterizer", true), ("NVIDIA GeForce RTX 3060/PCIe/SSE2", false),
        ("Mesa Intel(R) UHD Graphics 620 (KBL GT2)", false),
    ])
    func `software renderers are recognised by name`(renderer: String, isSoftware: Bool) {
        let capabilities = GLCapabilities(
            version: 45, vendor: "", renderer: renderer, maximumTextureSize: 4096)
        #expect(capabilities.isSoftware == isSoftware)
    }

    @Test(arguments: [GLHostState.Mode.restoreAll, .assumeDefault])
    func `a host's cube maps and volumes stay bound`(mode: GLHostState.Mode) throws {
        try GraphicsTest.withContext { context in
            let host = GLHostState(mode: mode, unitBase: 1)
            let targets = [
                (UInt32(GL_TEXTURE_CUBE_MAP), UInt32(GL_TEXTURE_BINDING_CUBE_MAP)),
                (UInt32(GL_TEXTURE_3D), UInt32(GL_TEXTURE_BINDING_3D)),
            ]
            var names: [UInt32] = [0, 0]
            if mode == .restoreAll { ph_glGenTextures(2, &names) }
            defer { ph_glDeleteTextures(2, names) }
            ph_glActiveTexture(UInt32(GL_TEXTURE2))
            for (name, target) in zip(names, targets) { ph_glBindTexture(target.0, name) }
            host.enter()
            let face = try GLFramebuffer(width: 1, height: 1, context: context)
            let cube = try GLCubeTexture(
                faces: Array(repeating: face, count: 6), isNearest: false, context: context)
            let volume = try GLTableTexture(
                size: [1, 1, 1], format: .rgba8, bytes: [], isLinear: false, border: .clamp,
                context: context)
            cube.bind(unit: 1)
            volume.bind(unit: 1)
            host.leave()
            ph_glActiveTexture(UInt32(GL_TEXTURE2))
            for (name, target) in zip(names, targets) {
                var bound: Int32 = -1
                ph_glGetIntegerv(target.1, &bound)
                #expect(bound == Int32(name))
            }
            ph_glActiveTexture(UInt32(GL_TEXTURE0))
            #expect(GLState.takeError() == nil)
        }
    }

    @Test func `names of dropped objects wait for the render thread and are deleted once`() throws {
        try GraphicsTest.withContext { context in
            var framebuffer: GLFramebuffer? = try GLFramebuffer(
                width: 4, height: 4, context: context)
            #expect(framebuffer != nil)
            #expect(context.deletionQueue.waitingCount == 0)
            framebuffer = nil
            #expect(context.deletionQueue.waitingCount == 2)
            context.deletionQueue.drain()
            #expect(context.deletionQueue.waitingCount == 0)
            #expect(GLState.takeError() == nil)
        }
    }

    @Test func `a shader that does not compile throws the stage, the label and the driver's log`()
        throws
    {
        try GraphicsTest.withContext { context in
            _ = #expect {
                try GLProgram(
                    vertex: "#version 330 core\nvoid main() { gl_Position = vec4(0.0); }\n",
                    fragment: "#version 330 core\nvoid main() { nonsense; }\n",
                    fragmentOutput: "color", label: "test.frag", context: context)
            } throws: { error in
                guard case .compilation(.fragment, "test.frag", let log) = error as? GLError
                else { return false }
                return log.contains("nonsense")
            }
        }
    }

    @Test func `a texture beyond the size limit throws`() throws {
        try GraphicsTest.withContext { context in
            let size = context.capabilities.maximumTextureSize + 1
            #expect(
                throws: GLError.textureTooLarge(width: size, height: 1, maximum: size - 1)
            ) {
                try GLTexture(format: .rgba8, width: size, height: 1, context: context)
            }
        }
    }

    @Test func `a texture without memory throws`() throws {
        try GraphicsTest.withContext { context in
            // It has 4 GiB, which a GPU may have.
            guard context.capabilities.isSoftware else { return }
            let side = min(16384, context.capabilities.maximumTextureSize)
            #expect(
                throws: GLError.outOfMemory(during: "creating a texture of \(side) x \(side)")
            ) {
                try GLTexture(format: .rgba32Float, width: side, height: side, context: context)
            }
            #expect(GLState.takeError() == nil)
            _ = context.messages.take()
        }
    }

    @Test func `a timer does not measure while a host's query runs, which continues`() throws {
        try GraphicsTest.withContext { context in
            let (hosts, ours) = (
                GLTimer(context: context), GLTimer(context: try GLHostContext())
            )
            hosts.begin()
            ours.begin()
            ours.end()
            hosts.end()
            #expect(GLState.takeError() == nil)
            GLState.finish()
            hosts.collect()
            ours.collect()
            #expect(hosts.lastNanoseconds != nil && ours.lastNanoseconds == nil)
        }
    }

    @Test func `a format that cannot be drawn to throws the status and leaks no objects`() throws {
        try GraphicsTest.withContext { context in
            var refusals = 0
            for channels in 1...4 {
                for (bytes, isFloat) in [(1, false), (2, false), (2, true), (4, true)] {
                    let format = try #require(
                        GLTextureFormat(
                            channelCount: channels, bytesPerChannel: bytes, isFloat: isFloat))
                    do throws(GLError) {
                        let framebuffer = try GLFramebuffer(
                            format: format, width: 3, height: 2, context: context)
                        #expect(framebuffer.width == 3)
                    } catch {
                        refusals += 1
                        guard case .incompleteFramebuffer(let status, 3, 2) = error else {
                            Issue.record("\(error)")
                            continue
                        }
                        #expect(status != 0)
                    }
                }
            }
            print("formats that this OpenGL cannot draw to:", refusals)
            context.deletionQueue.drain()
            for kind in GLDeletionQueue.Kind.allCases {
                #expect(context.deletionQueue.liveCount(kind) == 0, "\(kind)")
            }
        }
    }

    /// A flat varying has the value of a triangle's last vertex.
    @Test func `the triangles of a quad have the order of mpv's vertices`() throws {
        try GraphicsTest.withContext { context in
            let version = context.capabilities.shaderVersion + context.capabilities.shaderPreamble
            let program = try GLProgram(
                vertex: version + """
                    layout(location = 0) in vec2 corner;
                    flat out vec2 last;
                    void main() { last = corner; gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0); }
                    """,
                fragment: version + """
                    flat in vec2 last;
                    out vec4 color;
                    void main() { color = vec4(last, gl_FrontFacing, 1.0); }
                    """, fragmentOutput: "color", label: "corners", context: context)
            let quad = GLQuad(context: context)
            let framebuffer = try GLFramebuffer(width: 8, height: 8, context: context)
            GLState.setTarget(framebuffer: framebuffer.name, width: 8, height: 8)
            GLState.setBlending(.replace)
            program.use()
            quad.bind()
            quad.drawTriangles()
            let image = framebuffer.image()
            #expect(image[1, 6] == [255, 0, 0, 255])
            #expect(image[6, 1] == [0, 255, 0, 255])
            quad.draw()
            #expect(framebuffer.image()[1, 6] == [0, 255, 255, 255])
        }
    }

    @Test func `a framebuffer is read back with its top row first`() throws {
        try GraphicsTest.withContext { context in
            let framebuffer = try GLFramebuffer(width: 1, height: 2, context: context)
            let rows: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
            rows.withUnsafeBytes {
                framebuffer.texture.upload($0.baseAddress!, bytesPerRow: 4)
            }
            // The row at t = 0 is OpenGL's bottom row.
            #expect(framebuffer.image().bytes == [5, 6, 7, 8, 1, 2, 3, 4])
            #expect(framebuffer.image(isBottomUp: false).bytes == rows)
        }
    }

    @Test func `clearing a context that is not current leaves the current one`() throws {
        try GraphicsTest.withContext { first in
            let second = try HeadlessContext()
            first.clearCurrent()
            #expect(GLCurrentContext() != nil)
            second.clearCurrent()
            #expect(GLCurrentContext() == nil)
            try first.makeCurrent()
        }
    }

    @Test func `a timer never waits, and skips a measurement when its ring is full`() throws {
        try GraphicsTest.withContext { context in
            let framebuffer = try GLFramebuffer(width: 4, height: 4, context: context)
            let timer = GLTimer(context: context)
            for _ in 0..<10 {
                timer.begin()
                framebuffer.clear()
                timer.end()
            }
            GLState.finish()
            timer.collect()
            #expect(timer.lastNanoseconds != nil)
            // An empty measurement does not change the last time.
            _ = timer.takeNanoseconds()
            timer.begin()
            timer.end(counts: false)
            GLState.finish()
            #expect(timer.takeNanoseconds() == nil)
            #expect(GLState.takeError() == nil)
        }
    }
}
