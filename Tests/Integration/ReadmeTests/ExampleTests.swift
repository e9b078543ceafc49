// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// The examples in doc comments, which the documentation shows with the declarations.
@Suite struct ExampleTests {
    /// Names from Swift and from the examples themselves.
    private static let others: Set = [
        "Halves", "Inverter", "MainActor", "Negative", "Task", "assumeIsolated", "description",
        "enumerated", "indices", "pi", "show", "withUnsafeMutableBufferPointer",
    ]
    private static let folders = [
        "Atlas", "Audio", "Capture", "Core", "Editing", "Graphics", "Media", "Playback",
        "Playhead", "UI",
    ]

    private func text(_ path: String) throws -> String {
        try String(
            contentsOf: Checkout.root.appending(path: "Sources/\(path)"), encoding: .utf8)
    }

    /// Returns the code in the doc comments of public declarations, and of cases.
    private func examples(in source: String) -> [String] {
        var (code, found): ([String], [String]) = ([], [])
        var (isFenced, isAfterBlank) = (false, true)
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("///") {
                let words = line.dropFirst(3)
                if words.hasPrefix(" ```") {
                    isFenced.toggle()
                } else if isFenced || (isAfterBlank && words.hasPrefix("     ")) {
                    code.append(String(words))
                } else {
                    isAfterBlank = words.allSatisfy { $0 == " " }
                }
            } else if !line.hasPrefix("@") {
                if ["public ", "open ", "case "].contains(where: line.hasPrefix) { found += code }
                (code, isFenced, isAfterBlank) = ([], false, true)
            }
        }
        return found
    }

    /// Returns the types and members that code names, without those in strings and comments.
    private func names(in code: String) -> Set<String> {
        let bare = code.replacing(/"[^"]*"/, with: "").replacing(/\/\/.*/, with: "")
        return Set(bare.matches(of: /\.([a-z]\w*)|\b([A-Z]\w+)/).map { String($0.1 ?? $0.2 ?? "") })
    }

    @Test func `examples of public declarations name only the public API`() throws {
        let promised = try ["Playhead", "UI/PlayheadUI", "Atlas", "Editing", "Capture"].map {
            try text("\($0)/API.txt")
        }
        let known = Set(
            promised.flatMap { $0.matches(of: /[A-Za-z_]\w*/).map { String($0.0) } })
        var count = 0
        for folder in Self.folders {
            let path = Checkout.root.appending(path: "Sources/\(folder)").path
            let files = FileManager.default.enumerator(atPath: path)?.allObjects ?? []
            for case let file as String in files where file.hasSuffix(".swift") {
                let code = examples(in: try text("\(folder)/\(file)"))
                count += code.count
                let unknown = code.map(names).reduce(into: Set()) { $0.formUnion($1) }
                    .subtracting(known).subtracting(Self.others)
                #expect(unknown.isEmpty, "\(folder)/\(file)")
            }
        }
        #expect(count > 100)
    }
}
