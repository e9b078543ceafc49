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

    @Test func `built-in effects are listed as text and as JSON`() throws {
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
    func `lint reports file, line and column, prints the line, and exits with status 4`(
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

    @Test func `an input without video is reported with the remedy`() throws {
        let (effect, picture) = (folder.appending("mask.fs"), folder.appending("mask.png").path)
        try Data(
            """
            /*{ "INPUTS": [ { "NAME": "inputImage", "TYPE": "image" },
                { "NAME": "maskImage", "TYPE": "image" } ] }*/
            void main() { gl_FragColor = IMG_THIS_PIXEL(inputImage) * IMG_THIS_PIXEL(maskImage); }
            """.utf8
        ).write(to: effect)
        func remarks(_ options: String...) throws -> String {
            try ProcessRunner.run(
                [Tool.path, "effect", "preset", "--effect", effect.path] + options,
                deadline: patience
            ).standardError
        }
        #expect(try remarks().contains("'maskImage'"))
        #expect(try remarks().contains("--set maskImage=FILE"))
        try Tool.run("snapshot", try Films.silent(seconds: 1), "-o", picture).expectSuccess()
        #expect(try remarks("--set", "maskImage=" + picture).isEmpty)
        // A transition from the video to nothing.
        let wipe = folder.appending("wipe.glsl").path
        try Data(
            "vec4 transition(vec2 p) { return mix(getFromColor(p), getToColor(p), progress); }".utf8
        ).write(to: URL(fileURLWithPath: wipe))
        #expect(try remarks("--effect", wipe).contains("'endImage'"))
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

    @Test func `lint continues after a missing file`() throws {
        let (good, broken) = (folder.appending("good.fs"), folder.appending("broken.fs"))
        try Data("/*{}*/\nvoid main() { gl_FragColor = vec4(1.0); }\n".utf8).write(to: good)
        try Data("/*{}*/\nvoid main() { nonsense; }\n".utf8).write(to: broken)
        let missing = folder.appending("missing.fs").path
        let result = try Tool.run("effect", "lint", missing, "sparkle", good.path)
        #expect(result.status == 2)
        #expect(text(result).contains("\(missing): error: "))
        #expect(text(result).contains("sparkle: error: "))
        #expect(text(result).contains("\(good.path): compiles"))
        let all = try Tool.run("effect", "lint", missing, broken.path, good.path, "--json")
        #expect(all.status == 4)
        let reports = try #require(
            try JSONSerialization.jsonObject(with: Data(all.standardOutput)) as? [[String: Any]])
        let counts = reports.map { ($0["diagnostics"] as? [Any])?.count }
        #expect(counts == [1, 1, 0])
        #expect(try Tool.run("effect", "lint", "sparkle").status == 1)
    }

    @Test func `numbers beyond the range of shaders are clamped`() throws {
        let file = folder.appending("huge.fs")
        try Data(
            """
            /*{ "ISFVSN": "2", "INPUTS": [ { "NAME": "x", "TYPE": "float", "DEFAULT": 1e39 } ] }*/
            void main() { gl_FragColor = vec4(x); }
            """.utf8
        ).write(to: file)
        let info = try Tool.run("effect", "info", file.path, "--json")
        info.expectSuccess()
        #expect(text(info).contains("\"defaultValue\" : 3.402823"))
    }

    @Test func `a preset that cannot be written is reported`() throws {
        try ProcessRunner.run(
            [
                "sh", "-c", "exec \"$0\" effect preset --effect exposure > /dev/full", Tool.path,
            ], environment: Tool.bare
        ).expectError(2, saying: ["standard output", "space"])
    }

    @Test func `effect new writes a file that compiles and is not overwritten`() throws {
        try Tool.run("effect", "new", "", in: folder.appending("")).expectError(
            1, saying: ["file name is empty"])
        let made = try Tool.run("effect", "new", "glow", in: folder.appending(""))
        made.expectSuccess()
        try Tool.run("effect", "lint", folder.appending("glow.fs").path).expectSuccess()
        try Tool.run("effect", "new", "glow", in: folder.appending("")).expectError(
            1, saying: ["glow.fs"])
        try Tool.run("effect", "new", "there/glow", in: folder.appending("")).expectError(
            2, saying: ["there/glow.fs", "no directory", "choose a writable path"])
        for (name, file) in [
            ("x.glsl", "x.glsl"), ("y.frag", "y.frag"), ("z.FS", "z.FS"), ("v1.2", "v1.2.fs"),
        ] {
            let made = try Tool.run("effect", "new", name, in: folder.appending(""))
            #expect(made.text.hasPrefix("\(file): try"))
            try Tool.run("effect", "lint", folder.appending(file).path).expectSuccess()
        }
        try Tool.run("effect", "new", "look.cube", in: folder.appending("")).expectError(
            1, saying: ["look.cube", "use look.fs"])
        try Tool.run("effect", "new", "a/.fs", in: folder.appending("")).expectError(
            1, saying: ["file name is empty"])
        let spaced = try Tool.run("effect", "new", "two words", in: folder.appending(""))
        #expect(spaced.text.contains("--effect 'two words.fs'"))
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
