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

    @Test(arguments: compilers)
    func `the header compiles alone without a warning`(
        _ compiler: (command: String, standard: String, language: String)
    ) throws {
        guard ProcessRunner.has(compiler.command) else { return }
        let text = "#include <playhead.h>\n#include <playhead.h>\n"
        try ProcessRunner.check(
            [
                compiler.command, "-std=\(compiler.standard)", "-Wall", "-Wextra", "-pedantic",
                "-Werror", "-fsyntax-only", "-x", compiler.language, "-I\(Self.folder)", "-",
            ], input: { write in _ = Array(text.utf8).withUnsafeBytes { write($0) } })
    }

    @Test func `the comment of each function names the threads that may call it`() throws {
        var comment = ""
        var functions: [String] = []
        for line in try Self.header.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("/*") { comment = "" }
            comment += line + "\n"
            guard let name = Self.function(declaredIn: line) else { continue }
            functions.append(name)
            let hasRule = ["[any]", "[gl]", "[audio]"].contains { comment.contains($0) }
            // The only function that selects the thread for other calls.
            #expect(hasRule || name == "playhead_gl_init", "\(name)")
            comment = ""
        }
        #expect(functions.count >= 50)
        #expect(Set(functions).count == functions.count)
    }

    /// Returns the function whose declaration begins in a line; nil if none does.
    static func function(declaredIn line: Substring) -> String? {
        for type in ["playhead_status ", "uint32_t ", "const char *"] where line.hasPrefix(type) {
            let rest = line.dropFirst(type.count)
            guard rest.hasPrefix("playhead_"), let end = rest.firstIndex(of: "(") else { continue }
            return String(rest[..<end])
        }
        return nil
    }

    @Test func `each status has one name, and playhead_status_name returns it`() throws {
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

    // MARK: Names before 0.1

    /// A host that was written before 0.1: the old names of everything that was renamed.
    static let oldHost = """
        #include <playhead.h>
        #include <string.h>
        #define SAME(old, new) typedef char same_##old[(int)(old) == (int)(new) ? 1 : -1]
        SAME(PLAYHEAD_SOUND_DEVICE, PLAYHEAD_AUDIO_DEVICE);
        SAME(PLAYHEAD_SOUND_PULL, PLAYHEAD_AUDIO_PULL);
        SAME(PLAYHEAD_SOUND_NONE, PLAYHEAD_AUDIO_NONE);
        SAME(PLAYHEAD_NO_SOUND_DEVICE, PLAYHEAD_NO_AUDIO_DEVICE);
        SAME(PLAYHEAD_MEDIA_HAS_SOUND, PLAYHEAD_MEDIA_HAS_AUDIO);
        SAME(PLAYHEAD_TRACK_SOUND, PLAYHEAD_TRACK_AUDIO);
        SAME(PLAYHEAD_INPUT_SOUND, PLAYHEAD_INPUT_AUDIO);
        int main(void) {
            playhead_options options;
            playhead_sound_mode mode = PLAYHEAD_SOUND_PULL;
            playhead_statistics statistics;
            playhead_player *player = 0;
            float samples[4] = {1, 1, 1, 1};
            memset(&options, 0, sizeof options);
            options.struct_size = sizeof options;
            options.clock_mode = PLAYHEAD_CLOCK_TICK;
            options.sound_mode = mode;
            options.sound_rate = 44100;
            options.sound_channels = 1;
            if (options.audio_mode != mode || options.audio_rate != 44100) return 1;
            if (options.audio_channels != 1) return 2;
            statistics.sound_underruns = 7;
            if (statistics.audio_underruns != 7) return 3;
            if (playhead_create(&options, &player) != PLAYHEAD_OK) return 4;
            if (playhead_read_sound(player, samples, 4, 0) != PLAYHEAD_OK) return 5;
            if (samples[0] != 0 || samples[3] != 0) return 6;
            if (playhead_set_sound(player, PLAYHEAD_SOUND_NONE, 0, 0) != PLAYHEAD_OK) return 7;
            if (playhead_read_audio(player, samples, 1, 0) != PLAYHEAD_WRONG_STATE) return 8;
            return playhead_destroy(player);
        }
        """

    @Test(
        arguments: compilers.filter { ["c99", "c++11"].contains($0.standard) })
    func `a host with names from before 0.1 compiles and runs as before`(
        _ compiler: (command: String, standard: String, language: String)
    ) throws {
        guard ProcessRunner.has(compiler.command) else { return }
        let folder = TemporaryFolder()
        let source = folder.url.appending(path: "host.\(compiler.language == "c" ? "c" : "cpp")")
        try Data(Self.oldHost.utf8).write(to: source)
        let host = folder.url.appending(path: "host").path
        let command = [
            compiler.command, "-std=\(compiler.standard)", "-Wall", "-Wextra", "-pedantic",
            "-Werror", "-I\(Self.folder)", source.path, Built.library,
            "-Wl,-rpath,\(Built.folder)", "-o", host,
        ]
        try ProcessRunner.check(command + ["-Wno-deprecated-declarations"])
        #expect(try ProcessRunner.run([host]).status == 0)
        let refused = try ProcessRunner.run(command)
        #expect(refused.status != 0)
        #expect(refused.standardError.contains("use playhead_read_audio"))
        #expect(refused.standardError.contains("use audio_mode"))
        let without = try ProcessRunner.run(
            command + ["-Wno-deprecated-declarations", "-DPLAYHEAD_NO_DEPRECATED"])
        #expect(without.status != 0)
    }
}
