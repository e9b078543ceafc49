// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import FoundationEssentials
import MediaTestSupport
import PlayheadC
import Testing

@Suite("playhead.h")
struct HeaderTests {
    static let folder = Checkout.root.appending(path: "Sources/Embedding/CPlayhead/include").path
    static var header: String {
        get throws { try String(contentsOfFile: folder + "/playhead.h", encoding: .utf8) }
    }

    static let compilers: [(command: String, standard: String, language: String)] = [
        ("gcc", "c99", "c"), ("clang", "c99", "c"), ("gcc", "c17", "c"),
        ("g++", "c++11", "c++"), ("clang++", "c++11", "c++"), ("g++", "c++20", "c++"),
    ]

    @Test("compiles by itself, without a warning", arguments: compilers)
    func compiles(_ compiler: (command: String, standard: String, language: String)) throws {
        guard ProcessRunner.has(compiler.command) else { return }
        let text = "#include <playhead.h>\n#include <playhead.h>\n"
        try ProcessRunner.check(
            [
                compiler.command, "-std=\(compiler.standard)", "-Wall", "-Wextra", "-pedantic",
                "-Werror", "-fsyntax-only", "-x", compiler.language, "-I\(Self.folder)", "-",
            ], input: { write in _ = Array(text.utf8).withUnsafeBytes { write($0) } })
    }

    @Test("says of every function where it may be called")
    func saysWhere() throws {
        var comment = ""
        var functions: [String] = []
        for line in try Self.header.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("/*") { comment = "" }
            comment += line + "\n"
            guard let name = Self.function(declaredIn: line) else { continue }
            functions.append(name)
            let hasRule = ["[any]", "[gl]", "[sound]"].contains { comment.contains($0) }
            // The one function that makes the thread the one that others have to be called on.
            #expect(hasRule || name == "playhead_gl_init", "\(name)")
            comment = ""
        }
        #expect(functions.count >= 50)
        #expect(Set(functions).count == functions.count)
    }

    /// The function that a line begins to declare; nil where it does not.
    static func function(declaredIn line: Substring) -> String? {
        for type in ["playhead_status ", "uint32_t ", "const char *"] where line.hasPrefix(type) {
            let rest = line.dropFirst(type.count)
            guard rest.hasPrefix("playhead_"), let end = rest.firstIndex(of: "(") else { continue }
            return String(rest[..<end])
        }
        return nil
    }

    @Test("names each status once, and the library knows its name")
    func namesStatuses() throws {
        var seen: [Int: String] = [:]
        for line in try Self.header.split(separator: "\n") {
            let words = line.split(whereSeparator: { " ,=".contains($0) })
            guard line.hasPrefix("    PLAYHEAD_"), words.count == 2, let code = Int(words[1]),
                code < 0 || words[0] == "PLAYHEAD_OK" || words[0] == "PLAYHEAD_EMPTY"
            else { continue }
            #expect(seen.updateValue(String(words[0]), forKey: code) == nil)
            let name = playhead_status_name(playhead_status(code)).map { String(cString: $0) }
            #expect(name == String(words[0]))
        }
        #expect(seen.count > 25)
        #expect(playhead_status_name(-9999).map { String(cString: $0) } == "unknown")
        #expect(playhead_abi_version() == UInt32(PLAYHEAD_ABI_VERSION))
    }
}
