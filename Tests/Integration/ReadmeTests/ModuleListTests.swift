// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// The documentation is built for every module that the products export.
@Suite struct ModuleListTests {
    private static func names(in path: String, _ pattern: String) throws -> Set<String> {
        let text = try String(
            contentsOf: Checkout.root.appendingPathComponent(path), encoding: .utf8)
        let expression = try NSRegularExpression(pattern: pattern)
        return Set(
            expression.matches(in: text, range: NSRange(text.startIndex..., in: text))
                .compactMap { Range($0.range(at: 1), in: text).map { String(text[$0]) } })
    }

    @Test func `every exported module is listed for the documentation`() throws {
        let modules = try ["Playhead", "UI/PlayheadUI", "Editing", "Capture"].reduce(
            into: Set<String>()
        ) {
            $0.formUnion(
                try Self.names(
                    in: "Sources/\($1)/Exports.swift", #"public import (\w+)"#))
        }
        #expect(modules.count > 15)
        let listed = try Self.names(in: ".spi.yml", #"- (Playhead\w*)"#)
        #expect(
            listed
                == modules.union([
                    "PlayheadUI", "PlayheadAtlas", "PlayheadEditing", "PlayheadCapture",
                    "PlayheadScreens", "PlayheadMetadata", "PlayheadLV2",
                ]))
    }
}
