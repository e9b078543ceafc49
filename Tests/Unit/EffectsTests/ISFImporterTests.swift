// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import MediaTestSupport
import Testing

@testable import PlayheadEffects

@Suite("ISF import")
struct ISFImporterTests {
    private static let everything = """
        /*{
            "DESCRIPTION": "All of it", "CREDIT": "someone", "ISFVSN": "2",
            "CATEGORIES": ["Test"],
            "INPUTS": [
                { "NAME": "inputImage", "TYPE": "image" },
                { "NAME": "go", "TYPE": "event" },
                { "NAME": "on", "TYPE": "bool", "DEFAULT": 1 },
                { "NAME": "mode", "TYPE": "long", "VALUES": [0, 5], "LABELS": ["None", "Five"],
                  "DEFAULT": 5 },
                { "NAME": "amount", "TYPE": "float", "MIN": 0, "MAX": 2, "DEFAULT": 0.5 },
                { "NAME": "place", "TYPE": "point2D", "DEFAULT": [0.25, 0.75] },
                { "NAME": "tint", "TYPE": "color", "DEFAULT": [1, 0.5, 0, 1] },
                { "NAME": "wave", "TYPE": "audio" }, { "NAME": "spectrum", "TYPE": "audioFFT" }
            ],
            "PASSES": [
                { "TARGET": "small", "WIDTH": "floor($WIDTH / 2.0)", "HEIGHT": "$HEIGHT*$amount",
                  "PERSISTENT": true, "FLOAT": true },
                {}
            ],
            "IMPORTED": { "noise": { "PATH": "noise.png" } }
        }*/
        void main() { gl_FragColor = vec4(1.0); }
        """

    @Test func `every key and type of ISF is read`() throws {
        let effect = try ISFImporter.effect(text: Self.everything, path: "some/all.fs")
        #expect(effect.name == "all")
        #expect(effect.summary == "All of it")
        #expect(effect.kind == .filter)
        #expect(
            effect.inputs.map(\.kind) == [
                .image, .event, .bool, .long, .float, .point2D, .color, .audio, .audioFFT,
            ])
        #expect(effect.input(named: "on")?.defaultValue == .bool(true))
        #expect(effect.input(named: "mode")?.defaultValue == .long(5))
        #expect(effect.input(named: "mode")?.choices.map(\.label) == ["None", "Five"])
        #expect(effect.input(named: "amount")?.maximum == .float(2))
        #expect(effect.input(named: "place")?.defaultValue == .point2D([0.25, 0.75]))
        #expect(effect.input(named: "tint")?.defaultValue == .color([1, 0.5, 0, 1]))
        #expect(effect.passes.count == 2)
        #expect(effect.passes[0].isPersistent && effect.passes[0].precision == .float)
        #expect(effect.importedImages.map(\.path) == ["noise.png"])
        #expect(effect.shaders[0][0].firstLine == 21)
    }

    @Test func `persistent buffers of version 1 are read`() throws {
        let effect = try ISFImporter.effect(
            text: """
                /*{ "PERSISTENT_BUFFERS": ["last"], "PASSES": [{ "TARGET": "last" }] }*/
                void main() {}
                """, path: "old.fs")
        #expect(effect.passes[0].isPersistent)
        #expect(effect.kind == .generator)
    }

    @Test
    func `a persistent buffer of version 1 that two passes draw is persistent in both`() throws {
        let effect = try ISFImporter.effect(
            text: """
                /*{ "PERSISTENT_BUFFERS": { "last": { "FLOAT": true } },
                    "PASSES": [{ "TARGET": "last" }, { "TARGET": "last" }, {}] }*/
                void main() {}
                """, path: "old.fs")
        #expect(effect.passes.map(\.isPersistent) == [true, true, false])
        #expect(effect.passes.map(\.precision) == [.float, .float, .eightBit])
    }

    @Test(
        arguments: [
            ("", 0.5), ("\"MIN\": 0.5, \"MAX\": 1", 0.75), ("\"MAX\": 4", 0.5),
            ("\"DEFAULT\": 5, \"MIN\": 0, \"MAX\": 1", 1), ("\"DEFAULT\": 5", 5),
            ("\"DEFAULT\": 0, \"MIN\": 0.25, \"MAX\": 1", 0.25),
            ("\"DEFAULT\": 0.5, \"MIN\": 3, \"MAX\": 1", 0.5),
        ] as [(String, Float)])
    func `a float without a default has that of VVISF`(keys: String, expected: Float) throws {
        let rest = keys.isEmpty ? "" : ", " + keys
        let effect = try ISFImporter.effect(
            text: "/*{ \"INPUTS\": [{ \"NAME\": \"a\", \"TYPE\": \"float\"\(rest) }] }*/",
            path: "a.fs")
        #expect(effect.inputs.map(\.defaultValue) == [.float(expected)])
    }

    @Test(
        arguments: [
            ("float", "\"DEFAULT\": \"0.25\"", .float(0.25)),
            ("float", "\"DEFAULT\": true", .float(1)),
            ("float", "\"DEFAULT\": null, \"MIN\": \"2\", \"MAX\": 4", .float(3)),
            ("bool", "\"DEFAULT\": 0", .bool(false)), ("bool", "\"DEFAULT\": 1.0", .bool(true)),
            ("bool", "\"DEFAULT\": \"True\"", .bool(true)),
            ("bool", "\"DEFAULT\": \"no\"", .bool(false)),
            ("bool", "\"LABEL\": \"\"", .bool(true)),
            ("long", "\"DEFAULT\": \"5\", \"VALUES\": [\"0\", \"5\"]", .long(5)),
            ("long", "\"VALUES\": [\"3\", \"5\"]", .long(3)),
            ("long", "\"DEFAULT\": true", .long(1)),
            (
                "long",
                "\"DEFAULT\": \"Five\", \"VALUES\": [0, 5], \"LABELS\": [\"None\", \"Five\"]",
                .long(5)
            ),
            ("color", "\"DEFAULT\": \"#ff0000\"", .color([1, 0, 0, 1])),
            ("point2D", "\"DEFAULT\": \"0.5, 1\"", .point2D([0.5, 1])),
            ("point2D", "\"DEFAULT\": 0.5, \"MIN\": 0, \"MAX\": 1", .point2D([0.5, 0.5])),
            ("color", "\"DEFAULT\": 1", .color([1, 1, 1, 1])),
        ] as [(String, String, EffectValue)])
    func `values of other types are accepted if they have only one meaning`(
        type: String, keys: String, expected: EffectValue
    ) throws {
        let effect = try ISFImporter.effect(
            text: "/*{ \"INPUTS\": [{ \"NAME\": \"a\", \"TYPE\": \"\(type)\", \(keys) }] }*/",
            path: "a.fs")
        #expect(effect.inputs.map(\.defaultValue) == [expected])
    }

    @Test(arguments: [
        ("float", "\"DEFAULT\": \"wide\""), ("float", "\"MAX\": [1]"),
        ("bool", "\"DEFAULT\": \"perhaps\""), ("bool", "\"DEFAULT\": []"),
        ("long", "\"DEFAULT\": \"Six\", \"VALUES\": [6], \"LABELS\": [\"6\"]"),
        ("long", "\"VALUES\": [\"red\", \"blue\"]"), ("long", "\"VALUES\": [\"nan\"]"),
        ("long", "\"VALUES\": [1], \"LABELS\": [true]"), ("long", "\"IDENTITY\": {}"),
        ("point2D", "\"DEFAULT\": [1]"),
        ("color", "\"DEFAULT\": [1, \"0\", 0, 1]"), ("color", "\"DEFAULT\": \"red\""),
    ])
    func `other values are refused at the input's line`(type: String, keys: String) {
        #expect {
            try ISFImporter.effect(
                text: "/*{ \"INPUTS\": [\n{ \"NAME\": \"a\", \"TYPE\": \"\(type)\", \(keys) }] }*/",
                path: "a.fs")
        } throws: { error in
            guard case .malformedHeader("a.fs", 2, _, let reason) = error as? EffectError else {
                return false
            }
            return reason.contains("input 'a' must be")
        }
    }

    @Test func `flags of passes are read in the notation of any host`() throws {
        let effect = try ISFImporter.effect(
            text: """
                /*{ "PASSES": [{ "TARGET": "a", "PERSISTENT": "true", "FLOAT": "no" },
                               { "TARGET": "b", "persistent": 1, "FLOAT": "YES" }, {}] }*/
                """, path: "a.fs")
        #expect(effect.passes.map(\.isPersistent) == [true, true, false])
        #expect(effect.passes.map(\.precision) == [.eightBit, .float, .eightBit])
    }

    @Test func `a licence may precede the header`() throws {
        let text = "/* Copyright */\n// Someone's\n" + Self.everything
        #expect(FormatDetector.format(of: text) == .isf)
        let effect = try ISFImporter.effect(text: text, path: "all.fs")
        #expect(effect.summary == "All of it")
        #expect(effect.shaders[0][0].firstLine == 23)
    }

    @Test(arguments: [
        "/* Copyright {c} 2020, {someone}. */\n", "/* {{{ licence */\n",
        "// It is said /* in {braces}\n", "/* {c} */ // and */ more {\n",
        "/* none */ /* {\"a\": } */\n", "/* `[]` or `{}` */\n",
    ])
    func `a licence with braces is not taken for the header`(licence: String) throws {
        let text = licence + Self.everything
        #expect(FormatDetector.format(of: text) == .isf)
        let effect = try ISFImporter.effect(text: text, path: "all.fs")
        #expect(effect.summary == "All of it")
        #expect(effect.shaders[0][0].firstLine == 22)
    }

    @Test func `a malformed header is reported, although a later comment contains an object`() {
        #expect {
            try ISFImporter.effect(
                text: "/*{ \"INPUTS\": [ }*/\nvoid main() {} /* {} */", path: "a.fs")
        } throws: { error in
            guard case .malformedHeader("a.fs", 1, 17, _) = error as? EffectError else {
                return false
            }
            return true
        }
    }

    @Test func `imported images may be an array, like inputs`() throws {
        let effect = try ISFImporter.effect(
            text: "/*{ \"IMPORTED\": [{ \"NAME\": \"noise\", \"PATH\": \"noise.png\" }] }*/",
            path: "array.fs")
        #expect(effect.importedImages.map(\.name) == ["noise"])
        #expect(effect.importedImages.map(\.path) == ["noise.png"])
    }

    @Test func `an excessive loop in the vertex shader is reported in its own file`() {
        #expect {
            try ISFImporter.effect(
                text: "/*{}*/\nvoid main() {}", path: "some/a.fs",
                vertexText: "\nvoid main() { for (int i = 0; i < 1000000; i++); }")
        } throws: { error in
            guard case .beyondLimit("some/a.vs", 2, _) = error as? EffectError else { return false }
            return true
        }
    }

    @Test(arguments: [
        ("void main() {}", 1), ("/* nothing */ void main() {}", 1),
        ("\n\n/*{\n  \"INPUTS\": [ { \"NAME\": ]\n}*/\nvoid main() {}", 4),
        ("/*{ \"INPUTS\": [{ \"NAME\": \"a b\", \"TYPE\": \"float\" }] }*/", 1),
        ("/*{ \"INPUTS\": [{ \"NAME\": \"a\", \"TYPE\": \"double\" }] }*/", 1),
        ("/*{ \"PASSES\": [{ \"TARGET\": \"t\", \"WIDTH\": \"$WIDTH *\" }] }*/", 1),
        ("/*{ \"PASSES\": [{ \"TARGET\": \"t\", \"WIDTH\": \"$nothing\" }] }*/", 1),
        ("/*{ \"PASSES\": [{ \"TARGET\": \"t\", \"WHEN\": \"$nothing\" }] }*/", 1),
        ("/*{ \"PASSES\": [\n{ \"WHEN\": \"1\" }] }*/", 2),
        (
            "/*{ \"INPUTS\": [\n{ \"NAME\": \"a\", \"TYPE\": \"bool\" },\n"
                + "{ \"NAME\": \"a\", \"TYPE\": \"bool\" }] }*/", 3
        ),
        ("/*{ \"INPUTS\": [\n{ \"NAME\": \"TIME\", \"TYPE\": \"float\" }] }*/", 2),
        ("/*{ \"INPUTS\": [\n{ \"NAME\": \"filter\", \"TYPE\": \"image\" }] }*/", 2),
        (
            "/*{ \"INPUTS\": [{ \"NAME\": \"a\", \"TYPE\": \"float\" },\n"
                + "{ \"TYPE\": \"float\", \"NAME\" : \"float\" }] }*/", 2
        ),
        ("/*{ \"PASSES\": [\n{ \"TARGET\": \"common\" }] }*/", 2),
        ("/*{ \"IMPORTED\": {\n\"input\": { \"PATH\": \"a.png\" } } }*/", 2),
        ("/*{ \"IMPORTED\": {\n\"a; x\": { \"PATH\": \"a.png\" } } }*/", 2),
        ("/*{ \"IMPORTED\": {\n\"a\": { \"FILE\": \"a.png\" } } }*/", 2),
        ("/*{ \"IMPORTED\": {\n\"a\": { \"TYPE\": \"cube\", \"PATH\": [\"a.png\"] } } }*/", 2),
        ("/*{ \"IMPORTED\": [\n{ \"NAME\": \"a\" }] }*/", 2),
        ("/*{ \"IMPORTED\": [{ \"PATH\": \"a.png\" }] }*/", 1),
        ("/*{\n\"INPUTS\": { \"a\": { \"TYPE\": \"float\" } } }*/", 2),
        ("/*{\n\"PASSES\": { \"a\": 1 } }*/", 2), ("/*{\n\"PASSES\": [\"a\"] }*/", 2),
        ("/*{ \"PASSES\": [{\n\"TARGET\": 1 }] }*/", 2),
        ("/*{\n\"PASSES\": [{ \"TARGET\": \"a\", \"WIDTH\": [1] }] }*/", 2),
        ("/*{ \"PASSES\": [{ \"TARGET\": \"a\",\n\"PERSISTENT\": \"often\" }] }*/", 2),
        ("/*{ \"PLAYHEAD\": {\n\"ALPHA\": \"premultipled\" } }*/", 2),
        ("/*{ \"PLAYHEAD\": {\n\"RANGE\": \"all\" } }*/", 2),
        (
            "/*{ \"INPUTS\": [{ \"NAME\": \"a\", \"TYPE\": \"float\" }],\n"
                + "\"PASSES\": [{ \"TARGET\": \"b\" },\n{ \"TARGET\": \"a\" }] }*/", 3
        ),
        (
            "/*{ \"INPUTS\": [\n{ \"NAME\": \"a\", \"TYPE\": \"image\" }],"
                + "\"IMPORTED\": { \"a\": { \"PATH\": \"a.png\" } } }*/", 2
        ),
    ])
    func `a malformed header is reported with file and line`(text: String, line: Int) {
        #expect {
            try ISFImporter.effect(text: text, path: "bad.fs")
        } throws: { error in
            guard case .malformedHeader("bad.fs", let found, _, _) = error as? EffectError
            else { return false }
            return found == line
        }
    }

    @Test(arguments: [
        "[{ \"NAME\": \"a\", \"TYPE\": \"bool\" }, ]",
        "[{ \"NAME\": \"a\", \"TYPE\": \"bool\", }]",
    ])
    func `a trailing comma is a warning with its line`(inputs: String) throws {
        let effect = try ISFImporter.effect(
            text: "/*{\n\"INPUTS\": \(inputs) }*/\nvoid main() { gl_FragColor = vec4(1.0); }",
            path: "bad.fs")
        let warning = try #require(effect.warnings.first)
        #expect(effect.warnings.count == 1)
        #expect(warning.isWarning && warning.line == 2)
        #expect(warning.message.contains("trailing ','"))
        #expect(effect.inputs.map(\.name) == ["a"])
    }

    @Test(arguments: [
        ("a.fs", "a.vs"), ("a.fs", "a.vert"), ("a.frag", "a.vert"), ("a.isf", "a.vs"),
    ])
    func `the vertex shader beside a file is found with any extension`(file: String, vertex: String)
        throws
    {
        let folder = TemporaryFolder()
        let path = try folder.write("/*{}*/\nvoid main() {}", to: file)
        let vertexPath = try folder.write("void main() { isf_vertShaderInit(); }", to: vertex)
        let effect = try EffectLibrary.effect(path: path)
        #expect(effect.vertex.map(\.path) == [vertexPath])
        #expect(EffectFiles(effect).paths.isSuperset(of: [path, vertexPath]))
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `every name that compiles is accepted`() throws {
        try GraphicsTest.withContext { context in
            let renderer = try EffectBench(context).renderer
            for name in ShaderWords.reserved.union(ReservedNames.declared).sorted() {
                let effect = Effect(
                    name: "named", path: "named.fs", format: .isf,
                    inputs: [EffectInput(name: name, kind: .float)],
                    shaders: [
                        [
                            ShaderSource(
                                text: "void main() { gl_FragColor = vec4(1.0); }",
                                path: "named.fs", firstLine: 1)
                        ]
                    ])
                #expect(renderer.compile(EffectInstance(effect)) != nil, "\(name)")
            }
        }
    }

    @Test func `excessive files are refused before a driver reads them`() {
        let passes = [String](repeating: "{}", count: 65).joined(separator: ", ")
        let texts = [
            "/*{ \"PASSES\": [\(passes)] }*/ void main() {}",
            "/*{}*/\nvoid main() { float a[1000000]; }",
            "/*{ \"IMPORTED\": {"
                + (0..<20_000).map { "\"a\($0)\": { \"PATH\": \"\($0)\" }" }.joined(separator: ",")
                + "} }*/ void main() {}",
            "/*{}*/ void main() {}" + String(repeating: " ", count: 600_000),
            "/*{" + String(repeating: " ", count: 600_000) + "}*/ void main() {}",
        ]
        for text in texts {
            #expect {
                try ISFImporter.effect(text: text, path: "large.fs")
            } throws: { error in
                if case .beyondLimit("large.fs", _, _) = error as? EffectError {
                    true
                } else {
                    false
                }
            }
        }
        #expect(throws: Never.self) {
            try ISFImporter.effect(text: "/*{}*/ float a[64]; void main() {}", path: "small.fs")
        }
    }

    @Test(arguments: [
        ("$WIDTH", 640.0), ("floor($WIDTH/3.0)", 213), ("max($WIDTH, $HEIGHT) * 2", 1280),
        ("($WIDTH + 8) / -4 + 200", 38), ("min(10, 20 % 7)", 6), ("2 * 3 + 4", 10),
        ("2 + 3 * 4", 14), (" 1.5 ", 1.5), ("-(-3)", 3), ("pow(2, 10)", 1024),
        ("$WIDTH > 300 ? 50 : 20", 50), ("if($WIDTH <= 300, 50, 20)", 20),
        ("1 > 2 ? 3 : 4 == 4 ? 5 : 6", 5), ("(2 != 2) + (2 >= 2) + (1 < 2) + (1 = 1)", 3),
        ("2 ^ 3 ^ 0 * 5", 10), ("-2 ^ 2", -4), ("pow(2, floor(log2($WIDTH)))", 512),
        ("log10(1000) + trunc(-2.5)", 1), ("max(1, 7, 3) - min(4, 2, 3, 5)", 5),
    ])
    func `size expressions are evaluated`(text: String, expected: Double) throws {
        let expression = try SizeExpression(text) { _ in true }
        #expect(expression.value { $0 == "WIDTH" ? 640 : 360 } == expected)
    }

    @Test(arguments: ["0", "-5", "0/0", "1/0"])
    func `a size that is not positive gives an image of one pixel`(text: String) throws {
        let expression = try SizeExpression(text) { _ in true }
        #expect((1...65_536).contains(expression.pixels { _ in 0 }))
    }

    @Test(arguments: [
        "1.2.3", ".", "½", "1 + ", "1 ? 2", "1 ! 2", "if(1, 2)", "min(1)", "pow(1, 2, 3)",
        "1 = = 1",
        String(repeating: "1?2:", count: 1000) + "1",
        String(repeating: "2^", count: 1000) + "1",
        String(repeating: "(", count: 100_000) + "1",
        "1" + String(repeating: "+1", count: 50_000),
    ])
    func `an invalid expression is refused, however long it is`(text: String) {
        let error = #expect(throws: SizeExpression.ParseError.self) {
            try SizeExpression(text) { _ in true }
        }
        #expect((1..<300).contains(error?.description.count ?? 0))
    }

    @Test(arguments: [
        ("0:12(5): error: `x' undeclared\n", 12, 5 as Int?, "`x' undeclared"),
        (
            "0(12) : error C1503: undefined variable \"x\"\n", 12, nil,
            "C1503: undefined variable \"x\""
        ),
        ("ERROR: 0:12: 'x' : undeclared identifier\n", 12, nil, "'x' : undeclared identifier"),
    ])
    func `the logs of three driver families are parsed`(
        log: String, line: Int, column: Int?, message: String
    ) {
        let diagnostics = ShaderDiagnostic.parse(log: log, paths: ["a.fs"])
        #expect(diagnostics.count == 1)
        #expect(diagnostics[0].path == "a.fs")
        #expect(diagnostics[0].line == line)
        #expect(diagnostics[0].column == column)
        #expect(diagnostics[0].message == message)
    }

    @Test func `inputs are set by type or by text, and other values are refused`() throws {
        let instance = EffectInstance(
            try ISFImporter.effect(text: Self.everything, path: "all.fs"))
        try instance.set(.float(1.5), for: "amount")
        #expect(instance.value(for: "amount") == .float(1.5))
        try instance.set(parsing: "#ff8000", for: "tint")
        #expect(instance.value(for: "tint") == .color([1, 128.0 / 255, 0, 1]))
        try instance.set(parsing: "five", for: "mode")
        #expect(instance.value(for: "mode") == .long(5))
        try instance.set(parsing: "0.5, 1", for: "place")
        #expect(instance.value(for: "place") == .point2D([0.5, 1]))
        for (name, value, text) in [
            ("amount", EffectValue.long(1), "takes a number (in Swift, .float)"),
            ("mode", .float(1), "takes a number or a label of its menu (in Swift, .long)"),
            ("tint", .bool(true), "separated by commas (in Swift, .color)"),
            ("place", .float(0), "separated by a comma (in Swift, .point2D)"),
        ] {
            let error = #expect(throws: EffectError.self) { try instance.set(value, for: name) }
            #expect(error?.description.hasSuffix(text) == true, "\(String(describing: error))")
        }
        #expect(throws: EffectError.self) { try instance.set(.bool(true), for: "amount") }
        #expect(throws: EffectError.self) { try instance.set(parsing: "wide", for: "amount") }
        #expect(throws: EffectError.self) { try instance.set(.float(1), for: "nothing") }
    }

    @Test func `the error for an unknown effect names the existing ones`() {
        #expect {
            try EffectLibrary.effect(named: "chroma_kye")
        } throws: { error in
            "\(error)".contains("chroma_key") && "\(error)".contains("chroma_kye")
        }
    }
}
