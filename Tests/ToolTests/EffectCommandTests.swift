// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// `effect list`, `info`, `lint` and `new`.
struct EffectCommandTests {
    private let folder = TemporaryFolder()

    private func text(_ result: ProcessRunner.Result) -> String {
        String(decoding: result.standardOutput, as: UTF8.self)
    }

    @Test func `the built-in effects are listed, and told as JSON`() throws {
        let list = try Tool.run("effect", "list")
        #expect(text(list).split(separator: "\n").count >= 24)
        let info = try Tool.run("effect", "info", "exposure", "--json")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(info.standardOutput)) as? [String: Any])
        #expect(report["name"] as? String == "exposure")
        #expect(report["format"] as? String == "isf")
        let inputs = try #require(report["inputs"] as? [[String: Any]])
        #expect(inputs.map { $0["name"] as? String } == ["inputImage", "stops"])
        #expect(inputs[1]["identity"] as? Double == 0)
    }

    @Test(arguments: [[], ["--driver"]])
    func `lint names file, line and column, shows the line, and ends with 4`(
        options: [String]
    ) throws {
        let broken = folder.appending("broken.fs")
        try Data("/*{}*/\nvoid main() {\n    gl_FragColor = vec4(nonsense);\n}\n".utf8)
            .write(to: broken)
        let result = try ProcessRunner.run(
            [Tool.path, "effect", "lint", broken.path] + options, environment: Tool.bare,
            deadline: patience)
        #expect(result.status == 4)
        #expect(text(result).hasPrefix(broken.path + ":3:25: error: "))
        #expect(text(result).contains("\n        gl_FragColor = vec4(nonsense);\n"))
        #expect(text(result).contains("\n" + String(repeating: " ", count: 28) + "^"))
    }

    @Test func `lint writes JSON for editors`() throws {
        let broken = folder.appending("broken.fs")
        try Data("/*{ \"INPUTS\": [ }*/\nvoid main() {}\n".utf8).write(to: broken)
        let result = try Tool.run("effect", "lint", broken.path, "--json")
        #expect(result.status == 4)
        let reports = try #require(
            try JSONSerialization.jsonObject(with: Data(result.standardOutput))
                as? [[String: Any]])
        let findings = try #require(reports.first?["diagnostics"] as? [[String: Any]])
        #expect(findings.first?["line"] as? Int == 1)
        #expect(findings.first?["severity"] as? String == "error")
    }

    @Test func `what new writes compiles, and is not overwritten`() throws {
        let made = try Tool.run("effect", "new", "glow", in: folder.appending(""))
        made.expectSuccess()
        try Tool.run("effect", "lint", folder.appending("glow.fs").path).expectSuccess()
        try Tool.run("effect", "new", "glow", in: folder.appending("")).expectError(
            1, saying: ["glow.fs"])
    }

    @Test func `a format can be forced`() throws {
        let file = folder.appending("toy.glsl")
        try Data(
            "void mainImage(out vec4 c, in vec2 p) { c = vec4(iTime); }".utf8
        ).write(to: file)
        let info = try Tool.run("effect", "info", file.path)
        #expect(text(info).contains("shadertoy"))
        #expect(try Tool.run("effect", "lint", file.path, "--format", "isf").status == 4)
    }
}
