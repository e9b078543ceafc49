// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// An X server without a screen, for one test; and the programs that the test runs on it.
final class VirtualDisplay {
    /// A Boolean value that indicates whether the required programs are installed.
    static let isAvailable = ["Xvfb", "xdotool"].allSatisfy(Program.isInstalled)
    /// The reason for which tests are skipped otherwise.
    static let reason: Comment = "needs Xvfb and xdotool (apt install xvfb xdotool)"

    let name: String
    private let server: Program

    /// Starts a server, on a display number that it selects itself.
    init(extensions: [String] = ["+extension", "GLX"]) throws {
        server = try Program(
            [
                "Xvfb", "-displayfd", "1", "-screen", "0", "1280x720x24", "-nolisten", "tcp",
                "-noreset",
            ] + extensions, display: nil, showsErrors: false)
        guard let number = server.nextLine() else { throw Program.CannotStart(program: "Xvfb") }
        name = ":\(number)"
    }

    /// Sets the keyboard layouts.
    func setLayouts(_ layouts: String) throws {
        let status = try Program(["setxkbmap", "-layout", layouts], display: name).exitStatus()
        guard status == 0 else { throw Program.CannotStart(program: "setxkbmap") }
    }

    /// Sends real key and pointer events.
    func xdotool(_ arguments: String...) throws {
        _ = try Program(["xdotool"] + arguments, display: name).exitStatus()
    }
}

/// Starts the test host, which opens windows and is built beside the tests.
func host(
    _ scenario: String..., on display: VirtualDisplay?, variables: [String] = []
) throws -> Program {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count)
    let executable = String(
        decoding: path[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = executable.split(separator: "/").dropLast().joined(separator: "/")
    return try Program(
        ["/\(folder)/WindowTestHost"] + scenario, display: display?.name, variables: variables)
}
