// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// Everything that `Documentation/Evidence.md` lists to run exists.
@Suite struct EvidenceTests {
    private let root = Checkout.root

    private func commands(_ pattern: String) throws -> [String] {
        let url = root.appendingPathComponent("Documentation/Evidence.md")
        let text = try String(contentsOf: url, encoding: .utf8)
        let expression = try NSRegularExpression(pattern: pattern)
        return expression.matches(in: text, range: NSRange(text.startIndex..., in: text))
            .compactMap { Range($0.range(at: 1), in: text).map { String(text[$0]) } }
    }

    /// The names of tests as filters match them: `TARGET.SUITE/FUNCTION`.
    private func testNames() throws -> Set<String> {
        let suite = try NSRegularExpression(pattern: #"(?:struct|class|enum|extension) (\w+)"#)
        let function = try NSRegularExpression(pattern: #"func (`[^`]+`|\w+)"#)
        var names: Set<String> = []
        let tests = root.appendingPathComponent("Tests")
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            // Tests/Unit/TimeTests/MediaTimeTests.swift
            let parts = file.pathComponents.dropFirst(tests.pathComponents.count)
            guard parts.count > 2, let target = parts.dropFirst().first else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            guard text.contains("@Test") else { continue }
            func first(_ expression: NSRegularExpression) -> [String] {
                expression.matches(in: text, range: NSRange(text.startIndex..., in: text))
                    .compactMap { Range($0.range(at: 1), in: text).map { String(text[$0]) } }
            }
            for suite in first(suite) {
                for function in first(function) {
                    for prefix in ["Playhead", ""] {
                        names.insert("\(prefix)\(target).\(suite)/\(function)")
                    }
                }
            }
        }
        return names
    }

    @Test func `every filter finds a test`() throws {
        let names = try testNames()
        let filters = try commands(#"\./test --filter '?([^'`]+)'?`"#)
        #expect(filters.count > 30)
        for part in filters.flatMap({ $0.components(separatedBy: "\\|") }) {
            #expect(names.contains { $0.contains(part) }, "no test is called \(part)")
        }
    }

    @Test func `every script is there and can be run`() throws {
        let scripts = try Set(commands(#"`(Scripts/[\w/-]+)"#)).subtracting(["Scripts/prove/NAME"])
        #expect(scripts.count > 40)
        for script in scripts {
            let path = root.appendingPathComponent(script).path
            #expect(FileManager.default.isExecutableFile(atPath: path), "\(script)")
        }
    }
}
