// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy
import FoundationEssentials
import MediaTestSupport
package import PlayheadBuffers
package import PlayheadGL
import Synchronization

/// A headless OpenGL context for tests, with functions to examine what was drawn.
package enum GraphicsTest {
    /// One test draws at a time, in any suite: contexts are expensive, and software OpenGL uses all
    /// cores.
    private static let turn = Mutex(())

    /// A Boolean value that indicates whether a context can be created: suites that draw require
    /// it.
    package static let isAvailable: Bool = turn.withLock { _ in
        guard let context = try? HeadlessContext() else { return false }
        context.clearCurrent()
        return true
    }

    /// The reason of a skipped suite.
    package static let absence = "needs EGL, to draw without a window"

    /// The driver's messages about the use of a test's context.
    package struct Messages: Error, CustomStringConvertible {
        package var messages: [GLMessage]
        package var description: String {
            messages.map(\.description).joined(separator: "\n")
        }
    }

    /// Runs `body` with a context of its own current on the calling thread.
    ///
    /// - Throws: The error of `body`; `Messages` if the driver reports wrong use, unless the
    ///   messages were taken.
    package static func withContext<Result>(
        _ body: (HeadlessContext) throws -> Result
    ) throws -> Result {
        try turn.withLock { _ in
            let context = try HeadlessContext(isDebug: true)
            begin(context)
            defer { end(context) }
            let result = try body(context)
            try check(context)
            return result
        }
    }

    private static func begin(_ context: HeadlessContext) {
        GLState.beginFrame()
        _ = context.messages.take()
    }

    private static func check(_ context: HeadlessContext) throws {
        let messages = context.messages.take().filter { $0.kind == .error }
        if !messages.isEmpty { throw Messages(messages: messages) }
    }

    private static func end(_ context: HeadlessContext) {
        context.deletionQueue.drain()
        context.clearCurrent()
    }

    /// Runs `body` with a current context that such calls share: for tests that draw a hundred
    /// small images, each with its own objects.
    package static func withSharedContext<Result>(
        _ body: (HeadlessContext) throws -> Result
    ) throws -> Result {
        try turn.withLock { _ in
            let context = try shared.withLock { shared in
                let context = try shared ?? HeadlessContext(isDebug: true)
                shared = context
                return context
            }
            try context.makeCurrent()
            begin(context)
            defer { end(context) }
            let result = try body(context)
            try check(context)
            return result
        }
    }

    private static let shared = Mutex<HeadlessContext?>(nil)

    /// Draws into a framebuffer of a size and returns the result, top row first.
    package static func image(
        width: Int, height: Int, context: HeadlessContext, _ draw: (GLFramebuffer) throws -> Void
    ) throws -> RGBAImage {
        let target = try GLFramebuffer(width: width, height: height, context: context)
        GLState.setTarget(framebuffer: target.name, width: width, height: height)
        try draw(target)
        return target.image()
    }

    /// Reads a texture by its OpenGL name, with rows as stored.
    package static func image(texture name: UInt32, width: Int, height: Int) -> RGBAImage {
        var framebuffer: UInt32 = 0
        ph_glGenFramebuffers(1, &framebuffer)
        defer { ph_glDeleteFramebuffers(1, &framebuffer) }
        ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), framebuffer)
        ph_glFramebufferTexture2D(
            UInt32(GL_READ_FRAMEBUFFER), UInt32(GL_COLOR_ATTACHMENT0), UInt32(GL_TEXTURE_2D), name,
            0)
        return GLFramebuffer.image(
            framebuffer: framebuffer, width: width, height: height, isBottomUp: false)
    }

    /// Writes an image as PAM to the output folder, for inspection.
    package static func save(_ image: RGBAImage, as name: String) {
        let folder = Checkout.output
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var data = Data(
            ("P7\nWIDTH \(image.width)\nHEIGHT \(image.height)\nDEPTH 4\nMAXVAL 255\n"
                + "TUPLTYPE RGB_ALPHA\nENDHDR\n").utf8)
        data.append(contentsOf: image.bytes)
        try? data.write(to: folder.appending(path: name + ".pam"))
    }

    /// Returns a file of the golden tables beside the media collection, if it exists.
    package static func golden(_ name: String) -> String? {
        guard let folder = Corpus.folder?.deletingLastPathComponent() else { return nil }
        let url = folder.appending(path: "golden-colour").appending(path: name)
        return FileManager.default.fileExists(atPath: url.path) ? url.path : nil
    }
}
