// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI
import ScreenTestSupport

/// `prove capture`: the delay from a camera's stamp to the screen, audio and video of recordings
/// whose devices drift apart, and what happens if a camera stalls, is unplugged, loses frames or
/// cannot be opened, and if the recording program is killed.
struct CaptureProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Cameras are shown soon, faults are reported in time, recordings survive a kill.")

    @Flag(help: "Seconds instead of ten minutes of delay, and a tenth of the unplugs.")
    var short = false

    @Argument(help: "The parts to prove; without any, all.")
    var parts: [Part] = []

    /// The parts of the proof.
    enum Part: String, ExpressibleByArgument, CaseIterable {
        case delay, stall, unplugs, rate, times, faults, kill, drift, hiding, errors
        case screen, wayland
    }

    private static let format = "format=YUYV 640x480 30"

    func run() throws {
        guard FakeCamera.isAvailable else { throw CannotProve("capture: \(FakeCamera.absence)") }
        var report = Report("capture")
        for part in parts.isEmpty ? Part.allCases : parts {
            switch part {
            case .delay: try measureDelay(&report)
            case .stall: try measureStall(&report)
            case .unplugs: try measureUnplugs(short ? 10 : 100, &report)
            case .rate: try measureRate(&report)
            case .times: try measureRecordedTimes(&report)
            case .faults: try countFaults(&report)
            case .kill: try killRecording(&report)
            case .drift: try measureDrift(&report)
            case .hiding: try measureHiding(&report)
            case .errors: try measureErrors(&report)
            case .screen: try measureScreen(short ? 150 : 600, &report)
            case .wayland: try measureWayland(short ? 150 : 600, &report)
            }
        }
        try report.finish()
    }

    /// Returns the stamps of the driver's log in nanoseconds, by the frame's number.
    private func stamps(_ log: String) throws -> [Int: Int64] {
        var stamps: [Int: Int64] = [:]
        for line in try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n") {
            let parts = line.split(separator: " ")
            if parts.count == 2, let number = Int(parts[0]) { stamps[number] = Int64(parts[1]) }
        }
        return stamps
    }

    // MARK: - Delay

    /// The time from a frame's stamp until the X server's screen shows it.
    private func measureDelay(_ report: inout Report) throws {
        let camera = try FakeCamera(Self.format)
        let log = camera.folder.appending("log").path
        let server = try XServer()
        let program = try ChildProcess(
            [Tool.path(), "play", "camera:0", "--size", "1280x720", "--no-config"],
            environment: camera.environment.merging([
                "DISPLAY": server.display, "FAKE_CAMERA_LOG": log,
            ]) { $1 })
        let window = FrameNumberStrip.Area(x: 160, y: 0, width: 960, height: 720)
        // The first frames wait for the window and the shaders.
        try measure("first ten seconds", of: 7, after: 3, server, window, log, &report)
        if !short {
            try measure("after ten minutes", of: 10, after: 590, server, window, log, &report)
        }
        program.signal()
        report.require(program.wait(.seconds(5)) != nil, "the program did not end within 5 s")
    }

    private func measure(
        _ label: String, of seconds: UInt32, after rest: UInt32, _ server: XServer,
        _ window: FrameNumberStrip.Area, _ log: String, _ report: inout Report
    ) throws {
        try report.measure(attempts: 3) { report in
            Progress.show("delay, \(label)")
            sleep(rest)
            let usage = Machine.usage
            let watch = ScreenWatch(server, window: window, source: (640, 480))
            watch.begin()
            sleep(seconds)
            let sightings = watch.end()
            let stamps = try stamps(log)
            let delays = sightings.dropFirst().compactMap { sighting in
                stamps[sighting.frame].map { sighting.hostTime - $0 }
            }
            let sample = Sample(nanoseconds: delays)
            let (half, most) = (
                sample.magnitude(ofShare: 0.5), sample.magnitude(ofShare: 0.95)
            )
            report.add(
                "stamp to screen, \(label)",
                String(format: "p50 %.1f, p95 %.1f ms (n = %d)", half, most, sample.count))
            report.require(sample.count > Int(seconds) * 20, "only \(sample.count) frames seen")
            report.require(half <= 25 && most <= 45, "delay: p50 \(half), p95 \(most) ms")
            return Machine.others(since: usage)
        }
    }

    // MARK: - Faults

    /// Starts the host and returns it.
    private func host(_ camera: FakeCamera, _ arguments: String...) throws -> ChildProcess {
        let path = URL(fileURLWithPath: try Tool.path()).deletingLastPathComponent()
            .appendingPathComponent("CameraHost").path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw CannotProve("\(path) is missing; build it with Scripts/build-proofs")
        }
        return try ChildProcess([path] + arguments, environment: camera.environment)
    }

    private func lines(_ process: ChildProcess, _ word: String) -> [[String]] {
        String(decoding: process.standardOutput, as: UTF8.self).split(separator: "\n")
            .map { $0.split(separator: " ").map(String.init) }.filter { $0.first == word }
    }

    private func measureStall(_ report: inout Report) throws {
        Progress.show("stall")
        let camera = try FakeCamera(Self.format)
        let process = try host(camera, "frames", "60")
        _ = try eventually("frames") { lines(process, "frame").count > 10 ? true : nil }
        try camera.set([Self.format, "stall=1"])
        let stall = try eventually("the stall") {
            lines(process, "event").first { $0[1] == "stalled" }
        }
        let last = lines(process, "frame").last
        let delay = (Int64(stall.last ?? "") ?? 0) - (last.flatMap { Int64($0[2]) } ?? 0)
        report.add("stall reported after", "\(delay / 1_000_000) ms")
        report.require(delay <= 1_000_000_000, "the stall was reported after \(delay) ns")
        try camera.set([Self.format])
        let resumed = process.wait(.seconds(20)) == 0
        report.require(resumed, "the camera did not continue after the stall")
        // The program quits while the camera is stalled.
        let second = try ChildProcess(
            [Tool.path(), "play", "camera:0", "--headless"], environment: camera.environment)
        sleep(2)
        try camera.set([Self.format, "stall=1"])
        _ = try eventually("the note") {
            second.standardError.contains("stopped delivering") ? true : nil
        }
        let start = HostClock.nanoseconds
        second.signal(SIGINT)
        let hasEnded = second.wait(.seconds(10)) != nil
        let quit = (HostClock.nanoseconds - start) / 1_000_000
        report.add("quit while stalled", "\(quit) ms")
        report.require(hasEnded && quit <= 500, "quitting took \(quit) ms")
    }

    private func measureUnplugs(_ count: Int, _ report: inout Report) throws {
        Progress.show("unplugs")
        let camera = try FakeCamera(Self.format)
        let process = try host(camera, "churn", "\(count)")
        guard process.wait(.seconds(Int64(count) * 10 + 60)) == 0 else {
            throw CannotProve("CameraHost: \(process.standardError)")
        }
        let rounds = lines(process, "round")
        let delays = lines(process, "reported").compactMap { Int($0[1]) }
        let pictures = rounds.dropFirst().compactMap { Int($0[3]) }
        report.add("unplugs", count)
        report.add("reported within", "\(delays.max() ?? -1) ms")
        report.add("frames again within", "\(pictures.max() ?? -1) ms")
        report.require(delays.count == count && (delays.max() ?? 0) <= 200, "unplugs reported late")
        report.require((pictures.max() ?? 9999) <= 1000, "frames came back late")
        for (name, place, slack) in [("descriptors", 5, 0), ("threads", 7, 1)] {
            let values = rounds.compactMap { Int($0[place]) }
            report.add(name, "\(values.first ?? -1) before, \(values.last ?? -1) after")
            report.require(
                abs((values.first ?? -9) - (values.last ?? 0)) <= slack, "\(name) changed")
        }
        let memory = rounds.compactMap { Int($0[9]) }
        // The first rounds fill caches.
        let growth = (memory.last ?? 0) - memory[min(5, memory.count - 1)]
        report.add("memory after the fifth", "\(growth) KB more")
        report.require(growth <= 4096, "memory grew by \(growth) KB")
    }

    private func measureRate(_ report: inout Report) throws {
        Progress.show("rate")
        let camera = try FakeCamera(Self.format, "real=15")
        let log = camera.folder.appending("log").path
        let path = URL(fileURLWithPath: try Tool.path()).deletingLastPathComponent()
            .appendingPathComponent("CameraHost").path
        let process = try ChildProcess(
            [path, "frames", "30"],
            environment: camera.environment.merging(["FAKE_CAMERA_LOG": log]) { $1 })
        guard process.wait(.seconds(60)) == 0 else {
            throw CannotProve("CameraHost: \(process.standardError)")
        }
        let agreed = lines(process, "agreed").first?.last ?? ""
        let words = lines(process, "statistics").first ?? []
        let rate = words.last.flatMap(Double.init) ?? 0
        report.add("agreed rate, real rate", String(format: "%@, %.3f fps", agreed, rate))
        report.require(abs(rate - 15) <= 0.2, "the real rate is measured as \(rate)")
        let driver = try stamps(log)
        let errors = lines(process, "frame").compactMap { frame in
            Int(frame[1]).flatMap { driver[$0] }.flatMap { stamp in
                Int64(frame[2]).map { abs($0 - stamp) }
            }
        }
        report.add("times from the driver's stamps", "\(errors.max() ?? -1) ns at most")
        report.require(!errors.isEmpty && (errors.max() ?? 0) <= 1000, "times differ from stamps")
    }

    /// Compares the times of a recording with the driver's stamps, while the camera changes from 15
    /// to 30 frames a second.
    private func measureRecordedTimes(_ report: inout Report) throws {
        Progress.show("times of a recording")
        let camera = try FakeCamera(Self.format, "real=15")
        let log = camera.folder.appending("log").path
        let path = camera.folder.appending("out.mov").path
        let process = try ChildProcess(
            [Tool.path(), "play", "camera:0", "--headless", "--duration", "6", "--record", path],
            environment: camera.environment.merging(["FAKE_CAMERA_LOG": log]) { $1 })
        sleep(3)
        try camera.set([Self.format])
        guard process.wait(.seconds(60)) == 0 else {
            throw CannotProve("playhead: \(process.standardError)")
        }
        let driver = try stamps(log)
        let reader = try AssetReader(asset: URLAsset(url: URL(fileURLWithPath: path)))
        let output = try reader.addVideoOutput()
        var (start, errors, unread): (Double?, [Double], Int) = (nil, [], 0)
        while let frame = try output.copyNextSampleBuffer() {
            guard let number = FrameNumberStrip.read(from: frame.pixelBuffer),
                let stamp = driver[number]
            else {
                unread += 1
                continue
            }
            // The driver's structure has microseconds.
            let offset = Double(stamp / 1000) / 1e6 - frame.presentationTime.seconds
            start = start ?? offset
            errors.append(abs(offset - (start ?? 0)) * 1e6)
        }
        report.add(
            "times of a recording from the driver's stamps",
            String(format: "%.2f µs at most (n = %d)", errors.max() ?? -1, errors.count))
        report.require(
            errors.count > 90 && unread == 0, "\(errors.count) frames, \(unread) unknown")
        report.require((errors.max() ?? 9) <= 1.001, "the file's times differ from the stamps")
    }

    private func countFaults(_ report: inout Report) throws {
        Progress.show("lost and damaged frames")
        let camera = try FakeCamera(
            Self.format, "lose=5,11,12", "short=20,31", "flag=25")
        let process = try host(camera, "frames", "60")
        guard process.wait(.seconds(60)) == 0 else {
            throw CannotProve("CameraHost: \(process.standardError)")
        }
        let numbers = lines(process, "frame").compactMap { Int($0[1]) }
        let drops = lines(process, "drop").count
        let words = lines(process, "statistics").first ?? []
        let damaged = words.firstIndex(of: "damaged").flatMap { Int(words[$0 + 1]) } ?? -1
        report.add("frames, drops reported, damaged", "\(numbers.count), \(drops), \(damaged)")
        report.require(damaged == 3, "\(damaged) damaged frames counted of 3")
        report.require(
            Set(numbers).isDisjoint(with: [5, 11, 12, 20, 25, 31]),
            "a lost or damaged frame was shown")
        report.require(
            numbers.count + drops == 60 && numbers == numbers.sorted(),
            "frames and drops are not what the camera made")
    }

    /// The number of frames that x264's preset veryfast holds: it looks 10 frames ahead, the thread
    /// that does so has 4, the other threads but one have one each, and one waits for its duration.
    private static let encoderFrameCount =
        10 + 4 + max(0, ProcessInfo.processInfo.activeProcessorCount * 3 / 2 - 1) + 1
    /// The number of frames that a killed recording may lose: those of a fragment of two seconds,
    /// those in the encoder, one that waits for its duration in the writer, and one on the way.
    private static let lostByKill = 60 + encoderFrameCount + 2

    private func killRecording(_ report: inout Report) throws {
        Progress.show("kill")
        let camera = try FakeCamera(Self.format)
        let log = camera.folder.appending("log").path
        let path = camera.folder.appending("out.mkv").path
        let process = try ChildProcess(
            [Tool.path(), "play", "camera:0", "--headless", "--record", path],
            environment: camera.environment.merging(["FAKE_CAMERA_LOG": log]) { $1 })
        sleep(short ? 6 : 20)
        process.signal(SIGKILL)
        _ = process.wait(.seconds(10))
        let made = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").count
        let listed = try ProcessRunner.run([Tool.path(), "frames", path + ".part"])
        let played = listed.text.split(separator: "\n").count
        report.add("frames before the kill, in the file", "\(made), \(played)")
        report.require(
            listed.status == 0 && played >= made - Self.lostByKill,
            "\(played) of \(made) frames play: more than a fragment and "
                + "\(Self.encoderFrameCount) frames in the encoder are missing")
    }

    /// Measures the drift of an hour in ten minutes: the timestamps of the camera are fast by 6
    /// times 200 ppm, and the microphone is slow by 6 times 100 ppm.
    private func measureDrift(_ report: inout Report) throws {
        let seconds = short ? 120 : 600
        Progress.show("drift, \(seconds) s")
        let camera = try FakeCamera("format=YUYV 320x240 30", "drift=1200")
        let log = camera.folder.appending("log").path
        let path = camera.folder.appending("out.mkv").path
        let host = URL(fileURLWithPath: try Tool.path()).deletingLastPathComponent()
            .appendingPathComponent("CameraHost").path
        let process = try ChildProcess(
            [host, "drift", "\(seconds)", "-600", path],
            environment: camera.environment.merging(["FAKE_CAMERA_LOG": log]) { $1 })
        guard process.wait(.seconds(Int64(seconds) + 120)) == 0 else {
            throw CannotProve("CameraHost: \(process.standardError)")
        }
        guard let start = lines(process, "microphone").first.flatMap({ Int64($0[1]) }) else {
            throw CannotProve("CameraHost printed no time")
        }
        let offsets = try DriftRecording(path: path, log: log, microphoneStart: start).offsets()
        guard let first = offsets.first(where: { $0.second >= 60 }), let last = offsets.last else {
            throw CannotProve("the recording has no tones")
        }
        let worst = offsets.map { abs($0.offset) }.max() ?? 1
        report.add(
            "audio and video apart",
            String(
                format: "%.2f ms at the end, %.2f ms at most, %.2f ms after a minute (n = %d)",
                last.offset * 1e3, worst * 1e3, first.offset * 1e3, offsets.count))
        // In the first minute, the drift is measured and the correction catches up.
        let growth = DriftRecording.growth(of: offsets.filter { $0.second >= 60 })
        report.add(
            "growth from the first minute to the end", String(format: "%.2f ms", growth * 1e3))
        report.require(abs(growth) <= 0.001, "the offset grows by \(growth) s")
        report.require(offsets.count >= seconds - 5, "only \(offsets.count) tones found")
        report.require(
            abs(last.offset) <= 0.02, "audio and video are \(last.offset) s apart at the end")
    }

    /// Measures the capture of a screen of 1280 x 720. A client shows 30 numbers a second on it,
    /// and then nothing new.
    private func measureScreen(_ count: Int, _ report: inout Report) throws {
        Progress.show("screen")
        let server = try XServer(isLasting: true)
        let folder = URL(fileURLWithPath: try Tool.path()).deletingLastPathComponent()
        let host = try ChildProcess(
            [folder.appendingPathComponent("CameraHost").path, "screen", "\(count)"],
            environment: ["DISPLAY": server.display, "WAYLAND_DISPLAY": nil])
        _ = try eventually("the capture") { lines(host, "running").isEmpty ? nil : true }
        let client = try ChildProcess(
            [
                folder.appendingPathComponent("XClient").path, "numbers", "Numbers", "0", "0",
                "1280", "720",
            ], environment: ["DISPLAY": server.display]
        ) { write in
            var due = HostClock.nanoseconds
            for number in 1...count {
                guard Array("\(number)\n".utf8).withUnsafeBytes(write) else { return }
                due += 1_000_000_000 / 30
                usleep(UInt32(max(0, due - HostClock.nanoseconds) / 1000))
            }
            // The window stays until the host has ended.
            sleep(10)
        }
        guard host.wait(.seconds(Int64(count / 30) + 60)) == 0,
            let words = lines(host, "screen").first, words.count == 9,
            let seen = Int(words[2]), let torn = Int(words[4]), let share = Double(words[6]),
            let still = Double(words[8])
        else { throw CannotProve("CameraHost: \(host.standardError)") }
        client.kill()
        report.add(
            "screen: numbers seen, torn, processor, still",
            String(
                format: "%d of %d, %d, %.1f %%, %.2f %%", seen, count, torn, share * 100,
                still * 100))
        report.require(Double(seen) >= Double(count) * 0.99, "\(seen) of \(count) numbers seen")
        report.require(torn == 0, "\(torn) frames were torn")
        report.require(share <= 0.1, "capturing took \(share) of a processor")
    }

    /// Measures the capture of a screen of Wayland, 1280 x 720: a source in PipeWire sends 30
    /// numbers a second, and then nothing new.
    private func measureWayland(_ count: Int, _ report: inout Report) throws {
        guard PrivateDesktop.isAvailable else {
            report.add("screen of Wayland", "skipped: \(PrivateDesktop.absence)")
            return
        }
        Progress.show("screen of Wayland")
        let desktop = try PrivateDesktop()
        let producer = try NumberProducer(desktop, width: 1280, height: 720)
        let portal = PortalDouble(desktop.bus.address, .grant(producer.node)) { desktop.connect() }
        let folder = URL(fileURLWithPath: try Tool.path()).deletingLastPathComponent()
        let host = try ChildProcess(
            [folder.appendingPathComponent("CameraHost").path, "screen", "\(count)"],
            environment: desktop.environment)
        try eventually("the capture") { producer.isStreaming }
        producer.send(1...count, waitsForConsumer: false)
        guard host.wait(.seconds(Int64(count / 30) + 60)) == 0,
            let words = lines(host, "screen").first, words.count == 9,
            let seen = Int(words[2]), let torn = Int(words[4]), let share = Double(words[6])
        else { throw CannotProve("CameraHost: \(host.standardError)") }
        withExtendedLifetime(portal) {}
        report.add(
            "screen of Wayland: numbers seen, torn, processor",
            String(format: "%d of %d, %d, %.1f %%", seen, count, torn, share * 100))
        report.require(Double(seen) >= Double(count) * 0.99, "\(seen) of \(count) numbers seen")
        report.require(torn == 0, "\(torn) frames were torn")
        report.require(share <= 0.1, "capturing took \(share) of a processor")
    }

    /// Measures how soon a minimised window closes its camera, how often its threads wake then, and
    /// how soon it shows the camera again.
    private func measureHiding(_ report: inout Report) throws {
        Progress.show("a minimised window")
        let camera = try FakeCamera(Self.format)
        let log = camera.folder.appending("log").path
        let calls = camera.folder.appending("calls").path
        let server = try XServer()
        let program = try ChildProcess(
            [Tool.path(), "play", "camera:0", "--size", "1280x720", "--no-config"],
            environment: camera.environment.merging([
                "DISPLAY": server.display, "FAKE_CAMERA_LOG": log, "FAKE_CAMERA_CALLS": calls,
            ]) { $1 })
        func lines(_ path: String) -> [Substring] {
            let text = try? String(contentsOfFile: path, encoding: .utf8)
            return (text ?? "").split(separator: "\n")
        }
        _ = try eventually("frames") { lines(log).count > 60 ? true : nil }
        let found = try ProcessRunner.run(
            ["xdotool", "search", "--onlyvisible", "--class", "playhead"],
            environment: ["DISPLAY": server.display])
        let window = found.text.split(separator: "\n").last.map(String.init) ?? ""
        let client = URL(fileURLWithPath: try Tool.path()).deletingLastPathComponent()
            .appendingPathComponent("XClient").path
        func act(_ action: String) throws -> Int64 {
            let start = HostClock.nanoseconds
            try ProcessRunner.check(
                [client, action, window], environment: ["DISPLAY": server.display])
            return start
        }
        var start = try act("minimise")
        _ = try eventually("the device to be closed") { lines(calls).last == "close" ? true : nil }
        let closed = (HostClock.nanoseconds - start) / 1_000_000
        sleep(1)
        let before = sleeps(program)
        let rest: UInt32 = short ? 5 : 30
        sleep(rest)
        let wakes = sleeps(program) - before
        let watch = ScreenWatch(
            server, window: FrameNumberStrip.Area(x: 160, y: 0, width: 960, height: 720),
            source: (640, 480))
        watch.begin()
        start = try act("restore")
        sleep(3)
        // The driver counts from 0 again.
        let sighting = watch.end().first { $0.hostTime > start && $0.frame < 50 }
        let shown = sighting.map { ($0.hostTime - start) / 1_000_000 } ?? -1
        program.signal()
        report.require(program.wait(.seconds(5)) == 0, "the program did not end within 5 s")
        report.add("minimised: the device is closed after", "\(closed) ms")
        report.add("wake-ups in \(rest) s", wakes)
        report.add("restored: a new frame is on the screen after", "\(shown) ms")
        report.require(closed <= 1000, "the device was closed after \(closed) ms")
        report.require(wakes == 0, "threads woke \(wakes) times")
        report.require((0...1000).contains(shown), "a new frame was shown after \(shown) ms")
    }

    /// Returns how often the threads of a process have gone to sleep.
    private func sleeps(_ process: ChildProcess) -> Int {
        let tasks = "/proc/\(process.identifier)/task"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return names.reduce(0) { sum, task in
            let status = try? String(contentsOfFile: "\(tasks)/\(task)/status", encoding: .utf8)
            let line = status?.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt") }
            return sum + (line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
        }
    }

    private func measureErrors(_ report: inout Report) throws {
        Progress.show("errors")
        var slowest = 0
        for (line, words) in [
            ("busy=1", "another program uses it"), ("denied=1", "you may not use"),
            ("bandwidth=1", "bandwidth"), ("", "there is no camera"),
        ] {
            let camera = try FakeCamera(Self.format, line)
            if line.isEmpty { try camera.unplug() }
            let start = HostClock.nanoseconds
            let result = try ProcessRunner.run(
                [Tool.path(), "play", "camera:0", "--headless"], environment: camera.environment)
            slowest = max(slowest, Int((HostClock.nanoseconds - start) / 1_000_000))
            report.require(
                result.status == 2 && result.standardError.contains(words),
                "\(line): status \(result.status), \(result.standardError)")
        }
        report.add("errors of four kinds within", "\(slowest) ms")
        report.require(slowest <= 1000, "an error took \(slowest) ms")
    }
}
