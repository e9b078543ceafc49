// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// A camera without hardware: a node in a folder, and a library that plays its driver in programs
/// that preload it.
///
/// `Tests/Support/FakeCamera/fake_camera.c` describes the lines of a node. A test changes a running
/// camera by changing them.
///
/// - Concurrency: any thread.
public final class FakeCamera: Sendable {
    /// A Boolean value that indicates whether the library can be compiled.
    public static let isAvailable = compiler != nil
    /// The reason of a skipped suite.
    public static let absence = "needs clang or cc, to compile a driver's double"

    private static let compiler = ["clang", "cc"].first { ProcessRunner.has($0) }
    /// The library, compiled once a run.
    private static let library = Mutex<String?>(nil)
    private static let libraryFolder = TemporaryFolder()

    /// The folder of the nodes.
    public let folder = TemporaryFolder()

    /// Creates a folder with a camera of these lines.
    public init(_ lines: String..., node: Int = 0) throws {
        try set(lines, node: node)
    }

    private static func compiled() throws -> String {
        try library.withLock { library in
            if let library { return library }
            let path = libraryFolder.appending("libfake_camera.so").path
            let folder = Checkout.root.appending(path: "Tests/Support/FakeCamera")
            let sources = ["camera", "driver", "failures", "frames", "node", "stream"]
                .map { folder.appending(path: "fake_\($0).c").path }
            try ProcessRunner.check(
                [compiler ?? "cc", "-shared", "-fPIC", "-O2", "-o", path] + sources
                    + ["-ldl", "-lpthread"])
            library = path
            return path
        }
    }

    /// The variables of a program that sees the cameras of the folder.
    public var environment: [String: String?] {
        get throws {
            [
                "LD_PRELOAD": try Self.compiled(), "FAKE_CAMERA_FOLDER": folder.url.path,
                "PLAYHEAD_VIDEO_NODES": folder.url.path,
            ]
        }
    }

    /// Sets the lines of a node, in one step, which plugs the camera in if it was not.
    public func set(_ lines: [String], node: Int = 0) throws {
        let text = lines.map { $0 + "\n" }.joined()
        try Data(text.utf8).write(to: folder.appending("next"))
        try rename("next", "video\(node)")
    }

    /// Unplugs a camera.
    public func unplug(node: Int = 0) throws { try rename("video\(node)", "unplugged\(node)") }

    /// Plugs a camera in again, at the same or another number.
    public func plug(node: Int = 0, as other: Int? = nil) throws {
        try rename("unplugged\(node)", "video\(other ?? node)")
    }

    private func rename(_ old: String, _ new: String) throws {
        try ProcessRunner.check([
            "mv", "-f", folder.appending(old).path, folder.appending(new).path,
        ])
    }
}
