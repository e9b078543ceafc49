// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadCapturing
import PlayheadPlayback
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadScreens

/// Screens and windows of a private X server, with a client that shows numbers.
@Suite(.serialized, .enabled(if: NumberClient.isAvailable, "needs Xvfb, xdotool and XClient"))
struct ScreenTests {
    private struct PixelSize: Hashable {
        var width: Int
        var height: Int
    }

    private final class Viewer: CaptureVideoDataOutputDelegate {
        let frames = Mutex<[PixelBuffer]>([])
        let times = Mutex<[MediaTime]>([])
        private let allSizes = Mutex<Set<PixelSize>>([])
        /// The sizes of all frames so far.
        var sizes: Set<PixelSize> { allSizes.withLock { $0 } }

        func captureOutput(
            _ output: CaptureVideoDataOutput, didOutput frame: VideoFrame,
            from connection: CaptureConnection
        ) {
            let buffer = frame.pixelBuffer
            frames.withLock { $0 = [buffer] }
            allSizes.withLock { _ = $0.insert(.init(width: buffer.width, height: buffer.height)) }
            times.withLock { $0.append(frame.presentationTime) }
        }

        var count: Int { times.withLock { $0.count } }
        var last: PixelBuffer? { frames.withLock { $0.last } }
        var number: Int? { last.flatMap { FrameNumberStrip.read(from: $0) } }

        /// Returns the number of a window or a screen that is scaled to a part of the frame.
        func number(of source: (Int, Int), in part: (Int, Int)) -> Int? {
            guard let plane = last?.planes[0] else { return nil }
            return FrameNumberStrip.read(
                in: .init(width: Double(part.0), height: Double(part.1)), sourceWidth: source.0,
                sourceHeight: source.1
            ) { x, y in
                let place = y * plane.bytesPerRow + x * 4 + 1
                return Double(plane.baseAddress.load(fromByteOffset: place, as: UInt8.self))
            }
        }
    }

    /// A session that shows a device to a viewer.
    private final class Capture {
        let session = CaptureSession()
        let input: CaptureDeviceInput
        let output = CaptureVideoDataOutput()
        let viewer = Viewer()

        init(_ device: CaptureDevice) throws {
            input = CaptureDeviceInput(device: device)
            try session.addInput(input)
            output.alwaysDiscardsLateVideoFrames = false
            output.setDelegate(viewer, queue: ObservationQueue { job in job() })
            try session.addOutput(output)
            try session.startRunning()
        }

        deinit { session.stopRunning() }
    }

    private func device(
        _ server: XServer, part: ScreenArea? = nil, showsCursor: Bool = false
    ) -> CaptureDevice {
        CaptureDevice(
            ScreenSource(
                .monitor("screen", part: part), name: "screen", showsCursor: showsCursor,
                display: server.name))
    }

    private func color(_ buffer: PixelBuffer, _ x: Int, _ y: Int) -> [UInt8] {
        let plane = buffer.planes[0]
        let pixel = plane.baseAddress + y * plane.bytesPerRow + x * 4
        return (0..<3).map { pixel.load(fromByteOffset: 2 - $0, as: UInt8.self) }
    }

    @Test func `a screen is listed, and each number that it shows is captured`() throws {
        let server = try XServer()
        let list = CaptureDiscoverySession(
            ScreenProvider(.screens, display: server.name), of: "screen")
        #expect(list.devices.count == 1)
        let device = try list.device("0")
        #expect(try list.device("0") === device)
        #expect(try device.loadFormats().map(\.description) == ["1280 x 720 BGR0, 60 fps"])
        let client = try NumberClient(server, width: 1280, height: 720)
        let capture = try Capture(device)
        for number in 1...60 {
            client.show(number)
            try eventually("number \(number)") { capture.viewer.number == number }
        }
        let buffer = try #require(capture.viewer.last)
        #expect((buffer.width, buffer.height) == (1280, 720))
        #expect(color(buffer, 300, 300) == [60, 92, 124])
        let times = capture.viewer.times.withLock { $0 }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func `a screen on which nothing changes is not copied`() throws {
        let server = try XServer()
        let client = try NumberClient(server)
        client.show(5)
        let source = ScreenSource(
            .monitor("screen", part: nil), name: "screen", showsCursor: true, display: server.name)
        let frames = Mutex<[CaptureFrame]>([])
        let stream = try source.start(
            CaptureConfiguration(format: source.loadFormats()[0])
        ) { event in
            if case .frame(let frame) = event { frames.withLock { $0.append(frame) } }
        }
        try eventually("the number") {
            frames.withLock { $0.last.flatMap { FrameNumberStrip.read(from: $0.pixelBuffer) } } == 5
        }
        let copied = frames.withLock { $0.last?.sequence }
        let count = frames.withLock { $0.count }
        // Only the frame that stays arrives, the same object each second.
        try eventually("repetitions") { frames.withLock { $0.count } >= count + 2 }
        let last = frames.withLock { $0.suffix(3) }
        #expect(last.allSatisfy { $0.sequence == copied })
        #expect(Set(last.map { ObjectIdentifier($0.pixelBuffer) }).count == 1)
        stream.stop()
    }

    @Test func `frames arrive no faster than the rate`() throws {
        let server = try XServer()
        let client = try NumberClient(server)
        let device = device(server)
        try device.configure { $0.frameDuration = MediaTime(value: 1, timescale: 10) }
        let capture = try Capture(device)
        for number in 1...200 { client.show(number) }
        try eventually("the last number") { capture.viewer.number == 200 }
        let times = capture.viewer.times.withLock { $0 }
        for (first, second) in zip(times, times.dropFirst(1)).dropFirst() {
            #expect((second - first).seconds >= 0.05)
        }
    }

    @Test func `a part of a screen has its own pixels`() throws {
        let server = try XServer()
        let inside = try NumberClient(server, title: "in", x: 400, y: 200, width: 320, height: 180)
        let outside = try NumberClient(server, title: "out", x: 0, y: 0, width: 320, height: 180)
        let capture = try Capture(
            device(server, part: ScreenArea(x: 400, y: 200, width: 320, height: 180)))
        inside.show(7)
        try eventually("the number") { capture.viewer.number == 7 }
        for number in 1...20 { outside.show(number) }
        inside.show(8)
        try eventually("the next number") { capture.viewer.number == 8 }
        #expect(capture.viewer.last?.width == 320 && capture.viewer.last?.height == 180)
        let error = #expect(throws: CaptureError.self) {
            try device(server, part: ScreenArea(x: 1000, y: 0, width: 320, height: 180))
                .loadFormats()
        }
        #expect(error?.code == .unsupportedFormat)
    }

    @Test func `the cursor is in the frames, and moves without drawing`() throws {
        let server = try XServer()
        let client = try NumberClient(server, width: 1280, height: 720)
        client.show(0)
        try server.xdotool("mousemove", "300", "300")
        let plain = try Capture(device(server))
        let pointed = try Capture(device(server, showsCursor: true))
        try eventually("frames") { plain.viewer.number == 0 && pointed.viewer.number == 0 }
        /// Returns whether a frame differs from the client's colour around a place.
        func isPointed(_ capture: Capture, _ x: Int, _ y: Int) -> Bool {
            guard let buffer = capture.viewer.last else { return false }
            for row in (y - 12)...(y + 12) {
                for column in (x - 12)...(x + 12)
                where color(buffer, column, row) != [0x20, 0x40, 0x60] { return true }
            }
            return false
        }
        try eventually("the cursor") { isPointed(pointed, 300, 300) }
        #expect(!isPointed(plain, 300, 300))
        try server.xdotool("mousemove", "900", "500")
        try eventually("the moved cursor") {
            isPointed(pointed, 900, 500) && !isPointed(pointed, 300, 300)
        }
    }

    @Test func `a window is captured where another covers it, resized, and gone when it closes`()
        throws
    {
        let server = try XServer()
        let client = try NumberClient(server, title: "Below", x: 50, y: 50, width: 640, height: 360)
        let list = CaptureDiscoverySession(
            ScreenProvider(.windows, display: server.name), of: "window")
        let device = try list.device("Below")
        #expect(try list.device("0x\(String(client.window, radix: 16))") === device)
        let above = try NumberClient(server, title: "Above", width: 1280, height: 720)
        above.show(99)
        let capture = try Capture(device)
        let events = Mutex<[CaptureSession.Event]>([])
        let token = capture.session.observe { event in events.withLock { $0.append(event) } }
        client.show(1)
        try eventually("the covered number") { capture.viewer.number == 1 }
        // Frames keep their size.
        client.resize(400, 200)
        client.show(2)
        try eventually("the number of the small window") { capture.viewer.number == 2 }
        let small = try #require(capture.viewer.last)
        #expect((small.width, small.height) == (640, 360))
        try eventually("black beside it") {
            capture.viewer.last.map { color($0, 600, 300) == [0, 0, 0] } ?? false
        }
        client.resize(800, 500)
        client.show(3)
        // The whole window is in the frame: 576 x 360 pixels of it.
        try eventually("the number of the large window") {
            capture.viewer.number(of: (800, 500), in: (576, 360)) == 3
        }
        client.close()
        try eventually("the interruption") {
            events.withLock { $0 }.contains {
                if case .wasInterrupted = $0 { return true }
                return false
            }
        }
        withExtendedLifetime((token, above)) {}
    }

    @Test(.enabled(if: ProcessRunner.has("xrandr"), "needs xrandr"))
    func `a screen that changes its size is captured whole, in frames of the first size`() throws {
        let server = try XServer()
        let client = try NumberClient(server, width: 1280, height: 720)
        let large = try Capture(device(server, showsCursor: true))
        client.show(1)
        try eventually("the number") { large.viewer.number == 1 }
        try server.resize(width: 800, height: 600)
        client.show(2)
        try eventually("the number of the small screen") { large.viewer.number == 2 }
        try eventually("black beside it") {
            large.viewer.last.map {
                color($0, 900, 300) == [0, 0, 0] && color($0, 300, 650) == [0, 0, 0]
            } ?? false
        }
        let small = try Capture(device(server))
        try eventually("the number") { small.viewer.number == 2 }
        try server.resize(width: 1280, height: 720)
        client.show(3)
        try eventually("the whole number") { large.viewer.number == 3 }
        // 800 x 450 pixels of the large screen.
        try eventually("the number of the large screen") {
            small.viewer.number(of: (1280, 720), in: (800, 450)) == 3
        }
        for (capture, size) in [(large, (1280, 720)), (small, (800, 600))] {
            #expect(capture.session.isRunning && capture.session.interruption == nil)
            #expect(capture.viewer.sizes == [PixelSize(width: size.0, height: size.1)])
        }
    }

    @Test(.enabled(if: ProcessRunner.has("xrandr"), "needs xrandr"))
    func `a monitor that is switched off is captured again when it is back`() throws {
        let server = try XServer()
        /// Adds or removes a monitor, and changes the size of the screen, which the server reports.
        func setMonitor(_ geometry: String?, _ width: Int, _ height: Int) throws {
            try ProcessRunner.check(
                ["xrandr"]
                    + (geometry.map { ["--setmonitor", "left", $0, "none"] }
                        ?? ["--delmonitor", "left"]),
                environment: ["DISPLAY": server.name], deadline: patience)
            try server.resize(width: width, height: height)
        }
        try setMonitor("640/170x360/95+0+0", 1280, 720)
        let client = try NumberClient(server, width: 640, height: 360)
        let source = ScreenSource(
            .monitor("left", part: nil), name: "left", showsCursor: true, display: server.name)
        let capture = try Capture(CaptureDevice(source))
        let events = Mutex<[CaptureSession.Event]>([])
        let token = capture.session.observe { event in events.withLock { $0.append(event) } }
        client.show(1)
        try eventually("the number") { capture.viewer.number == 1 }
        try setMonitor(nil, 800, 600)
        try eventually("the stall") {
            events.withLock { $0 }.contains { if case .deviceStalled = $0 { true } else { false } }
        }
        // Twice as large as before, so the frames have its mean pixels.
        try setMonitor("1280/340x720/190+0+0", 1280, 720)
        try eventually("the end of the stall") {
            events.withLock { $0 }.contains(.deviceResumed)
        }
        client.show(2)
        try eventually("the number in a quarter of the frame") {
            capture.viewer.number(of: (640, 360), in: (320, 180)) == 2
        }
        #expect(capture.session.isRunning && capture.session.interruption == nil)
        #expect(capture.viewer.sizes == [PixelSize(width: 640, height: 360)])
        withExtendedLifetime((token, client)) {}
    }

    @Test(.enabled(if: ProcessRunner.has("xrandr"), "needs xrandr"))
    func `a part that is no longer on its screen ends the capture with the reason`() throws {
        let server = try XServer()
        let capture = try Capture(
            device(server, part: ScreenArea(x: 900, y: 0, width: 320, height: 180)))
        let events = Mutex<[CaptureSession.Event]>([])
        let token = capture.session.observe { event in events.withLock { $0.append(event) } }
        try server.resize(width: 800, height: 600)
        let error = try eventually("the error") {
            events.withLock { $0 }.lazy.compactMap { event -> CaptureError? in
                if case .runtimeError(let error) = event { error } else { nil }
            }.first
        }
        #expect(error.code == .unsupportedFormat)
        #expect(error.cause == "the part is not within its 800 x 600 pixels")
        withExtendedLifetime(token) {}
    }

    @Test func `without a server there is no screen`() {
        let list = CaptureDiscoverySession(
            ScreenProvider(.screens, display: ":987"), of: "screen")
        #expect(list.devices.isEmpty)
        let error = #expect(throws: CaptureError.self) { try list.device("0") }
        #expect(error?.description.hasPrefix("screen:0: there is no screen") == true)
    }
}
