// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import MediaTestSupport

@testable import PlayheadLV2

/// The plug-ins of `Tests/Support/LV2Plugins`, compiled into a folder of their own.
///
/// - Concurrency: any thread.
final class TestPlugins: Sendable {
    /// A Boolean value that indicates whether the plug-ins can be compiled and found.
    static let isAvailable =
        compiler != nil && (try? ProcessRunner.check(["pkg-config", "--exists", "lv2"])) != nil
        && (try? LV2World(path: "/nonexistent")) != nil
    /// The reason of a skipped suite.
    static let absence = "needs a C compiler, and the development files of Lilv"

    static let compiler = ["clang", "cc"].first { ProcessRunner.has($0) }
    static let sources = Checkout.root.appending(path: "Tests/Support/LV2Plugins")
    /// The plug-ins that tests share.
    static let shared = Result { try TestPlugins() }

    let world: LV2World
    private let folder = TemporaryFolder()
    private let library: String

    /// Compiles the plug-ins. Each copy counts its own instances.
    init() throws {
        let bundle = folder.appending("plugins.lv2")
        library = bundle.appending(path: "plugins.so").path
        try ProcessRunner.check(["mkdir", bundle.path])
        try ProcessRunner.check([
            Self.compiler ?? "cc", "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", library,
            Self.sources.appending(path: "plugins.c").path,
        ])
        for file in ["manifest.ttl", "plugins.ttl"] {
            try ProcessRunner.check([
                "cp", Self.sources.appending(path: file).path, bundle.path,
            ])
        }
        world = try LV2World(path: folder.url.path)
    }

    /// Returns a plug-in of those that tests share.
    static func plugin(_ name: String) throws -> LV2Plugin { try shared.get().plugin(name) }

    func plugin(_ name: String) throws -> LV2Plugin {
        try LV2Plugin.find("urn:playhead:\(name)", in: world)
    }

    /// The number of instances that exist.
    var instanceCount: Int { count("playhead_test_instances") }

    /// The number of instances that are active.
    var activeInstanceCount: Int { count("playhead_test_active_instances") }

    private func count(_ function: String) -> Int {
        guard let handle = dlopen(library, RTLD_NOW), let symbol = dlsym(handle, function) else {
            return -1
        }
        defer { dlclose(handle) }
        return Int(unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)())
    }
}
