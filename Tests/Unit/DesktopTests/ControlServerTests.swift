// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import MediaTestSupport
import PlayheadAssets
import PlayheadCommands
import PlayheadPlayback
import PlayheadThreads
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadDesktop

@Suite("Control socket", .serialized)
@MainActor struct ControlServerTests {
    let folder = TemporaryFolder()
    let player: Player
    let controller: PlayerController

    init() {
        let times = SyntheticFrameTimes(
            framesPerSecond: 10, duration: MediaTime(value: 20, timescale: 1))
        let item = PlayerItem(
            asset: SyntheticAsset(SyntheticMedia(frameTimes: times, sounds: [])))
        player = Player(playerItem: item, audioSink: nil, masterClock: ManualClock())
        controller = PlayerController(player: player)
    }

    var path: String { folder.appending("socket").path }

    func server() async throws -> ControlServer {
        let server = try ControlServer(path: path, controller: controller, version: "test")
        #expect(await eventually { player.currentItem?.status == .readyToPlay })
        server.update()
        return server
    }

    func ask(_ client: ControlClient, _ text: String) async throws -> String {
        try await onThread {
            client.send(text)
            return client.answer() ?? ""
        }
    }

    @Test func `requests are answered as mpv answers them`() async throws {
        let server = try await server()
        defer { server.close() }
        let client = try ControlClient(path)
        #expect(
            try await ask(client, #"{"command":["get_property","volume"],"request_id":7}"#)
                == #"{"data":100,"error":"success","request_id":7}"#)
        #expect(
            try await ask(client, #"{"command":["set_property","volume",50]}"#)
                == #"{"error":"success","request_id":0}"#)
        #expect(player.volume == 0.5)
        #expect(
            try await ask(client, #"{"command":["get_property","pause"]}"#)
                == #"{"data":true,"error":"success","request_id":0}"#)
        #expect(
            try await ask(client, #"{"command":["get_property_string","pause"]}"#)
                == #"{"data":"yes","error":"success","request_id":0}"#)
        #expect(
            try await ask(client, #"{"command":["seek",5,"absolute"]}"#).contains("success"))
        #expect(await eventually { player.currentItem?.currentTime.seconds == 5 })
        for number in ["0.00005", "5e-05", "2.5", "1e1"] {
            #expect(
                try await ask(client, #"{"command":["set_property","time-pos",\#(number)]}"#)
                    == #"{"error":"success","request_id":0}"#, "\(number)")
        }
        for (request, error) in [
            (#"{"command":["get_property","nonsense"]}"#, "property not found"),
            (#"{"command":["set_property","duration",5]}"#, "property unavailable"),
            (#"{"command":["set_property","volume","loud"]}"#, "unsupported format"),
            (#"{"command":["nonsense"]}"#, "invalid parameter"),
            (#"{"command":[]}"#, "invalid parameter"), (#"{"x":1}"#, "invalid parameter"),
            (#"{"command":["seek""#, "invalid parameter"),
            (#"{"command":[["a"]]}"#, "invalid parameter"),
            (#"{"command":["screenshot"]}"#, "error running command"),
        ] {
            let answer = try await ask(client, request)
            #expect(answer.contains(error), "\(request): \(answer)")
        }
    }

    @Test func `requests are known by any whole number of 64 bits`() async throws {
        let server = try await server()
        defer { server.close() }
        let client = try ControlClient(path)
        for number in [Int64.max, .min, 9_007_199_254_740_993, -1] {
            #expect(
                try await ask(client, #"{"command":["get_version"],"request_id":\#(number)}"#)
                    == #"{"data":"test","error":"success","request_id":\#(number)}"#)
        }
    }

    @Test func `commands come as objects, and with mpv's prefixes`() async throws {
        let server = try await server()
        defer { server.close() }
        let client = try ControlClient(path)
        var reported: [PlayerFeedback] = []
        controller.feedbackHandler = { reported.append($0) }
        for (request, seconds) in [
            (#"{"command":{"name":"seek","target":5,"flags":"absolute+exact"}}"#, 5.0),
            (#"{"command":{"flags":"absolute","target":"7","name":"seek"}}"#, 7),
            (#"{"command":{"name":"seek","target":8,"flags":"absolute","_flags":["no-osd"]}}"#, 8),
            (#"{"command":["no-osd","async","seek",9,"absolute"]}"#, 9),
        ] {
            #expect(try await ask(client, request).contains("success"), "\(request)")
            #expect(
                await eventually { player.currentItem?.currentTime.seconds == seconds },
                "\(request)")
        }
        #expect(try await ask(client, #"{"command":["set","volume",30]}"#).contains("success"))
        #expect(!reported.isEmpty)
        reported = []
        for request in [
            #"{"command":["no-osd","set","volume",40]}"#,
            #"{"command":{"name":"set","property":"volume","value":50,"_flags":["no-osd"]}}"#,
        ] {
            #expect(try await ask(client, request).contains("success"), "\(request)")
        }
        #expect(reported.isEmpty)
        #expect(player.volume == 0.5)
        for (request, words) in [
            (#"{"command":{"target":5}}"#, "to be a list"),
            (#"{"command":{"name":5}}"#, "to be a list"),
            (#"{"command":{"name":"seek"}}"#, "needs a time"),
            (#"{"command":{"name":"seek","flags":"exact"}}"#, "needs target"),
            (#"{"command":{"name":"seek","target":5,"speed":2}}"#, "does not take 'speed'"),
            (#"{"command":{"name":"nonsense"}}"#, "unknown command 'nonsense'"),
            (#"{"command":{"name":"seek","target":5,"_flags":["loud"]}}"#, "'loud'"),
            (#"{"command":{"name":"cycle-values","property":"pause"}}"#, "as a list"),
            (#"{"command":["no-osd"]}"#, "unknown command 'no-osd'"),
        ] {
            let answer = try await ask(client, request)
            #expect(answer.contains("invalid parameter"), "\(request): \(answer)")
            #expect(answer.contains(words), "\(request): \(answer)")
        }
    }

    @Test func `no selection is a flag, as in mpv, and missing tracks are off`()
        async throws
    {
        let server = try await server()
        defer { server.close() }
        let client = try ControlClient(path)
        func get(_ property: String, as command: String = "get_property") async throws -> String {
            try await ask(client, #"{"command":["\#(command)","\#(property)"]}"#)
        }
        func answer(_ value: String) -> String {
            #"{"data":\#(value),"error":"success","request_id":0}"#
        }
        for name in ["aid", "loop-file"] { #expect(try await get(name) == answer("false")) }
        #expect(try await get("vid") == answer("1"))
        #expect(try await get("aid", as: "get_property_string") == answer(#""no""#))
        // For these, mpv returns the string.
        #expect(try await get("ab-loop-a") == answer(#""no""#))
        #expect(
            try await ask(client, #"{"command":["set_property","loop-file","inf"]}"#)
                .contains("success"))
        #expect(try await get("loop-file") == answer(#""inf""#))
        #expect(
            try await ask(client, #"{"command":["set_property","aid",false]}"#)
                .contains("success"))
        let observed = try await onThread {
            client.send(#"{"command":["observe_property",1,"aid"]}"#)
            return [client.line(), client.line()]
        }
        #expect(observed.contains { $0?.contains(#""data":false"#) == true })
        #expect(
            try await ask(client, #"{"command":["expand-text","${vid} of ${track-list/count}"]}"#)
                == answer(#""1 of 1""#))
    }

    @Test func `the event of a finished seek follows the seek`() async throws {
        let server = try await server()
        defer { server.close() }
        let client = try ControlClient(path)
        #expect(try await ask(client, #"{"command":["get_version"]}"#).contains("test"))
        let isReported = Atomic(false)
        let reading = Task {
            try await onThread {
                client.send(#"{"command":["seek",5,"absolute"]}"#)
                var events: [String] = []
                while events.last?.contains("playback-restart") != true, let line = client.line() {
                    if line.contains("event") { events.append(line) }
                }
                isReported.store(true, ordering: .relaxed)
                return events
            }
        }
        let hasCome = await eventually {
            server.update()
            return isReported.load(ordering: .relaxed)
        }
        #expect(hasCome)
        if !hasCome { server.close() }
        #expect(
            try await reading.value == [
                #"{"event":"seek"}"#, #"{"event":"playback-restart"}"#,
            ])
    }

    @Test func `messages are sent to all clients and to handlers in the player`()
        async throws
    {
        var heard: [[String]] = []
        controller.addPerformer { command in
            guard case .message(let name, let words) = command else { return false }
            heard.append([name] + words)
            return true
        }
        let server = try await server()
        defer { server.close() }
        let client = try ControlClient(path)
        let lines = try await onThread {
            client.send(#"{"command":["script-message","hello","a b","2"]}"#)
            return [client.line() ?? "", client.line() ?? ""]
        }
        #expect(
            lines == [
                #"{"args":["hello","a b","2"],"event":"client-message"}"#,
                #"{"error":"success","request_id":0}"#,
            ])
        #expect(heard == [["hello", "a b", "2"]])
    }

    @Test func `an observed property that does not exist has no value, as in mpv`() async throws {
        let server = try await server()
        defer { server.close() }
        let client = try ControlClient(path)
        let lines = try await onThread {
            client.send(#"{"command":["observe_property",3,"secondary-sub-text"]}"#)
            return [client.line() ?? "", client.line() ?? ""]
        }
        #expect(
            lines == [
                #"{"data":null,"event":"property-change","id":3,"name":"secondary-sub-text"}"#,
                #"{"error":"success","request_id":0}"#,
            ])
    }

    private struct RefusingOpener: AssetOpener {
        let gate = SourceGate(packets: 0)

        func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
            gate.pass(0)
            throw MediaError(.cannotOpen, subject: "gone.mp4", cause: "there is no such file")
        }
    }

    @Test func `a file that cannot be opened ends with one error`() async throws {
        let server = try await server()
        defer { server.close() }
        let client = try ControlClient(path)
        #expect(try await ask(client, #"{"command":["get_version"]}"#).contains("success"))
        let opener = RefusingOpener()
        let gone = PlayerItem(
            asset: URLAsset(location: .file(path: "gone.mp4"), opener: opener))
        player.replaceCurrentItem(with: gone)
        // Polling detects it first, and then the event arrives.
        let hasFailed = Atomic(false)
        let events = gone.observeEvents(on: .main) { event in
            if case .failedToPlayToEndTime = event { hasFailed.store(true, ordering: .relaxed) }
        }
        defer { events.cancel() }
        server.update()
        opener.gate.open()
        // No event arrives while this thread does not yield.
        while gone.error == nil { sched_yield() }
        server.update()
        #expect(await eventually { hasFailed.load(ordering: .relaxed) })
        player.replaceCurrentItem(with: nil)
        server.update()
        let lines = try await onThread { (0..<4).map { _ in client.line() ?? "" } }
        #expect(lines[0] == #"{"event":"end-file","reason":"stop"}"#)
        #expect(lines[1] == #"{"event":"start-file"}"#)
        #expect(lines[2].contains(#""file_error":"gone.mp4: there is no such file"#))
        #expect(lines[2].contains(#""reason":"error""#))
        #expect(lines[3] == #"{"event":"idle"}"#)
    }

    private final class Films: PlayerPlaylist {
        var files = ["a.mp4", "\"b\".mp4"]
        var position: Int? = 1
        func play(at index: Int) { position = index }
        func append(_ file: String) { files.append(file) }
        func stop() { position = nil }
    }

    @Test func `lists have mpv's fields and are reported when they change`() async throws {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 10, duration: MediaTime(value: 20, timescale: 1)))
        media.sounds.append(SyntheticSound(duration: media.duration, languageTag: "de"))
        let (start, end) = (MediaTime(value: 5, timescale: 2), MediaTime(value: 9, timescale: 1))
        media.chapters = [
            Chapter(title: "Two", timeRange: MediaTimeRange(start: start, end: end))
        ]
        player.replaceCurrentItem(with: PlayerItem(asset: SyntheticAsset(media)))
        let films = Films()
        controller.playlist = films
        let server = try await server()
        defer { server.close() }
        let client = try ControlClient(path)
        func get(_ property: String, as command: String = "get_property") async throws -> String {
            try await ask(client, #"{"command":["\#(command)","\#(property)"]}"#)
        }
        #expect(
            try await get("playlist")
                == #"{"data":[{"filename":"a.mp4"},{"current":true,"filename":"\"b\".mp4","#
                + #""playing":true}],"error":"success","request_id":0}"#)
        #expect(
            try await get("chapter-list")
                == #"{"data":[{"time":2.5,"title":"Two"}],"error":"success","request_id":0}"#)
        let tracks = try await get("track-list")
        for part in [
            #""type":"video""#, #""demux-w":"#, #""demux-samplerate":"#, #""lang":"de""#,
            #""id":2"#, #""selected":true"#, #""selected":false"#,
        ] {
            #expect(tracks.contains(part), "\(part): \(tracks)")
        }
        #expect(try await get("metadata").hasPrefix(#"{"data":{"#))
        for (name, value) in [
            ("playlist/count", "2"), ("playlist/0/filename", #""a.mp4""#),
            ("playlist/1/current", "true"), ("chapter-list/0/time", "2.5"),
            ("track-list/1/type", #""audio""#), ("track-list/2/lang", #""de""#),
            ("mpv-version", #""test""#), ("duration/full", "20"), ("playlist-pos-1", "2"),
        ] {
            #expect(
                try await get(name) == #"{"data":\#(value),"error":"success","request_id":0}"#,
                "\(name)")
        }
        for name in ["playlist/2", "playlist/-1", "playlist/x", "playlist/0/", "volume/0"] {
            #expect(try await get(name).contains("property unavailable"), "\(name)")
        }
        #expect(try await get("nothing/0").contains("property not found"))
        #expect(
            try await get("chapter-list", as: "get_property_string").contains(
                #"[{\"time\":2.5,\"title\":\"Two\"}]"#))
        #expect(
            try await ask(client, #"{"command":["set_property","playlist","x"]}"#)
                .contains("property unavailable"))
        _ = try await ask(client, #"{"command":["disable_event","all"]}"#)
        let first = try await onThread {
            client.send(#"{"command":["observe_property",1,"playlist"]}"#)
            return [client.line(), client.line()]
        }
        #expect(first.contains { $0?.contains("property-change") == true })
        films.position = 0
        controller.update()
        let line = try await onThread { client.line() }
        #expect(line?.contains(#"[{"current":true,"filename":"a.mp4","playing":true},"#) == true)
        _ = try await ask(client, #"{"command":["unobserve_property",1]}"#)
        // If a part is observed, only changes of that part count.
        let count = try await onThread {
            client.send(#"{"command":["observe_property",2,"playlist/count"]}"#)
            return [client.line(), client.line()]
        }
        func reported(_ count: Int) -> String {
            #"{"data":\#(count),"event":"property-change","id":2,"name":"playlist/count"}"#
        }
        #expect(count.contains(reported(2)))
        films.position = 1
        controller.update()
        films.append("c.mp4")
        controller.update()
        #expect(try await onThread { client.line() } == reported(3))
    }

    @Test func `a client that has closed its sending side is answered and disconnected`()
        async throws
    {
        let server = try await server()
        defer { server.close() }
        for _ in 0..<10 {
            let client = try ControlClient(path)
            let answers = try await onThread {
                client.send(#"{"command":["get_property","volume"],"request_id":1}"#)
                client.send(#"{"command":["get_property","volume"],"request_id":2}"#)
                client.endSending()
                return [client.answer(), client.answer(), client.answer()]
            }
            #expect(
                answers == [
                    #"{"data":100,"error":"success","request_id":1}"#,
                    #"{"data":100,"error":"success","request_id":2}"#, nil,
                ])
        }
    }

    @Test func `observed properties are reported initially and when they change`() async throws {
        let server = try await server()
        defer { server.close() }
        let client = try ControlClient(path)
        _ = try await ask(client, #"{"command":["disable_event","all"]}"#)
        // 1 is a number, as 3 is, and neither is a flag.
        _ = try await ask(client, #"{"command":["observe_property",1,"volume"]}"#)
        _ = try await ask(client, #"{"command":["set_property","volume",0]}"#)
        #expect(controller.value(of: .volume) == .number(0))
        _ = try await ask(client, #"{"command":["unobserve_property",1]}"#)
        try await onThread { client.send(#"{"command":["observe_property",3,"speed"]}"#) }
        var lines = [try await onThread { client.line() }, try await onThread { client.line() }]
        #expect(
            lines.contains(#"{"data":1,"event":"property-change","id":3,"name":"speed"}"#))
        try controller.perform("set speed 2")
        lines = [try await onThread { client.line() }]
        #expect(lines == [#"{"data":2,"event":"property-change","id":3,"name":"speed"}"#])
        _ = try await ask(client, #"{"command":["unobserve_property",3]}"#)
        try controller.perform("set speed 3")
        #expect(
            try await onThread {
                client.send(#"{"command":["get_property","speed"]}"#)
                return client.line()
            } == #"{"data":3,"error":"success","request_id":0}"#)
    }

    @Test func `commands in text form are performed and events are sent`() async throws {
        let server = try await server()
        defer { server.close() }
        let client = try ControlClient(path)
        // The connection exists once it is answered.
        _ = try await ask(client, #"{"command":["client_name"]}"#)
        try await onThread { client.send("seek 4 absolute; set speed 2") }
        #expect(await eventually { player.defaultRate == 2 })
        #expect(
            try await onThread {
                while let line = client.line() {
                    if line.contains(#""event":"seek""#) { return true }
                }
                return false
            })
    }
}
