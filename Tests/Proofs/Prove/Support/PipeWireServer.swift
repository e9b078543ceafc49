// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import ScreenTestSupport

/// The server with which PipeWire replaces PulseAudio, in a session of its own: a bus, PipeWire and
/// WirePlumber. Its null sinks belong to PipeWire, so they stay while the server is restarted, as a
/// sound card does.
///
/// - Concurrency: one thread at a time.
/// - Ownership: the programs end with the object.
final class PipeWireServer: RecordableServer {
    static let absence = "\(PrivateDesktop.absence), pw-cli, pactl and pipewire-pulse"

    static let isInstalled =
        PrivateDesktop.isAvailable && ProcessRunner.has("pw-cli") && ProcessRunner.has("pactl")
        && command != nil

    /// The installed program, or the same with the settings that `Scripts/prove/sound-sync` has
    /// unpacked.
    private static let command: [String]? = {
        if ProcessRunner.has("pipewire-pulse") { return ["pipewire-pulse"] }
        let settings = Checkout.root
            .appending(path: ".build/pipewire-pulse/usr/share/pipewire/pipewire-pulse.conf").path
        return FileManager.default.fileExists(atPath: settings)
            ? ["pipewire", "--config", settings] : nil
    }()

    let address: String
    private let desktop: PrivateDesktop
    private var server: ChildProcess?
    private var sinks: [String] = []

    init() throws {
        desktop = try PrivateDesktop()
        address = "unix:\(desktop.environment["XDG_RUNTIME_DIR"] ?? "")/pulse/native"
        try addSink(named: "null")
        try start()
    }

    deinit { stop() }

    func start() throws {
        guard let command = Self.command else { throw CannotProve(Self.absence) }
        server = try ChildProcess(command, environment: desktop.environment)
        for sink in sinks { try wait(forSink: sink) }
        // Without it, WirePlumber does not connect streams yet.
        try eventually("a default sink") {
            let text = try ask("info").text
            return text.contains("Default Sink: ") && !text.contains("@DEFAULT_SINK@")
        }
    }

    func stop() {
        server?.kill()
        _ = server?.wait()
        server = nil
    }

    func addSink(named name: String) throws {
        try ProcessRunner.check(
            [
                "pw-cli", "create-node", "adapter",
                """
                { factory.name = support.null-audio-sink, node.name = "\(name)", \
                media.class = Audio/Sink, object.linger = true, audio.rate = 48000, \
                audio.position = [ FL FR ] }
                """,
            ], environment: desktop.environment)
        sinks.append(name)
        if server != nil { try wait(forSink: name) }
    }

    /// Waits until clients find a sink.
    private func wait(forSink name: String) throws {
        try eventually("the sink \(name)") {
            try ask("list", "short", "sinks").text.split(separator: "\n").contains {
                $0.split(separator: "\t").dropFirst().first == Substring(name)
            }
        }
    }

    private func ask(_ words: String...) throws -> ProcessRunner.Result {
        try ProcessRunner.run(
            ["pactl", "--server", address] + words, environment: desktop.environment)
    }
}
