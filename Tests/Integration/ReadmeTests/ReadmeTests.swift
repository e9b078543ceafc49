// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// The code and the links in the documents are valid.
@Suite struct ReadmeTests {
    private let root = Checkout.root

    private func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// Returns the Swift code blocks of a document.
    private func code(in document: String) -> [String] {
        document.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
    }

    @Test func `the programs of the README are programs that are built`() throws {
        let programs = try ["FirstFrame", "FirstWindow"].map { name in
            let program = try text("Demos/ReadmeSamples/\(name)/main.swift")
            return program.components(separatedBy: "\n\n").dropFirst().joined(separator: "\n\n")
        }
        #expect(code(in: try text("README.md")) == programs)
    }

    /// Returns a block as a test target can compile it: without imports and `@main`.
    private func compiled(_ block: String) -> String {
        let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("import ") && $0 != "@main" }
        return lines.drop { $0.isEmpty }.joined(separator: "\n")
    }

    @Test(arguments: [
        (["Documentation/Observing.md"], "ObservingPlayback.swift"),
        (["Documentation/Audio.md"], "TapsAndMixes.swift"),
        (["Documentation/Player.md"], "Trimming.swift"),
        (["Documentation/Embedding.md"], "EmbeddingInSwift.swift"),
        (["Documentation/Editing.md"], "MakingVideos.swift"),
        (["Documentation/Capture.md"], "UsingCameras.swift"),
        (
            ["GettingStarted", "Layers", "PullLoop", "Seeking"]
                .map { "Sources/Playhead/Playhead.docc/\($0).md" }, "ArticlesInSwift.swift"
        ),
        (["Documentation/Effects.md"], "EffectsInPrograms.swift"),
        (
            ["BandPass", "MovieLibrary", "OwnSound", "SpinningCube", "Timebases", "VideoWall"]
                .map { "Demos/\($0)/README.md" }, "CodeOfDemos.swift"
        ),
    ])
    func `the code of documents is code that compiles`(
        documents: [String], file: String
    ) throws {
        let source = try text("Tests/Integration/ReadmeTests/\(file)")
        let parts = source.components(separatedBy: "    // document begins\n").dropFirst()
        let blocks = parts.map { part in
            (part.components(separatedBy: "    // document ends").first ?? "")
                .split(separator: "\n", omittingEmptySubsequences: false)
                .map { $0.hasPrefix("    ") ? String($0.dropFirst(4)) : String($0) }
                .joined(separator: "\n")
        }
        #expect(try documents.flatMap { code(in: try text($0)) }.map(compiled) == blocks)
    }

    @Test(arguments: ["Unit", "Integration"])
    func `every folder of tests is in the package`(group: String) throws {
        let package = try text("Package.swift")
        let tests = root.appendingPathComponent("Tests/\(group)").path
        for folder in try FileManager.default.contentsOfDirectory(atPath: tests) {
            let module = folder.dropLast("Tests".count)
            let calls = [
                "test(\"\(module)\"", "test(\n        \"\(module)\"",
                "\"Tests/\(group)/\(folder)\"",
            ]
            #expect(calls.contains { package.contains($0) }, "\(folder) is not built")
        }
    }

    /// All documents for readers, by their paths in the checkout.
    static let documents =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        + ["Documentation", "Demos", "changes"].flatMap { folder in
            let root = Checkout.root.appendingPathComponent(folder).path
            return (FileManager.default.enumerator(atPath: root)?.allObjects ?? [])
                .compactMap { $0 as? String }.filter { $0.hasSuffix(".md") }.sorted()
                .map { "\(folder)/\($0)" }
        }

    @Test func `every thread is in the table of threads`() throws {
        let table = try text("ARCHITECTURE.md")
        let sources = root.appendingPathComponent("Sources").path
        var names: Set<String> = []
        for case let file as String in FileManager.default.enumerator(atPath: sources)?.allObjects
            ?? []
        where file.hasSuffix(".swift") {
            let source = try text("Sources/\(file)")
            names.formUnion(source.matches(of: /"(ph-[a-z]+)/).map { String($0.1) })
            for started in source.matches(of: /Worker(?:Thread|Group)\(\s*name: "([^"]+)"/) {
                #expect(started.1.hasPrefix("ph-"), "\(file)")
            }
        }
        #expect(names.count > 10)
        for name in names { #expect(table.contains("`\(name)`"), "\(name)") }
    }

    @Test(arguments: documents)
    func `links in the documents have a target`(document: String) throws {
        let folder = root.appendingPathComponent(document).deletingLastPathComponent()
        for match in try text(document).matches(of: /\]\(([^)#]+)[^)]*\)/) {
            let target = String(match.1)
            if target.contains("://") { continue }
            let path = folder.appendingPathComponent(target).path
            #expect(FileManager.default.fileExists(atPath: path), "\(document): \(target)")
        }
    }
}
