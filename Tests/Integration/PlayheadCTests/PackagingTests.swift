// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GraphicsTestSupport
import MediaTestSupport
import Testing

/// The files that `make install` installs, with the library of the tests instead of the installed
/// one, which takes minutes to build: `Scripts/prove/packaging` covers that one.
@Suite(
    "Packaging", .serialized,
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"),
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct PackagingTests {
    private static let prefix = "/opt/playhead"
    private static let source = "\(DemoTests.demos)/C/main.c"
    private static let headless = "\(DemoTests.demos)/Common/headless.c"

    /// Installs everything into a folder, like distributions do.
    private func install() throws -> (folder: TemporaryFolder, root: String) {
        let folder = TemporaryFolder()
        let root = folder.url.appending(path: "root").path
        try ProcessRunner.check([
            Checkout.root.appending(path: "Scripts/install").path, "--library=\(Built.library)",
            "PREFIX=\(Self.prefix)", "DESTDIR=\(root)",
        ])
        return (folder, root)
    }

    /// Checks that a host draws frame 9 of the video.
    private func expectPicture(_ host: String, in folder: TemporaryFolder) throws {
        let output = folder.url.appending(path: "out.png").path
        try ProcessRunner.check(
            [host, try HostRig.film(), "--headless", "--frames", "12", "-o", output],
            environment: ["LD_LIBRARY_PATH": "\(folder.url.path)/root\(Self.prefix)/lib"],
            deadline: .seconds(1200))
        let image = try TestImage(contentsOf: URL(filePath: output))
        #expect((image.width, image.height) == (640, 360))
        #expect(image.frameNumber(sourceWidth: 320, sourceHeight: 180) == 9)
    }

    @Test(
        .enabled(if: ProcessRunner.has("pkg-config"), "needs pkg-config"),
        .enabled(if: ProcessRunner.has("gcc"), "needs gcc"))
    func `the installed library is found by pkg-config`() throws {
        let windows = try ProcessRunner.run(["pkg-config", "--cflags", "--libs", "glfw3", "egl"])
        guard windows.status == 0 else { return }
        let (folder, root) = try install()
        let flags = try ProcessRunner.check(
            ["pkg-config", "--cflags", "--libs", "playhead >= 1"],
            environment: [
                "PKG_CONFIG_PATH": "\(root)\(Self.prefix)/lib/pkgconfig",
                "PKG_CONFIG_SYSROOT_DIR": root,
            ])
        let host = folder.url.appending(path: "host").path
        try ProcessRunner.check(
            [
                "gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", Self.source,
                Self.headless, "-I\(DemoTests.demos)/Common", "-o", host,
            ] + Self.words(flags.text) + Self.words(windows.text))
        try expectPicture(host, in: folder)
    }

    @Test(
        .enabled(if: ProcessRunner.has("cmake"), "needs cmake"),
        .enabled(if: ProcessRunner.has("g++"), "needs g++"),
        .enabled(if: ProcessRunner.has("pkg-config"), "needs pkg-config"))
    func `the installed library is found by CMake`() throws {
        let (folder, root) = try install()
        let build = folder.url.appending(path: "build").path
        let configured = try ProcessRunner.check([
            "cmake", "-S", DemoTests.demos, "-B", build,
            "-DCMAKE_PREFIX_PATH=\(root)\(Self.prefix)",
        ])
        try ProcessRunner.check(["cmake", "--build", build], deadline: .seconds(1200))
        guard !configured.text.contains("host_c is skipped") else { return }
        try expectPicture("\(build)/host_c", in: folder)
    }

    @Test
    func `a request for another major version fails`() throws {
        guard ProcessRunner.has("cmake") else { return }
        let (folder, root) = try install()
        let project = folder.url.appending(path: "CMakeLists.txt")
        try Data(
            """
            cmake_minimum_required(VERSION 3.13)
            project(host NONE)
            find_package(playhead 2 REQUIRED)
            """.utf8
        ).write(to: project)
        let result = try ProcessRunner.run([
            "cmake", "-S", folder.url.path, "-B", folder.url.appending(path: "build").path,
            "-DCMAKE_PREFIX_PATH=\(root)\(Self.prefix)",
        ])
        #expect(result.status != 0)
        #expect(result.standardError.contains("playhead"))
    }

    private static func words(_ text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map(String.init)
    }
}
