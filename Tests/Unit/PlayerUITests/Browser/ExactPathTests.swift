// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import PlayheadPlayerUI

/// Paths as bytes.
@Suite("Exact path")
struct ExactPathTests {
    @Test func `the folder above a path is that without its last part`() {
        func parent(_ path: String) -> String? { ExactPath(path).parent?.text }
        #expect(parent("/a/b") == "/a")
        #expect(parent("/a/b//") == "/a")
        #expect(parent("/a") == "/")
        #expect(parent("/") == nil)
        #expect(parent("") == nil)
        // A name may begin with a combining accent.
        #expect(parent("/a/\u{301}b") == "/a")
    }

    @Test func `an absolute path has no dots, and begins with the working folder`() {
        func absolute(_ path: String) -> String { ExactPath(path).absolute.text }
        #expect(absolute("/a/./b/../c//d/") == "/a/c/d")
        #expect(absolute("/../..") == "/")
        #expect(absolute("/\u{301}b") == "/\u{301}b")
        let folder = FileManager.default.currentDirectoryPath
        #expect(absolute("./z.mp4") == absolute(folder) + "/z.mp4")
        #expect(absolute("../z.mp4") == absolute(folder + "/../z.mp4"))
    }

    @Test func `paths are equal if their bytes are`() {
        #expect(ExactPath("e\u{301}") != ExactPath("\u{E9}"))
        #expect(ExactPath("\u{E9}") == ExactPath("\u{E9}"))
        #expect(Set(["e\u{301}", "\u{E9}", "\u{E9}"].map(ExactPath.init)).count == 2)
    }
}
