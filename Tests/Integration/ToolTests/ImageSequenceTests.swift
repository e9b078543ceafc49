// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// Image sequences named by a pattern, and single images of formats without a signature.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct ImageSequenceTests {
    private let folder = TemporaryFolder()

    private func make(_ name: String, _ more: String...) throws -> String {
        let path = folder.appending(name).path
        try ProcessRunner.check(
            ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=1:r=10"] + more + [
                path
            ])
        return path
    }

    @Test(arguments: ["frame-%04d.png", "f%d.jpg", "100%-%02d.bmp", "a b/%03d-x.png"])
    func `a pattern plays all images of a sequence in order`(pattern: String) throws {
        try FileManager.default.createDirectory(
            at: folder.appending("a b"), withIntermediateDirectories: true)
        _ = try make(
            pattern.replacingOccurrences(of: "100%-", with: "100%%-"), "-start_number", "7")
        let named = folder.appending(pattern).path
        let result = try Tool.run("play", named, "--headless", "--untimed")
        result.expectSuccess()
        #expect(
            result.errorLines.last?.contains("10 frames shown") == true, "\(result.standardError)")
        let lines = try Tool.run("frames", named, "--hash").text.split(separator: "\n")
        #expect(lines.count == 10)
        let digests = lines.map {
            $0.components(separatedBy: "\"sha256\":\"").last?.prefix(64) ?? ""
        }
        #expect(Set(digests).count == 10)
    }

    @Test func `a sequence ends at the first missing number`() throws {
        let path = try make("frame-%04d.png")
        try FileManager.default.removeItem(at: folder.appending("frame-0005.png"))
        #expect(try Tool.run("frames", path).text.split(separator: "\n").count == 4)
        let output = folder.appending("out.mkv").path
        try Tool.run("render", path, "-o", output).expectSuccess()
        #expect(try Tool.run("frames", output).text.split(separator: "\n").count == 4)
    }

    @Test func `a pattern without images is reported, and a file of that name opens`() throws {
        let named = folder.appending("none-%04d.png").path
        try Tool.run("inspect", named).expectError(2, saying: [named, "no such file"])
        let image = try make("one.png", "-frames:v", "1")
        try FileManager.default.moveItem(atPath: image, toPath: named)
        #expect(try Tool.run("frames", named).text.split(separator: "\n").count == 1)
    }

    @Test(arguments: ["rgba", "rgb24", "gray"])
    func `PAM images open`(format: String) throws {
        let path = try make("image.pam", "-frames:v", "1", "-pix_fmt", format)
        let page = try Tool.run("inspect", path)
        page.expectSuccess()
        #expect(page.text.contains("64 x 48"))
        try Tool.run("snapshot", path, "-o", folder.appending("out.png").path).expectSuccess()
    }
}
