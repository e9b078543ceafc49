// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// What documents the API has every module that `import Playhead` brings.
@Suite struct ModuleListTests {
    private static func names(in path: String, _ pattern: String) throws -> Set<String> {
        let text = try String(
            contentsOf: Checkout.root.appendingPathComponent(path), encoding: .utf8)
        let expression = try NSRegularExpression(pattern: pattern)
        return Set(
            expression.matches(in: text, range: NSRange(text.startIndex..., in: text))
                .compactMap { Range($0.range(at: 1), in: text).map { String(text[$0]) } })
    }

    @Test(arguments: [
        (".spi.yml", #"- (Playhead\w+)"#),
        ("Sources/Playhead/Playhead.docc/Playhead.md", "`(Playhead\\w+)`"),
    ])
    func `every module is listed`(_ list: (path: String, pattern: String)) throws {
        let modules = try Self.names(
            in: "Sources/Playhead/Exports.swift", #"public import (\w+)"#)
        #expect(modules.count > 20)
        #expect(try Self.names(in: list.path, list.pattern) == modules)
    }
}
