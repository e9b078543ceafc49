// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import GraphicsTestSupport
import MediaTestSupport
import PlayheadEffects
import PlayheadGL
import PlayheadThreads
import Testing

@Suite("Effect reloading")
struct EffectWatcherTests {
    /// A watched effect in a folder of its own, and the notifications of its watcher.
    private final class Rig {
        let folder = TemporaryFolder()
        let instance: EffectInstance
        private let reported = Monitor<[String]>([])
        private let watcher: EffectWatcher
        private var others: [EffectInstance] = []

        init(
            _ files: KeyValuePairs<String, String>, compiles: Bool = false
        ) throws {
            for (name, text) in files { try folder.write(text, to: name) }
            instance = EffectInstance(
                try EffectLibrary.effect(path: folder.appending(files[0].key).path))
            let reported = reported
            let handler: @Sendable (EffectWatcher.Event) -> Void = { event in
                let line =
                    switch event {
                    case .reloaded(let instance): instance.effect.summary
                    case .failed(_, let error): error.excerpt
                    case .applied: "applied"
                    case .presetFailed(_, let error): error.description
                    }
                reported.change { $0.append(line) }
            }
            if compiles {
                watcher = try EffectWatcher(makeContext: Self.makeContext, handler: handler)
            } else {
                watcher = try EffectWatcher(handler: handler)
            }
            watcher.watch(instance)
        }

        private static func makeContext() throws(GLError) -> any GLContext {
            try HeadlessContext()
        }

        func path(_ name: String) -> String { folder.appending(name).path }

        func watch(preset name: String) {
            watcher.watch(presetAt: path(name), of: [instance])
        }

        /// Watches another effect.
        func watch(effect name: String) throws {
            others.append(EffectInstance(try EffectLibrary.effect(path: path(name))))
            watcher.watch(others[others.count - 1])
        }

        /// Moves a new file into the place of an old one like Foundation, which closes it only
        /// after that.
        ///
        /// - Parameter isOld: whether the file's time shows whether it is written again.
        /// - Returns: the open file.
        func move(_ text: String, to name: String, isOld: Bool) throws -> Int32 {
            let file = open(path(name + ".new"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
            try #require(file >= 0)
            let bytes = Array(text.utf8)
            #expect(write(file, bytes, bytes.count) == bytes.count)
            var status = stat()
            #expect(fstat(file, &status) == 0)
            let written = status.st_mtim
            try eventually("the file is older than the kernel's clock is coarse") {
                var now = timespec()
                clock_gettime(CLOCK_REALTIME, &now)
                let seconds = now.tv_sec - written.tv_sec
                return !isOld
                    || seconds * 1_000_000_000 + now.tv_nsec - written.tv_nsec > 30_000_000
            }
            #expect(rename(path(name + ".new"), path(name)) == 0)
            return file
        }

        /// The effect's text.
        var text: String { instance.effect.shaders[0].map(\.text).joined() }

        /// Returns the first notification since the last call; nil after two minutes.
        func next() -> String? {
            reported.wait(nanoseconds: 120_000_000_000) { lines -> String? in
                lines.isEmpty ? nil : lines.removeFirst()
            }
        }
    }

    private static func text(_ summary: String, _ body: String = "void main() {}") -> String {
        """
        /*{ "DESCRIPTION": "\(summary)", "INPUTS": [
            { "NAME": "amount", "TYPE": "float", "DEFAULT": 0.25 } ] }*/
        \(body)
        """
    }

    @Test func `a file that is written or moved into place is reloaded`() throws {
        let rig = try Rig(["live.fs": Self.text("one")])
        try rig.folder.write(Self.text("two"), to: "live.fs")
        #expect(rig.next() == "two")
        try rig.folder.write(Self.text("three"), to: "live.fs.new")
        #expect(rename(rig.path("live.fs.new"), rig.path("live.fs")) == 0)
        #expect(rig.next() == "three")
        // Like some editors: the old file first becomes a backup.
        #expect(rename(rig.path("live.fs"), rig.path("live.fs~")) == 0)
        try rig.folder.write(Self.text("four"), to: "live.fs")
        #expect(rig.next() == "four")
    }

    @Test
    func `saves in quick succession are all detected, even if only the text differs`() throws {
        let rig = try Rig(["live.fs": Self.text("00")])
        for number in 10..<40 {
            try rig.folder.write(Self.text("\(number)"), to: "live.fs")
            #expect(rig.next() == "\(number)")
        }
    }

    @Test(arguments: [false, true])
    func `a file that is closed after its move into place is reported once`(isOld: Bool) throws {
        let rig = try Rig(["live.fs": Self.text("one"), "other.fs": Self.text("other")])
        try rig.watch(effect: "other.fs")
        rig.watch(preset: "look.json")
        /// Closes a file, and checks that there is no notification until others are saved.
        func close(_ file: Int32) throws {
            #expect(Glibc.close(file) == 0)
            // Notifications in one batch have a fixed order, so a second one is needed.
            for summary in ["another", "more"] {
                try rig.folder.write(Self.text(summary), to: "other.fs")
                #expect(rig.next() == summary)
            }
        }
        let good = try rig.move(Self.text("two"), to: "live.fs", isOld: isOld)
        #expect(rig.next() == "two")
        try close(good)
        let preset = try rig.move(
            "{ \"effects\": [ { \"effect\": \"live.fs\" } ] }", to: "look.json", isOld: isOld)
        #expect(rig.next() == "applied")
        try close(preset)
        let broken = try rig.move(
            "/*{ \"INPUTS\": [ } */\nvoid main() {}", to: "live.fs", isOld: isOld)
        #expect(rig.next()?.hasPrefix(rig.path("live.fs") + ":1:") == true)
        try close(broken)
        try rig.folder.write(Self.text("three"), to: "live.fs")
        #expect(rig.next() == "three")
    }

    @Test func `effects that several threads add at once are all watched`() throws {
        let folder = TemporaryFolder()
        let reported = Monitor<Set<String>>([])
        let watcher = try EffectWatcher { event in
            guard case .reloaded(let instance) = event else { return }
            reported.change { _ = $0.insert(instance.effect.summary) }
        }
        let paths = try (0..<16).map { try folder.write(Self.text("one"), to: "\($0)/live.fs") }
        let instances = try paths.map { EffectInstance(try EffectLibrary.effect(path: $0)) }
        let threads = instances.map { instance in
            WorkerThread(name: "test-watch") { watcher.watch(instance) }
        }
        for thread in threads { thread.join() }
        for index in paths.indices {
            try folder.write(Self.text("saved \(index)"), to: "\(index)/live.fs")
        }
        let count = reported.wait(nanoseconds: 120_000_000_000) { summaries -> Int? in
            summaries.count == paths.count ? summaries.count : nil
        }
        #expect(count == paths.count)
        withExtendedLifetime(instances) {}
    }

    @Test
    func `an effect is reloaded when an included file is saved, also through a link`() throws {
        let rig = try Rig([
            "live.fs": Self.text("main", "#include \"parts/a.glsl\"\nvoid main() {}"),
            "parts/a.glsl": "#include \"b.glsl\"\n", "parts/b.glsl": "float b = 1.0;\n",
            "elsewhere/b.glsl": "float b = 2.0;\n",
        ])
        try rig.folder.write("float b = 3.0;\n", to: "parts/b.glsl")
        #expect(rig.next() == "main")
        #expect(rig.text.contains("b = 3.0"))
        #expect(rename(rig.path("elsewhere/b.glsl"), rig.path("parts/b.glsl")) == 0)
        #expect(rig.next() == "main")
        #expect(rig.text.contains("b = 2.0"))
        try rig.folder.write("float b = 4.0;\n", to: "c.glsl")
        #expect(unlink(rig.path("parts/b.glsl")) == 0)
        #expect(symlink("../c.glsl", rig.path("parts/link")) == 0)
        #expect(rename(rig.path("parts/link"), rig.path("parts/b.glsl")) == 0)
        #expect(rig.next() == "main")
        // The target of the link is watched as well.
        try rig.folder.write("float b = 5.0;\n", to: "c.glsl")
        #expect(rig.next() == "main")
        #expect(rig.text.contains("b = 5.0"))
    }

    @Test func `a broken file is reported with its line and leaves the effect unchanged`() throws {
        let rig = try Rig(["live.fs": Self.text("good")])
        try rig.instance.set(.float(0.5), for: "amount")
        try rig.folder.write("/*{ \"INPUTS\": [ } */\nvoid main() {}", to: "live.fs")
        #expect(rig.next()?.hasPrefix(rig.path("live.fs") + ":1:") == true)
        #expect(rig.instance.effect.summary == "good")
        try rig.folder.write(
            Self.text("better", "#include \"late.glsl\"\nvoid main() {}"), to: "live.fs")
        #expect(rig.next()?.contains("'late.glsl' cannot be read") == true)
        // A file of another name does not fix the effect and causes no notification; this one is
        // needed.
        try rig.folder.write("", to: "other.glsl")
        try rig.folder.write("float late = 1.0;", to: "late.glsl")
        #expect(rig.next() == "better")
        #expect(rig.instance.value(for: "amount") == .float(0.5))
    }

    @Test func `a vertex shader that is added and a folder that returns are detected`() throws {
        let rig = try Rig(["own/live.fs": Self.text("one")])
        try rig.folder.write("void main() { isf_vertShaderInit(); }", to: "own/live.vs")
        #expect(rig.next() == "one")
        #expect(!rig.instance.effect.vertex.isEmpty)
        try rig.folder.write(Self.text("two"), to: "new/live.fs")
        #expect(rename(rig.path("own"), rig.path("old")) == 0)
        #expect(rename(rig.path("new"), rig.path("own")) == 0)
        #expect(rig.next() == "two")
        try rig.folder.write(Self.text("three"), to: "own/live.fs")
        #expect(rig.next() == "three")
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `a compile error is reported before drawing, with line and caret`() throws {
        let rig = try Rig(["live.fs": Self.text("good")], compiles: true)
        try rig.folder.write(
            Self.text("bad", "void main() {\n    gl_FragColor = vec4(amuont);\n}"), to: "live.fs")
        let report = try #require(rig.next())
        #expect(report.hasPrefix(rig.path("live.fs") + ":4:25: error: "))
        #expect(report.contains("\n        gl_FragColor = vec4(amuont);\n"))
        #expect(report.contains("\n" + String(repeating: " ", count: 28) + "^"))
        #expect(rig.instance.effect.summary == "good")
        try rig.folder.write(
            Self.text("mended", "void main() { gl_FragColor = vec4(amount); }"), to: "live.fs")
        #expect(rig.next() == "mended")
    }

    @Test func `a saved preset is applied, and an invalid one changes nothing`() throws {
        let rig = try Rig(["live.fs": Self.text("one")])
        func preset(_ amount: String) -> String {
            "{ \"effects\": [ { \"effect\": \"live.fs\", \"values\": { \"amount\": \(amount) } } ] }"
        }
        rig.watch(preset: "look.json")
        try rig.folder.write(preset("0.75"), to: "look.json")
        #expect(rig.next() == "applied")
        #expect(rig.instance.value(for: "amount") == .float(0.75))
        try rig.folder.write(preset("oops"), to: "look.json")
        #expect(rig.next()?.hasPrefix(rig.path("look.json") + ":1:") == true)
        #expect(rig.instance.value(for: "amount") == .float(0.75))
    }
}
