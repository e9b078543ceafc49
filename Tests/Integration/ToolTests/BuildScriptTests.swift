// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

/// The script `Scripts/build --strict`, on a package that uses a C library.
@Suite(.serialized, .enabled(if: ProcessRunner.has("swift"), "needs Swift in PATH"))
struct BuildScriptTests {
    private let package = TemporaryFolder()
    /// The folder of the library's headers, outside of the package as those of a system are.
    private let headers = TemporaryFolder()

    init() throws {
        let manager = FileManager.default
        try manager.createDirectory(
            at: package.appending("Scripts"), withIntermediateDirectories: true)
        try manager.copyItem(
            at: Checkout.root.appending(path: "Scripts/build"),
            to: package.appending("Scripts/build"))
        try write(
            "Package.swift",
            """
            // swift-tools-version: 6.3
            import PackageDescription

            let package = Package(
                name: "strict",
                targets: [
                    .systemLibrary(name: "COld", path: "Sources/Interop/Old"),
                    .target(name: "InC"), .target(name: "InSwift", dependencies: ["COld"]),
                ])

            """)
        try Data(
            """
            enum old_kind { OLD_PLAIN, OLD_FANCY __attribute__((deprecated)) };
            struct old_state { int rate; int level __attribute__((deprecated("use rate"))); };
            static inline int old_value(void) { return 1; }
            __attribute__((deprecated("use old_value")))
            static inline int old_count(int first, int second) { return first + second; }

            """.utf8
        ).write(to: headers.appending("old.h"))
        try write("Sources/Interop/Old/shim.h", "#include \"\(headers.url.path)/old.h\"\n")
        try write(
            "Sources/Interop/Old/module.modulemap",
            "module COld [system] { header \"shim.h\" export * }\n")
        try write("Sources/InC/include/in.h", "int in_c(void);\n")
        try write("Sources/InC/in.c", "int in_c(void) { return 2; }\n")
    }

    private func write(_ path: String, _ text: String) throws {
        let url = package.appending(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func build() throws -> ProcessRunner.Result {
        try ProcessRunner.run(
            [package.appending("Scripts/build").path, "--strict"], deadline: .seconds(1200))
    }

    @Test func `what a C library deprecates does not fail a strict build, what is ours does`()
        throws
    {
        let use = """
            import COld

            public func use() -> Int32 {
                var state = old_state()
                state.level = Int32(OLD_FANCY.rawValue)
                return old_count(state.level, old_value())
            }

            """
        try write("Sources/InSwift/Use.swift", use)
        try write(
            "Sources/InC/in.c",
            """
            #include "\(headers.url.path)/old.h"
            int in_c(void) { return old_count(1, 2); }

            """)
        let libraries = try build()
        #expect(libraries.status == 0, "\(libraries.standardError)")
        for name in ["old_count", "level", "OLD_FANCY"] {
            #expect(libraries.standardError.contains("'\(name)"), "\(libraries.standardError)")
        }
        #expect(libraries.standardError.contains("is not counted as a warning"))

        try write(
            "Sources/InSwift/Use.swift",
            use + """
                @available(*, deprecated) func ours() -> Int32 { 3 }
                public func useOurs() -> Int32 { ours() }

                """)
        let swift = try build()
        #expect(swift.status == 1)
        #expect(swift.standardError.contains("'ours()' is deprecated"))
        #expect(swift.standardError.contains("warnings count as errors here"))

        try write("Sources/InSwift/Use.swift", use)
        try write(
            "Sources/InC/in.c",
            """
            __attribute__((deprecated)) static int ours(void) { return 4; }
            int in_c(void) { return ours(); }

            """)
        let c = try build()
        #expect(c.status == 1)
        #expect(c.standardError.contains("'ours' is deprecated"))
    }
}
