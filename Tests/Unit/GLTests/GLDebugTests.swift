// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import Testing

@testable import PlayheadGL

@Suite("OpenGL debug messages", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct GLDebugTests {
    @Test func `the driver's message about a wrong call is logged during the call`() throws {
        try GraphicsTest.withContext { context in
            #expect(context.capabilities.isDebug)
            GLState.setTarget(framebuffer: 4711, width: 4, height: 4)
            #expect(context.messages.errorCount == 1)
            let messages = context.messages.take()
            #expect(messages.map(\.kind) == [.error])
            #expect(messages.first?.text.contains("glBindFramebuffer") == true)
            #expect(messages.first?.description.hasPrefix("OpenGL, error: ") == true)
            #expect(context.messages.take().isEmpty)
            _ = GLState.takeError()
        }
    }

    @Test func `a full message log keeps the first messages and counts the rest`() {
        let log = GLMessageLog()
        for number in 0..<(GLMessageLog.capacity + 10) {
            log.add(
                GLMessage(
                    kind: number % 2 == 0 ? .error : .performance, severity: .low,
                    identifier: UInt32(number), text: "message"))
        }
        #expect(log.count == GLMessageLog.capacity + 10)
        #expect(log.errorCount == (GLMessageLog.capacity + 10) / 2)
        #expect(log.take().map(\.identifier) == (0..<UInt32(GLMessageLog.capacity)).map { $0 })
        #expect(log.take().isEmpty)
    }

    @Test func `a context that is not a debug context logs no messages`() throws {
        // Whatever the environment requests.
        let context = try HeadlessContext(isDebug: false)
        defer { context.clearCurrent() }
        GLState.setTarget(framebuffer: 4711, width: 4, height: 4)
        #expect(!context.capabilities.isDebug)
        #expect(context.messages.count == 0)
        #expect(GLState.takeError() != nil)
    }

    @Test func `objects have labels in debug contexts`() throws {
        try GraphicsTest.withContext { context in
            let framebuffer = try GLFramebuffer(
                width: 4, height: 4, label: "a target", context: context)
            #expect(GLLabel.label(ofTexture: framebuffer.texture.name) == "a target")
        }
    }

    @Test func `the bytes of textures are counted until they are deleted`() throws {
        try GraphicsTest.withContext { context in
            #expect(context.deletionQueue.byteCount == 0)
            var texture: GLTexture? = try GLTexture(
                format: .rgba16Float, width: 30, height: 20, context: context)
            #expect(texture != nil)
            #expect(context.deletionQueue.byteCount == 30 * 20 * 8)
            texture = nil
            #expect(context.deletionQueue.byteCount == 30 * 20 * 8)
            context.deletionQueue.drain()
            #expect(context.deletionQueue.byteCount == 0)
        }
    }

    @Test func `a context reports its loss where EGL supports it, and can be made again`() throws {
        try GraphicsTest.withContext { context in
            #expect(!context.loss.check(context.capabilities))
            let (texture, queue) = (
                try GLTexture(format: .rgba8, width: 1, height: 1, context: context),
                context.deletionQueue
            )
            context.loss.simulate()
            #expect(GLState.isLost(context))
            try context.remake()
            #expect(!GLState.isLost(context))
            #expect(context.deletionQueue !== queue)
            #expect(context.deletionQueue.liveCount(.texture) == 0)
            // The name of an object created before the loss may belong to another one now.
            let other = try GLTexture(format: .rgba8, width: 1, height: 1, context: context)
            #expect(other.name == texture.name)
            queue.enqueue(.texture, texture.name)
            context.deletionQueue.drain()
            other.upload([1, 2, 3, 4], bytesPerRow: 4)
        }
    }
}
