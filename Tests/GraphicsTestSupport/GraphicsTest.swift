// SPDX-License-Identifier: Apache-2.0

import Foundation
public import PlayheadBuffers
public import PlayheadGL
public import PlayheadHeadless
import Synchronization

/// A headless OpenGL context for tests, and ways to look at what was drawn.
public enum GraphicsTest {
    /// One test draws at a time, whatever suite it belongs to: contexts are expensive, and software
    /// GL uses all cores anyway.
    private static let turn = Mutex(())

    /// Whether there is a context to be had: suites that draw are enabled on this condition.
    public static let isAvailable: Bool = turn.withLock { _ in
        guard let context = try? HeadlessContext() else { return false }
        context.clearCurrent()
        return true
    }

    /// What a skipped suite says.
    public static let reason = "there is no EGL to draw with"

    /// Runs `body` with a context of its own current on the calling thread.
    public static func withContext<Result>(
        _ body: (HeadlessContext) throws -> Result
    ) throws -> Result {
        try turn.withLock { _ in
            let context = try HeadlessContext()
            GLState.beginFrame()
            defer {
                context.deletionQueue.drain()
                context.clearCurrent()
            }
            return try body(context)
        }
    }

    /// Draws into a framebuffer of a size and gives back what came of it, top row first.
    public static func image(
        width: Int, height: Int, context: HeadlessContext, _ draw: (GLFramebuffer) throws -> Void
    ) throws -> RGBAImage {
        let target = try GLFramebuffer(width: width, height: height, context: context)
        GLState.setTarget(framebuffer: target.name, width: width, height: height)
        try draw(target)
        return target.image()
    }

    /// Writes a picture as PAM into the folder that `PLAYHEAD_TEST_OUTPUT` names, if it names one:
    /// for eyes.
    public static func save(_ image: RGBAImage, as name: String) {
        guard let folder = ProcessInfo.processInfo.environment["PLAYHEAD_TEST_OUTPUT"] else {
            return
        }
        var data = Data(
            ("P7\nWIDTH \(image.width)\nHEIGHT \(image.height)\nDEPTH 4\nMAXVAL 255\n"
                + "TUPLTYPE RGB_ALPHA\nENDHDR\n").utf8)
        data.append(contentsOf: image.bytes)
        try? data.write(to: URL(fileURLWithPath: folder).appendingPathComponent(name + ".pam"))
    }

    /// The folder of shared golden colour tables and media beside the checkout, if it is there.
    public static func sharedFile(_ path: String) -> String? {
        let environment = ProcessInfo.processInfo.environment
        var folders: [String] = []
        if let corpus = environment["PLAYHEAD_CORPUS"] { folders.append(corpus + "/..") }
        let directory = FileManager.default.currentDirectoryPath
        folders += [directory + "/../shared", directory + "/../../shared"]
        return folders.map { $0 + "/" + path }.first {
            FileManager.default.fileExists(atPath: $0)
        }
    }
}
