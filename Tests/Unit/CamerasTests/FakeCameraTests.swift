// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

/// Cameras whose driver is played by a preloaded library, in a program of their own.
@Suite(.enabled(if: FakeCamera.isAvailable, "\(FakeCamera.absence)"))
struct FakeCameraTests {
    /// The output of `CameraHost`, by the first word of each line.
    private struct Output {
        var lines: [[String]]

        init(_ bytes: [UInt8]) {
            lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
                $0.split(separator: " ").map(String.init)
            }
        }

        func all(_ word: String) -> [[String]] { lines.filter { $0.first == word } }
        var numbers: [Int] { all("frame").compactMap { Int($0[1]) } }
        var stamps: [Int64] { all("frame").compactMap { Int64($0[2]) } }
        func value(_ word: String) -> Double? {
            let words = all("statistics").first ?? []
            return words.firstIndex(of: word).flatMap { Double(words[$0 + 1]) }
        }

        /// Returns whether the number of damaged frames is as expected. On a busy machine, the
        /// driver may have had no buffer for some of them, which are then lost.
        func allows(damaged count: Int) -> Bool {
            (count - Int(value("lost") ?? 0)...count).contains(Int(value("damaged") ?? -1))
        }

        func has(event: String) -> Bool { all("event").contains { $0[1] == event } }
    }

    private static let host: String = {
        let tests =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "."
        return URL(fileURLWithPath: tests).deletingLastPathComponent()
            .appendingPathComponent("CameraHost").path
    }()

    private static let yuyv = "format=YUYV 640x480 30"

    private func start(_ camera: FakeCamera, _ arguments: String...) throws -> ChildProcess {
        try ChildProcess([Self.host] + arguments, environment: camera.environment)
    }

    private func run(_ camera: FakeCamera, _ arguments: String...) throws -> Output {
        let process = try ChildProcess([Self.host] + arguments, environment: camera.environment)
        guard let status = process.wait(patience), status == 0 else {
            throw Overdue(what: "CameraHost \(arguments): \(process.standardError)")
        }
        return Output(process.standardOutput)
    }

    @Test func `cameras are listed with their formats, and nodes for metadata are not`() throws {
        let camera = try FakeCamera(
            "card=Left", "bus=usb-1", "format=YUYV 640x480 30 15", "format=MJPG 1280x720 30",
            "format=BA81 640x480 30")
        try camera.set(["card=Left", "bus=usb-1", "caps=metadata"], node: 1)
        try camera.set(["card=Right", "bus=usb-2", "format=NV12 320x240 25"], node: 10)
        try camera.set(["card=Closed", "denied=1"], node: 3)
        let process = try start(camera, "list")
        _ = process.wait(patience)
        let lines = String(decoding: process.standardOutput, as: UTF8.self)
        #expect(
            lines.hasPrefix(
                """
                device v4l2:usb-1 Left
                format 640 x 480 YUYV, 30 fps
                format 1280 x 720 MJPG, 30 fps
                default 1280 x 720 MJPG, 30 fps
                """))
        #expect(!lines.contains("BA81"))
        // A camera without rights is there, and reports why it cannot be used.
        #expect(lines.contains("error notAuthorized: video3: you may not use "))
    }

    @Test(arguments: ["YUYV", "UYVY", "NV12", "YU12", "GREY"])
    func `frames arrive in order with the driver's times and samples`(format: String) throws {
        let camera = try FakeCamera("format=\(format) 640x480 30")
        let output = try run(camera, "frames", "12")
        let numbers = output.numbers
        #expect(numbers.count + output.all("drop").count == 12)
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        // The times are those of the camera's own clock: exact multiples of its period.
        let stamps = output.stamps
        for (index, number) in numbers.enumerated().dropFirst() {
            let expected = Double(number - numbers[0]) / 30 * 1e9
            #expect(abs(Double(stamps[index] - stamps[0]) - expected) < 2000)
        }
        // fake_frames.c: luma 16 + (x + y) % 220, chroma 64 + 128 x / width, at 480, 360.
        let frame = try #require(output.all("frame").first)
        #expect(frame[8] == (format == "GREY" ? "196" : "196,160,160"))
        #expect(frame[5] == "640x480")
        #expect(frame[6] == (format == "GREY" ? "limited" : "limited"))
        #expect(
            frame[4] == ["NV12": "nv12", "YU12": "yuv420p", "GREY": "gray"][format] ?? "yuv422p")
    }

    @Test(arguments: ["NM12", "YM12", "NV12", "YUYV"])
    func `frames of devices with several memory planes have all their samples`(
        format: String
    ) throws {
        let camera = try FakeCamera("caps=planar", "format=\(format) 640x480 30", "short=4")
        let output = try run(camera, "frames", "12")
        let numbers = output.numbers
        #expect(numbers == numbers.sorted() && !numbers.contains(4))
        #expect(output.allows(damaged: 1))
        for frame in output.all("frame") {
            #expect(frame[8] == "196,160,160")
            #expect(frame[4] == ["YUYV": "yuv422p", "YM12": "yuv420p"][format] ?? "nv12")
        }
        #expect(output.all("agreed").first?[4] == "\(format),")
    }

    @Test func `colours are those that the driver declares`() throws {
        let camera = try FakeCamera(Self.yuyv, "range=full", "matrix=709")
        let frame = try #require(try run(camera, "frames", "1").all("frame").first)
        #expect(frame[6] == "full")
        #expect(frame[7] == "1")
    }

    @Test func `a range that is set replaces the driver's`() throws {
        let camera = try FakeCamera(Self.yuyv)
        let frame = try #require(try run(camera, "frames", "1", "range=full").all("frame").first)
        #expect(frame[6] == "full")
    }

    @Test func `the agreed size and rate are the driver's, and the real rate is measured`() throws {
        let camera = try FakeCamera("format=YUYV 640x480 30", "actual=320x240", "real=15")
        let output = try run(camera, "frames", "30", "rate=30")
        #expect(
            output.all("agreed").first == ["agreed", "320", "x", "240", "YUYV,", "30", "fps", "30"])
        #expect(output.all("frame").first?[5] == "320x240")
        let rate = try #require(output.value("rate"))
        #expect(abs(rate - 15) < 0.2)
    }

    @Test func `frames that the driver loses are gaps in its numbers, each reported`() throws {
        let camera = try FakeCamera(Self.yuyv, "lose=4,7,8,9")
        let output = try run(camera, "frames", "24")
        let numbers = Set(output.numbers)
        #expect(numbers.isDisjoint(with: [4, 7, 8, 9]))
        let lost = output.all("drop").filter { $0[1] == "discontinuity" }.count
        #expect(lost >= 4)
        // What did not arrive was lost by the driver, or dropped here with its reason.
        let last = try #require(numbers.max())
        let first = try #require(numbers.min())
        #expect(numbers.count + output.all("drop").count >= last - first + 1)
        #expect(Int(output.value("lost") ?? 0) >= 4)
    }

    @Test func `short and flagged frames are counted and never shown`() throws {
        let camera = try FakeCamera(Self.yuyv, "short=3,4", "flag=6")
        let output = try run(camera, "frames", "20")
        #expect(Set(output.numbers).isDisjoint(with: [3, 4, 6]))
        #expect(output.allows(damaged: 3))
        #expect(!output.all("frame").contains { $0[1] == "none" })
    }

    @Test(arguments: ["unknown", "realtime", "repeated"])
    func `times increase whatever the driver stamps`(stamps: String) throws {
        let camera = try FakeCamera(Self.yuyv, "stamps=\(stamps)")
        let output = try run(camera, "frames", "12")
        #expect(output.stamps == Set(output.stamps).sorted())
        for frame in output.all("frame") {
            let (stamp, arrival) = (Int64(frame[2]) ?? 0, Int64(frame[3]) ?? 0)
            #expect(stamp <= arrival && arrival - stamp < 60_000_000_000)
        }
    }

    /// The clock of the stamps jumps 3 s ahead, 5 s back, 20 s ahead, and returns.
    @Test func `times follow the arrivals while the driver's clock is wrong`() throws {
        let camera = try FakeCamera(Self.yuyv, "jump=5,3000,15,-5000,25,20000,35,0")
        let output = try run(camera, "frames", "60")
        let frames = output.all("frame")
        #expect(output.stamps == Set(output.stamps).sorted())
        #expect(output.numbers.contains { $0 > 40 })
        for frame in frames {
            let (stamp, arrival) = (Int64(frame[2]) ?? 0, Int64(frame[3]) ?? 0)
            #expect(stamp <= arrival, "\(frame)")
        }
        // The first and the last frames have the driver's times, between which the times pass as
        // the clock does.
        let (first, last) = (try #require(frames.first), try #require(frames.last))
        let numbers = (Int(last[1]) ?? 0) - (Int(first[1]) ?? 0)
        let time = (Int64(last[2]) ?? 0) - (Int64(first[2]) ?? 0)
        #expect(abs(Double(time) - Double(numbers) / 30 * 1e9) < 2000, "\(numbers) in \(time) ns")
    }

    /// During a suspend, the monotonic clock stands still; that of some drivers does not.
    @Test func `a camera that stands still and returns with another clock continues`() throws {
        let camera = try FakeCamera(Self.yuyv)
        let process = try start(camera, "frames", "40")
        try eventually("frames") { Output(process.standardOutput).numbers.count > 3 }
        try camera.set([Self.yuyv, "stall=1"])
        try eventually("the stall") { Output(process.standardOutput).has(event: "stalled") }
        try camera.set([Self.yuyv, "jump=0,7000"])
        #expect(process.wait(patience) == 0)
        let output = Output(process.standardOutput)
        #expect(output.has(event: "unstalled"))
        #expect(output.stamps == Set(output.stamps).sorted())
        #expect(output.all("frame").allSatisfy { Int64($0[2]) ?? .max <= Int64($0[3]) ?? 0 })
    }

    @Test(arguments: [
        ("busy=1", "deviceInUse", "another program uses it"),
        ("bandwidth=1", "noBandwidth", "the USB bus does not have enough bandwidth"),
    ])
    func `a camera that cannot be started says why`(
        line: String, code: String, cause: String
    ) throws {
        let camera = try FakeCamera(Self.yuyv, line)
        let process = try start(camera, "frames", "1")
        #expect(process.wait(patience) == 2)
        let text = String(decoding: process.standardOutput, as: UTF8.self)
        #expect(text.contains("error \(code): Fake Camera: \(cause)"), "\(text)")
    }

    @Test func `no camera is an error that says so`() throws {
        let camera = try FakeCamera("nothing")
        try camera.unplug()
        let process = try start(camera, "frames", "1")
        #expect(process.wait(patience) == 2)
        let text = String(decoding: process.standardOutput, as: UTF8.self)
        #expect(text.contains("error noSuchDevice: camera:0: there is no camera; plug one in"))
    }

    @Test func `a stall is reported, and the camera continues by itself`() throws {
        let camera = try FakeCamera(Self.yuyv)
        let process = try start(camera, "frames", "40")
        try eventually("frames") { Output(process.standardOutput).numbers.count > 3 }
        try camera.set([Self.yuyv, "stall=1"])
        try eventually("the stall") { Output(process.standardOutput).has(event: "stalled") }
        let count = Output(process.standardOutput).numbers.count
        try camera.set([Self.yuyv])
        try eventually("more frames") { Output(process.standardOutput).numbers.count > count }
        #expect(process.wait(patience) == 0)
        #expect(Output(process.standardOutput).has(event: "unstalled"))
    }

    @Test func `a stalled camera does not hold the end up`() throws {
        let camera = try FakeCamera(Self.yuyv)
        let process = try start(camera, "frames", "1000")
        try eventually("frames") { Output(process.standardOutput).numbers.count > 3 }
        try camera.set([Self.yuyv, "stall=1"])
        try eventually("the stall") { Output(process.standardOutput).has(event: "stalled") }
        process.signal()
        #expect(process.wait(patience) == -SIGTERM)
    }

    @Test func `an unplugged camera interrupts the session, which continues on another node`()
        throws
    {
        let camera = try FakeCamera(Self.yuyv)
        let process = try start(camera, "frames", "60")
        for (node, next) in [(0, 4), (4, 0)] {
            let before = Output(process.standardOutput).numbers.count
            try eventually("frames") { Output(process.standardOutput).numbers.count > before + 3 }
            try camera.unplug(node: node)
            let interruptions = node == 0 ? 1 : 2
            try eventually("the interruption") {
                Output(process.standardOutput).all("event").filter { $0[1] == "interrupted" }.count
                    == interruptions
            }
            try camera.plug(node: node, as: next)
            try eventually("the end of the interruption") {
                Output(process.standardOutput).all("event").filter { $0[1] == "resumed" }.count
                    == interruptions
            }
        }
        #expect(process.wait(patience) == 0)
    }

    /// Each call fails in turn: of opening, configuring, streaming, closing and the controls.
    @Test(arguments: [(ENODEV, 0), (ENODEV, 1), (EIO, 1), (EIO, 3), (EINVAL, 1)])
    func `whichever call fails, there is a typed error, and nothing stays open`(
        error: Int32, count: Int
    ) throws {
        let camera = try FakeCamera("format=YUYV 320x240 30", "real=240")
        let output = try run(camera, "faults", "\(error)", "\(count)")
        #expect(output.all("whole").allSatisfy { $0[1] == "none" })
        // fault N of CALLS CODE descriptors D threads T kilobytes K
        let rounds = output.all("fault")
        #expect(rounds.count > 60)
        let gone = ["noSuchDevice", "deviceDisconnected"]
        for round in rounds {
            let allowed =
                error == ENODEV ? gone : ["noSuchDevice", "deviceFailed", "unsupportedFormat"]
            #expect(allowed.contains(round[4]) || round[4] == "none", "\(round)")
        }
        if error == ENODEV, count == 0 {
            // If the device is gone for good, only the calls that close it do not notice.
            let unnoticed = rounds.filter { $0[4] == "none" }
            #expect(unnoticed.count < 20, "\(unnoticed)")
        }
        #expect(Set(rounds.map { $0[6] }).count == 1, "\(rounds.map { $0[6] })")
        let threads = rounds.compactMap { Int($0[8]) }
        #expect((threads.last ?? 99) <= (threads.first ?? 0) + 1, "\(threads)")
    }

    @Test(arguments: ["EAGAIN", "EIO"])
    func `a driver that announces frames which it does not have is stalled, and takes no processor`(
        error: String
    ) throws {
        let camera = try FakeCamera(Self.yuyv)
        let process = try start(camera, "frames", "60")
        func count() -> Int { Output(process.standardOutput).numbers.count }
        try eventually("frames") { count() > 3 }
        try camera.set([Self.yuyv, "dequeue=\(error)"])
        try eventually("the stall") { Output(process.standardOutput).has(event: "stalled") }
        let (time, before) = (ContinuousClock.now, try processorTime(process))
        sleep(1)
        let used = try processorTime(process) - before
        #expect(used * 4 < (ContinuousClock.now - time) / .seconds(1), "\(used) s")
        let shown = count()
        try camera.set([Self.yuyv])
        try eventually("more frames") { count() > shown }
        #expect(process.wait(patience) == 0)
        #expect(Output(process.standardOutput).has(event: "unstalled"))
    }

    /// Returns the processor time of a process, in seconds.
    private func processorTime(_ process: ChildProcess) throws -> Double {
        let text = try String(
            contentsOfFile: "/proc/\(process.identifier)/stat", encoding: .utf8)
        // The name of the program may contain spaces: proc(5).
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        let ticks = fields.count > 12 ? (Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0) : 0
        return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    @Test func `unplugging and plugging in again leaves descriptors and threads as before`() throws
    {
        let camera = try FakeCamera(Self.yuyv)
        let rounds = try run(camera, "churn", "8").all("round")
        #expect(rounds.count == 9)
        // round N picture MS descriptors D threads T kilobytes K
        #expect(Set(rounds.dropFirst().map { $0[5] }).count == 1, "\(rounds)")
        let threads = rounds.compactMap { Int($0[7]) }
        #expect((threads.last ?? 99) <= (threads.first ?? 0) + 1, "\(threads)")
    }

    @Test func `the list of cameras can be observed`() throws {
        let camera = try FakeCamera(Self.yuyv)
        let process = try start(camera, "watch", "3")
        func counts() -> [String] { Output(process.standardOutput).all("devices").map { $0[1] } }
        try eventually("the first list") { counts() == ["1"] }
        try camera.set(["card=Second", "bus=usb-2", Self.yuyv], node: 1)
        try eventually("two") { counts() == ["1", "2"] }
        try camera.unplug(node: 0)
        try eventually("one") { counts() == ["1", "2", "1"] }
        try camera.unplug(node: 1)
        try eventually("none") { counts() == ["1", "2", "1", "0"] }
        #expect(process.wait(patience) == 0)
    }

    @Test(
        .enabled(if: ProcessRunner.has("ffmpeg"), "needs ffmpeg, to make images"),
        arguments: ["yuvj420p", "yuvj422p"])
    func `images of both chroma layouts are decoded in full range with the matrix of BT.601`(
        layout: String
    ) throws {
        let camera = try FakeCamera("nothing")
        let path = camera.folder.appending("frames.mjpeg").path
        // Constant colours survive JPEG: R'G'B' 200, 100, 50 in full-range BT.601 is 124, 86, 182.
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=0xC86432:s=320x240:r=30:d=0.5",
            "-vf", "scale=out_color_matrix=bt601:out_range=full", "-pix_fmt", layout, "-q:v", "2",
            "-f", "mjpeg", path,
        ])
        try camera.set(["format=MJPG 320x240 30", "mjpeg=\(path)"])
        let output = try run(camera, "frames", "5")
        let frames = output.all("frame")
        // On a busy machine, some are late.
        #expect(!frames.isEmpty)
        #expect(frames.count + output.all("drop").count == 5, "\(output.lines)")
        for frame in frames {
            #expect(frame[4] == layout)
            #expect(frame[6] == "full")
            #expect(["5", "6"].contains(frame[7]))
            let values = frame[8].split(separator: ",").compactMap { Int($0) }
            #expect(zip(values, [124, 86, 182]).allSatisfy { abs($0 - $1) <= 2 }, "\(values)")
        }
    }

    @Test(.enabled(if: ProcessRunner.has("ffmpeg"), "needs ffmpeg, to make images"))
    func `images that change their size are shown whole, and the settings follow`() throws {
        let camera = try FakeCamera("nothing")
        var images = Data()
        for (size, color) in [("320x240", "0xC86432"), ("160x120", "0x3264C8")] {
            let path = camera.folder.appending(size)
            try ProcessRunner.check([
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=\(color):s=\(size):r=30:d=0.5",
                "-vf", "scale=out_color_matrix=bt601:out_range=full", "-pix_fmt", "yuvj420p",
                "-f", "mjpeg", path.path,
            ])
            images += try Data(contentsOf: path)
        }
        let path = camera.folder.appending("frames.mjpeg")
        try images.write(to: path)
        try camera.set(["format=MJPG 320x240 30", "mjpeg=\(path.path)"])
        let output = try run(camera, "frames", "28")
        let frames = output.all("frame")
        #expect(Set(frames.map { $0[5] }) == ["320x240", "160x120"])
        // R'G'B' 200, 100, 50 and its reverse in full-range BT.601.
        for frame in frames {
            let values = frame[8].split(separator: ",").compactMap { Int($0) }
            let expected = frame[5] == "320x240" ? [124, 86, 182] : [96, 186, 95]
            #expect(zip(values, expected).allSatisfy { abs($0 - $1) <= 2 }, "\(frame)")
        }
        #expect(output.value("damaged") == 0)
        #expect(output.all("delivered").first?[1] == "160x120")
    }

    /// Returns the path of two seconds of H.264 with a keyframe every 15 frames, which carry their
    /// number.
    private static func h264() throws -> String {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 30, duration: MediaTime(value: 2, timescale: 1)), sounds: [])
        (media.width, media.height, media.keyframeInterval) = (320, 240, 15)
        return try SyntheticClip(
            media, container: "h264",
            options: ["-tune", "zerolatency", "-bsf:v", "h264_metadata=aud=insert"]
        ).url().path
    }

    @Test(.enabled(if: ProcessRunner.has("ffmpeg"), "needs ffmpeg, to make frames"))
    func `H.264 of a camera is decoded without delay`() throws {
        let camera = try FakeCamera("nothing")
        try camera.set(["format=H264 320x240 30", "h264=\(Self.h264())"])
        let output = try run(camera, "frames", "30")
        // On a busy machine, some are late.
        #expect(output.all("frame").count + output.all("drop").count == 30)
        #expect(!output.all("frame").isEmpty)
        #expect(output.value("damaged") == 0)
    }

    @Test(.enabled(if: ProcessRunner.has("ffmpeg"), "needs ffmpeg, to make frames"))
    func `frames of H.264 that depend on a lost one are not shown`() throws {
        let camera = try FakeCamera("nothing")
        try camera.set(["format=H264 320x240 30", "h264=\(Self.h264())", "lose=20"])
        let output = try run(camera, "frames", "90")
        // On a busy machine, the first one that arrives is not the first one of the camera.
        let start = try #require(output.numbers.first)
        let first = try #require(output.stamps.first)
        let numbers = output.stamps.map { start + Int((Double($0 - first) * 30 / 1e9).rounded()) }
        #expect(numbers.filter { (20..<30).contains($0) }.isEmpty, "\(numbers)")
        #expect(numbers.contains { $0 < 20 } && numbers.contains { $0 >= 30 }, "\(numbers)")
    }
}
