// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GraphicsTestSupport
import MediaTestSupport
import PlayheadEffects
import PlayheadGL
import Testing

/// The files are not part of the repository; the list states the action of each of them, and the
/// position of its error.
@Suite(
    "Hostile shaders",
    .enabled(if: Corpus.has("made-here/hostile-shaders"), "\(Corpus.absence)"))
struct HostileShaderTests {
    /// The expected result of a file.
    enum Fate: Sendable, Hashable {
        /// Refused when it is read, at a line; nil for the file as a whole.
        case refused(line: Int?)
        /// Refused by the compiler, at a line; nil if drivers differ.
        case uncompiled(line: Int?)
        /// Drawn, or refused by a stricter driver.
        case drawn
    }

    private static let fates: [(name: String, fate: Fate)] = [
        ("crlf_bom", .drawn), ("discard_all", .drawn),
        ("extension_unsupported", .uncompiled(line: 2)), ("huge_array", .refused(line: 2)),
        ("imported_abs", .refused(line: 1)), ("imported_missing", .refused(line: 1)),
        ("imported_traversal", .refused(line: 1)), ("include", .refused(line: 2)),
        ("infinite_for", .drawn), ("infinite_while", .drawn),
        ("json_deep", .refused(line: 1)), ("json_min_gt_max", .refused(line: 1)),
        ("json_name_injection", .refused(line: 1)), ("json_not_object", .refused(line: 1)),
        ("json_reserved_name", .refused(line: 1)), ("json_unknown_type", .refused(line: 1)),
        ("loop_1e9", .refused(line: 2)), ("loop_nested_4x1000", .refused(line: 2)),
        ("name_main", .drawn), ("nan_inf", .drawn), ("nul_byte", .uncompiled(line: nil)),
        ("pass_1000", .refused(line: 1)), ("pass_size_huge", .drawn), ("pass_size_zero", .drawn),
        ("pragma_line", .drawn), ("recursion", .uncompiled(line: nil)),
        ("source_1mb", .refused(line: nil)),
    ]

    @Test func `every hostile file has an expected outcome`() {
        let files = Corpus.files(withExtensions: ["fs"]).filter {
            $0.path.contains("hostile-shaders")
        }
        #expect(
            Set(files.map { $0.deletingPathExtension().lastPathComponent })
                == Set(Self.fates.map(\.name)))
    }

    @Test(
        .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"),
        arguments: fates.indices)
    func `each hostile file ends in an error with its line, or in a draw that ends`(index: Int)
        throws
    {
        let (name, fate) = Self.fates[index]
        let path = try #require(Corpus.url("made-here/hostile-shaders/\(name).fs")).path
        let effect: Effect
        do {
            effect = try EffectLibrary.effect(path: path) { _ in
                Issue.record("an image of \(name) is read")
                throw CancellationError()
            }
        } catch {
            guard case .refused(let line) = fate else {
                Issue.record("\(name) is refused: \(error)")
                return
            }
            #expect(Self.line(of: error) == line, "\(error)")
            #expect(error.description.hasPrefix(path))
            return
        }
        if case .refused = fate { Issue.record("\(name) is taken") }
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let instance = EffectInstance(effect)
            let output = bench.renderer.draw(
                instance, input: bench.input, width: 16, height: 9, time: EffectTime(seconds: 1))
            if case .uncompiled(let line) = fate {
                #expect(output == nil)
                guard case .compilation(_, let diagnostics) = instance.error else {
                    Issue.record("\(name): \(String(describing: instance.error))")
                    return
                }
                if let line { #expect(diagnostics.contains { $0.line == line }) }
                #expect(diagnostics.allSatisfy { $0.path == path || $0.path == "playhead" })
            } else if output == nil {
                #expect(instance.error != nil)
            }
            _ = GLState.takeError()
        }
    }

    private static func line(of error: EffectError) -> Int? {
        switch error {
        case .malformedHeader(_, let line, _, _): line
        case .beyondLimit(_, let line, _), .unsupported(_, let line, _),
            .inaccessible(_, let line, _):
            line
        default: nil
        }
    }
}
