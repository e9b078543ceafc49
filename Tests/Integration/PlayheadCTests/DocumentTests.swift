// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

@Suite("Documentation/Embedding.md")
struct DocumentTests {
    @Test
    func `the code samples of the guide compile together`() throws {
        guard ProcessRunner.has("gcc") else { return }
        let path = Checkout.root.appending(path: "Documentation/Embedding.md").path
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var code = "#include <playhead.h>\n#include <stdio.h>\n"
        var isCode = false
        var count = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isCode = line == "```c"
                count += isCode ? 1 : 0
            } else if isCode {
                code += line + "\n"
            }
        }
        #expect(count >= 5)
        let source = Array(code.utf8)
        try ProcessRunner.check(
            [
                "gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only",
                "-x", "c", "-I\(HeaderTests.folder)", "-",
            ], input: { write in _ = source.withUnsafeBytes { write($0) } })
    }
}
