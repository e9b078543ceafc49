// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadAssets
import PlayheadBuffers
import PlayheadCameras
import PlayheadCapture
import PlayheadCapturing
import PlayheadFFmpeg
import PlayheadScreens
import PlayheadThreads
import PlayheadTime
import PlayheadWriting
import Synchronization

/// A program that captures and prints what happens, a line each. Tests run it with a library that
/// plays the driver.
///
///     CameraHost list
///     CameraHost frames COUNT [size=WxH] [rate=N] [format=F]
///     CameraHost churn COUNT
///     CameraHost faults ERROR COUNT
///     CameraHost drift SECONDS PPM FILE
///     CameraHost screen COUNT
@main
struct CameraHost {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let count = arguments.count > 1 ? Int(arguments[1]) ?? 0 : 0
        do throws(CaptureError) {
            switch arguments.first {
            case "list": try list()
            case "frames": try frames(count, wishes: Array(arguments.dropFirst(2)))
            case "churn": try churn(count)
            case "watch": watch(count)
            case "drift" where arguments.count == 4:
                try drift(count, Double(arguments[2]) ?? 0, arguments[3])
            case "faults" where arguments.count == 3:
                faults(Int32(count), Int(arguments[2]) ?? 0)
            case "screen": try screen(count)
            default: say("usage list|frames|churn|watch|faults|drift|screen")
            }
        } catch {
            say("error \(error.code): \(error)")
            exit(2)
        }
    }

    static func say(_ line: String) {
        // One write a line, so that a reader sees whole lines while the program runs.
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    private static func list() throws(CaptureError) {
        for device in CaptureDiscoverySession.cameras.devices {
            say("device \(device.uniqueID) \(device.localizedName)")
            for format in try device.loadFormats() { say("format \(format)") }
            say("default \(try device.loadConfiguration().format)")
        }
    }

    /// Prints the number of cameras whenever it changes, `count` times.
    private static func watch(_ count: Int) {
        let left = Mutex(count)
        let over = DispatchSemaphore(value: 0)
        let token = CaptureDiscoverySession.cameras.observe { devices in
            say("devices \(devices.count)")
            if left.withLock({ count in
                count -= 1
                return count == 0
            }) {
                over.signal()
            }
        }
        say("devices \(CaptureDiscoverySession.cameras.devices.count)")
        over.wait()
        token.cancel()
    }

    private static func choice(_ wishes: [String]) -> CaptureFormatChoice {
        var choice = CaptureFormatChoice()
        for wish in wishes {
            let parts = wish.split(separator: "=").map(String.init)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "size":
                let size = parts[1].split(separator: "x").compactMap { Int($0) }
                if size.count == 2 { (choice.width, choice.height) = (size[0], size[1]) }
            case "rate": choice.framesPerSecond = Double(parts[1])
            case "format": choice.mediaSubType = parts[1]
            default: break
            }
        }
        return choice
    }

    /// Prints frames and drops until `count` of them have come.
    private static func frames(_ count: Int, wishes: [String]) throws(CaptureError) {
        let device = try CaptureDiscoverySession.cameras.device("0")
        let wanted = try choice(wishes).configuration(
            among: device.loadFormats(), of: device.localizedName)
        try device.configure { configuration in
            configuration = wanted
            if wishes.contains("range=full") { configuration.range = .full }
        }
        let session = CaptureSession()
        let input = CaptureDeviceInput(device: device)
        try session.addInput(input)
        let output = CaptureVideoDataOutput()
        output.alwaysDiscardsLateVideoFrames = false
        let news = Monitor(())
        let printer = Printer(count, news)
        output.setDelegate(printer)
        try session.addOutput(output)
        let preview = CapturePreview()
        try session.addOutput(preview)
        let token = session.observe {
            say("event \(text(of: $0)) at \(HostClock.nanoseconds)")
            news.wake()
        }
        try session.startRunning()
        if let agreed = input.statistics.configuration {
            say("agreed \(agreed.format) \(CaptureFormat.rate(agreed.frameDuration))")
        }
        news.wait { _ in printer.isOver || !session.isRunning ? () : nil }
        let statistics = input.statistics
        let began = HostClock.nanoseconds
        session.stopRunning()
        if let format = statistics.configuration?.format {
            say("delivered \(format.width)x\(format.height)")
        }
        say("stopped in \((HostClock.nanoseconds - began) / 1_000_000) ms")
        say(
            "statistics frames \(statistics.frameCount) lost \(statistics.lostFrameCount) damaged "
                + "\(statistics.damagedFrameCount) late \(statistics.lateFrameCount) rate "
                + "\(statistics.framesPerSecond ?? 0)")
        token.cancel()
    }

    static func text(of event: CaptureSession.Event) -> String {
        switch event {
        case .didStart: "started"
        case .didStop: "stopped"
        case .wasInterrupted: "interrupted"
        case .interruptionEnded: "resumed"
        case .deviceStalled: "stalled"
        case .deviceResumed: "unstalled"
        case .runtimeError(let error): "error \(error)"
        }
    }

    /// Unplugs and plugs in the camera of `PLAYHEAD_VIDEO_NODES` again, and prints the delays and
    /// what the process holds.
    private static func churn(_ count: Int) throws(CaptureError) {
        let folder = ProcessInfo.processInfo.environment["PLAYHEAD_VIDEO_NODES"] ?? ""
        let (node, away) = ("\(folder)/video0", "\(folder)/unplugged0")
        let session = CaptureSession()
        let device = try CaptureDiscoverySession.cameras.device("0")
        try session.addInput(CaptureDeviceInput(device: device))
        let (news, counter) = try countFrames(of: session)
        let token = session.observe { _ in news.wake() }
        defer { token.cancel() }
        try session.startRunning()
        func wait(_ condition: () -> Bool) -> Int64 {
            let start = HostClock.nanoseconds
            news.wait(nanoseconds: 60_000_000_000) { _ in condition() ? () : nil }
            return (HostClock.nanoseconds - start) / 1_000_000
        }
        for round in 0...count {
            let before = counter.count
            let picture = wait { counter.count > before + 1 }
            say("round \(round) picture \(picture) \(holdings())")
            if round == count { break }
            rename(node, away)
            let reported = wait { session.interruption != nil }
            rename(away, node)
            let back = wait { session.interruption == nil }
            say("reported \(reported) back \(back)")
        }
        session.stopRunning()
    }

    /// Adds an output that counts frames, and wakes a monitor for each.
    private static func countFrames(
        of session: CaptureSession
    ) throws(CaptureError) -> (Monitor<Void>, FrameCounter) {
        let news = Monitor(())
        let counter = FrameCounter(news)
        let output = CaptureVideoDataOutput()
        output.setDelegate(counter)
        try session.addOutput(output)
        return (news, counter)
    }

    /// Makes each call of a camera fail in turn, in all that a program does with it, until there is
    /// no further call. Prints how each round ends, and what the process holds then.
    ///
    /// - Parameters:
    ///   - error: The number of the error.
    ///   - count: The number of calls that fail, or 0 for all from there on.
    private static func faults(_ error: Int32, _ count: Int) {
        typealias Fail = @convention(c) (Int, Int, Int32) -> Void
        typealias Calls = @convention(c) () -> Int
        guard let fail = dlsym(nil, "fake_camera_fail").map({ unsafeBitCast($0, to: Fail.self) }),
            let calls = dlsym(nil, "fake_camera_calls").map({ unsafeBitCast($0, to: Calls.self) })
        else {
            say("error the camera's driver is not preloaded")
            return
        }
        // The first rounds start threads and fill caches.
        for _ in 0..<2 { say("whole \(life(0))") }
        for call in 1...10_000 {
            fail(call, count, error)
            let outcome = life(call)
            let made = calls()
            fail(0, 0, 0)
            say("fault \(call) of \(made) \(outcome) \(holdings())")
            if made < call { break }
        }
    }

    /// Does all that a program does with a camera. Returns the code of the error or of the
    /// interruption with which that ends, or "none".
    private static func life(_ value: Int) -> String {
        do throws(CaptureError) {
            // A new list, because devices keep their formats.
            let list = CaptureDiscoverySession.cameras(decoding: FFmpegSampleDecoding())
            let device = try list.device("0")
            _ = try device.loadFormats()
            _ = try device.loadControls()
            try device.setControl("brightness", to: value % 256)
            let session = CaptureSession()
            try session.addInput(CaptureDeviceInput(device: device))
            let (news, counter) = try countFrames(of: session)
            let failure = Mutex<CaptureError?>(nil)
            let token = session.observe { event in
                switch event {
                case .runtimeError(let error), .wasInterrupted(let error):
                    failure.withLock { $0 = error }
                default: break
                }
                news.wake()
            }
            defer { token.cancel() }
            try session.startRunning()
            defer { session.stopRunning() }
            let error = news.wait { _ -> CaptureError?? in
                if let error = failure.withLock({ $0 }) { return .some(error) }
                return counter.count < 3 ? nil : .some(nil)
            }
            if let error { throw error }
            return "none"
        } catch {
            return "\(error.code)"
        }
    }

    /// Records the camera with a computed microphone, whose crystal is off by a share, and prints
    /// the host time of the first sample.
    private static func drift(
        _ seconds: Int, _ ppm: Double, _ path: String
    ) throws(CaptureError) {
        let microphone = SyntheticMicrophone(clock: HostClock.shared, drift: ppm * 1e-6)
        let session = CaptureSession()
        try session.addInput(
            CaptureDeviceInput(device: CaptureDiscoverySession.cameras.device("0")))
        try session.addInput(CaptureDeviceInput(device: microphone.device))
        let movie = CaptureMovieFileOutput()
        movie.audioCodec = .flac
        movie.maxRecordedDuration = MediaTime(value: Int64(seconds), timescale: 1)
        let end = Monitor<CaptureError??>(nil)
        let token = movie.observe { event in
            if case .didFinish(_, let error) = event { end.change { $0 = .some(error) } }
        }
        defer { token.cancel() }
        try session.addOutput(movie)
        try session.startRunning()
        try movie.startRecording(to: path)
        say("microphone \(microphone.startTime?.nanoseconds ?? 0)")
        if let error = end.wait(until: { $0 }), error.code != .maximumDurationReached {
            throw error
        }
        session.stopRunning()
        say("dropped \(movie.droppedFrameCount)")
    }

    /// Captures the screen until it shows the number `count`, then two seconds in which nothing
    /// changes. Prints the numbers that were seen, the frames without a number between them, and the
    /// processor time of both parts.
    private static func screen(_ count: Int) throws(CaptureError) {
        let device = try CaptureDevice.screen(showsCursor: false)
        let session = CaptureSession()
        try session.addInput(CaptureDeviceInput(device: device))
        let output = CaptureVideoDataOutput()
        output.alwaysDiscardsLateVideoFrames = false
        let news = Monitor(())
        let reader = NumberReader(news)
        output.setDelegate(reader)
        try session.addOutput(output)
        try session.startRunning()
        say("running")
        news.wait { _ in reader.seen.isEmpty ? nil : () }
        let start = (HostClock.nanoseconds, processorTime)
        news.wait { _ in reader.seen.contains(count) ? () : nil }
        let end = (HostClock.nanoseconds, processorTime)
        // The span of the measurement, unless the session ends.
        let hasEnded = news.wait(nanoseconds: 2_000_000_000) { _ in session.isRunning ? nil : true }
        let still = hasEnded == nil ? processorTime - end.1 : .max
        session.stopRunning()
        say(
            "screen seen \(reader.seen.count) torn \(reader.tornCount) share "
                + "\(Double(end.1 - start.1) / Double(end.0 - start.0)) still "
                + "\(Double(still) / 2e9)")
    }

    /// The processor time of the process, in nanoseconds.
    private static var processorTime: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The numbers of descriptors and threads, and the resident memory, of the process.
    private static func holdings() -> String {
        func entries(_ path: String) -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
        }
        let memory = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = memory.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return "descriptors \(entries("/proc/self/fd")) threads \(entries("/proc/self/task")) "
            + "kilobytes \(pages * Int(getpagesize()) / 1024)"
    }
}

/// Counts frames.
private final class FrameCounter: CaptureVideoDataOutputDelegate {
    private let news: Monitor<Void>
    private let state = Mutex(0)

    /// Creates a counter that wakes a monitor for each frame.
    init(_ news: Monitor<Void>) { self.news = news }

    var count: Int { state.withLock { $0 } }

    func captureOutput(
        _ output: CaptureVideoDataOutput, didOutput frame: VideoFrame,
        from connection: CaptureConnection
    ) {
        state.withLock { $0 += 1 }
        news.wake()
    }
}

/// Reads the numbers of frames.
private final class NumberReader: CaptureVideoDataOutputDelegate {
    private let news: Monitor<Void>
    private let state = Mutex((seen: Set<Int>(), tornCount: 0))

    /// Creates a reader that wakes a monitor for each frame.
    init(_ news: Monitor<Void>) { self.news = news }

    var seen: Set<Int> { state.withLock { $0.seen } }
    var tornCount: Int { state.withLock { $0.tornCount } }

    func captureOutput(
        _ output: CaptureVideoDataOutput, didOutput frame: VideoFrame,
        from connection: CaptureConnection
    ) {
        let number = FrameNumberStrip.read(from: frame.pixelBuffer)
        state.withLock { state in
            if let number {
                state.seen.insert(number)
            } else if !state.seen.isEmpty {
                state.tornCount += 1
            }
        }
        news.wake()
    }
}

/// Prints frames and drops.
private final class Printer: CaptureVideoDataOutputDelegate {
    private let news: Monitor<Void>
    private let left: Mutex<Int>

    /// Creates a printer of a number of lines that wakes a monitor after each.
    init(_ count: Int, _ news: Monitor<Void>) {
        self.news = news
        left = Mutex(count)
    }

    var isOver: Bool { left.withLock { $0 <= 0 } }

    private func count() -> Bool {
        left.withLock { left in
            left -= 1
            return left >= 0
        }
    }

    func captureOutput(
        _ output: CaptureVideoDataOutput, didOutput frame: VideoFrame,
        from connection: CaptureConnection
    ) {
        guard count() else { return }
        let buffer = frame.pixelBuffer
        let number = FrameNumberStrip.read(from: buffer).map { "\($0)" } ?? "none"
        let color = buffer.color
        CameraHost.say(
            "frame \(number) \(frame.presentationTime.nanoseconds ?? 0) \(HostClock.nanoseconds) "
                + "\(buffer.format) \(buffer.width)x\(buffer.height) \(color.range) "
                + "\(color.matrix.rawValue) \(samples(of: buffer))")
        news.wake()
    }

    func captureOutput(
        _ output: CaptureVideoDataOutput, didDropFrameAt time: MediaTime,
        reason: CaptureDropReason, from connection: CaptureConnection
    ) {
        guard count() else { return }
        CameraHost.say("drop \(reason) \(time.nanoseconds ?? 0)")
        news.wake()
    }

    /// The components of a pixel at three quarters of width and height, in 8 bits.
    private func samples(of buffer: PixelBuffer) -> String {
        let (x, y) = (buffer.width * 3 / 4 & ~1, buffer.height * 3 / 4 & ~1)
        let values = buffer.format.components.map { component -> String in
            let plane = buffer.planes[component.plane]
            let isChroma = buffer.format.isChroma(plane: component.plane)
            let column = isChroma ? x >> buffer.format.log2ChromaWidth : x
            let row = isChroma ? y >> buffer.format.log2ChromaHeight : y
            let place = row * plane.bytesPerRow + column * component.step + component.offset
            return "\(plane.baseAddress.load(fromByteOffset: place, as: UInt8.self))"
        }
        return values.joined(separator: ",")
    }
}
