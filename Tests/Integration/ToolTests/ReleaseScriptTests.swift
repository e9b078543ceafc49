// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

/// The script `Scripts/release`, on a copy of the files that state the version.
@Suite(.enabled(if: ProcessRunner.has("python3"), "needs python3"))
struct ReleaseScriptTests {
    private static let files = [
        "CHANGELOG.md", "Package.swift", "Scripts/release", "Scripts/packaging/PKGBUILD",
        "Scripts/packaging/playhead.spec", "Sources/App/Tool/Process/Version.swift",
        "Sources/Embedding/Library/API/API+Library.swift",
    ]

    private let checkout = TemporaryFolder()

    init() throws {
        for file in Self.files {
            let copy = checkout.appending(file)
            try FileManager.default.createDirectory(
                at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: Checkout.root.appending(path: file), to: copy)
        }
        try write("changes/README.md", "# Changes\n")
    }

    private func write(_ path: String, _ text: String) throws {
        let url = checkout.appending(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: checkout.appending(path), encoding: .utf8)
    }

    private func release(_ argument: String) throws -> ProcessRunner.Result {
        try ProcessRunner.run([checkout.appending("Scripts/release").path, argument])
    }

    @Test func `all files state the same version`() throws {
        let result = try ProcessRunner.run([
            Checkout.root.appending(path: "Scripts/release").path, "--check",
        ])
        #expect(result.status == 0, "\(result.standardError)")
    }

    @Test func `a file with another version is named`() throws {
        let path = "Sources/App/Tool/Process/Version.swift"
        let tool = try text(path)
        try write(path, tool.replacing(#/"\d+\.\d+\.\d+"/#, with: "\"7.8.9\""))
        try write("changes/sound-louder.md", "It is louder.\n")
        try write("Package.swift", "let settings = [.unsafeFlags([])]\n")
        let result = try release("--check")
        #expect(result.status == 1)
        let lines = result.standardError.split(separator: "\n")
        #expect(lines.count == 3, "\(result.standardError)")
        #expect(lines.first?.hasPrefix("release: \(path) states the version 7.8.9, and") == true)
        #expect(result.standardError.contains("Package.swift has unsafeFlags("))
        #expect(result.standardError.contains("changes/sound-louder.md begins with none of api, "))
    }

    @Test func `a release has its version everywhere, and the changes by area`() throws {
        try write("CHANGELOG.md", "# Changelog\n\nText.\n\n## 0.1.0, not yet released\n\nFirst.\n")
        try write("changes/audio-a.md", "Audio\nis louder.\n")
        try write("changes/audio-b.md", "**Breaking:** `volume` is a `Double`.\n")
        try write("changes/media-c.md", "WebP is read.\n")
        let result = try release("0.2.0")
        #expect(result.status == 0, "\(result.standardError)")
        #expect(result.text.contains("git tag -a 0.2.0"))
        let log = try text("CHANGELOG.md").replacing(#/\d{4}-\d\d-\d\d/#, with: "DATE")
        #expect(
            log == """
                # Changelog

                Text.

                ## 0.2.0, DATE

                ### Media

                - WebP is read.

                ### Audio

                - **Breaking:** `volume` is a `Double`.
                - Audio is louder.

                ## 0.1.0, not yet released

                First.

                """)
        #expect(try text("Scripts/packaging/PKGBUILD").contains("\npkgver=0.2.0\n"))
        #expect(try text("Sources/App/Tool/Process/Version.swift").contains("\"0.2.0\""))
        let left = try FileManager.default.contentsOfDirectory(
            atPath: checkout.appending("changes").path)
        #expect(left == ["README.md"])
        #expect(try release("--check").status == 0)
    }

    @Test func `the first release completes its section`() throws {
        try write(
            "CHANGELOG.md",
            """
            # Changelog

            ## 0.1.0, not yet released

            ### Audio

            - Taps.

            ### Not in 0.1

            - X.

            """)
        try write("changes/audio-a.md", "Audio is louder.\n")
        try write("changes/demos-d.md", "A demo.\n")
        #expect(try release("0.1.0").status == 0)
        let log = try text("CHANGELOG.md").replacing(#/\d{4}-\d\d-\d\d/#, with: "DATE")
        #expect(
            log == """
                # Changelog

                ## 0.1.0, DATE

                ### Audio

                - Taps.
                - Audio is louder.

                ### Demos

                - A demo.

                ### Not in 0.1

                - X.

                """)
    }
}
