// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The demos, built beside the tests.
enum Demos {
    private static let folder: URL = {
        let manager = FileManager.default
        let tests = (try? manager.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "."
        return URL(filePath: tests).deletingLastPathComponent()
    }()

    static func path(of name: String) -> String { folder.appending(path: name).path }

    /// No audio server, and no display except one of a test.
    static let environment: [String: String?] = [
        "DISPLAY": nil, "WAYLAND_DISPLAY": nil, "PULSE_SERVER": "unix:/nonexistent/pulse",
    ]

    /// `environment` with a driver that has OpenGL 3.1 and OpenGL ES 3.2, as on small boards.
    static let embedded = environment.merging(["MESA_GL_VERSION_OVERRIDE": "3.1"]) { $1 }
}
