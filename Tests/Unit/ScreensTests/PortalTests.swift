// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadBuffers
import PlayheadBus
import PlayheadCapturing
import PlayheadTime
import ScreenTestSupport
import Synchronization
import Testing

@testable import PlayheadScreens

/// Screens of Wayland: PipeWire and its session manager on a private bus, with a portal that
/// answers as its user would.
@Suite(
    "Screens of Wayland", .serialized,
    .enabled(
        if: PrivateDesktop.isAvailable && PipeWireLibrary.shared != nil,
        "\(PrivateDesktop.absence)"))
struct PortalTests {
    /// The maximum time until the first frame, in nanoseconds. In a desktop that has just started,
    /// it includes the start of the session manager.
    private static let patience: Int64 = 120_000_000_000

    /// A desktop with a compositor that shows numbers.
    private final class Desktop {
        let session: PrivateDesktop
        let producer: NumberProducer
        let portal: PortalDouble

        init(
            _ answer: PortalDouble.Answer? = nil, pixels: PipeWireVideo.Pixels = .bgrx,
            width: Int = 640, height: Int = 360
        ) throws {
            let session = try PrivateDesktop()
            let producer = try NumberProducer(
                session, pixels: pixels, width: width, height: height)
            (self.session, self.producer) = (session, producer)
            portal = try #require(
                PortalDouble(session.bus.address, answer ?? .grant(producer.node)) {
                    session.connect()
                })
        }

        func device(
            _ content: ScreenContent = .screen, part: ScreenArea? = nil,
            tokenHandler: (@Sendable (String) -> Void)? = nil
        ) -> CaptureDevice {
            CaptureDevice(
                PortalSource(
                    content, part: part, busAddress: session.bus.address,
                    patienceNanoseconds: PortalTests.patience, tokenHandler: tokenHandler))
        }

        /// Shows a number until a condition is true: a consumer that is about to connect, or to
        /// change its format, misses frames.
        func show(_ number: Int, until condition: () -> Bool) throws {
            try eventually("the effect of number \(number)") {
                if producer.isIdle { producer.send([number]) }
                return condition()
            }
        }

        /// Starts a capture, and shows it a number.
        func view(_ device: CaptureDevice, _ number: Int) throws -> ScreenViewer {
            let viewer = try ScreenViewer(device)
            try show(number) { viewer.number == number }
            return viewer
        }
    }

    private func color(_ buffer: PixelBuffer, _ x: Int, _ y: Int) -> [UInt8] {
        let plane = buffer.planes[0]
        let pixel = plane.baseAddress + y * plane.bytesPerRow + x * 4
        return (0..<3).map { pixel.load(fromByteOffset: 2 - $0, as: UInt8.self) }
    }

    @Test func `the numbers that a compositor shows are captured whole, with its times`() throws {
        let desktop = try Desktop(width: 1280, height: 720)
        let viewer = try desktop.view(desktop.device(), 0)
        for number in 1...60 { try desktop.show(number) { viewer.number == number } }
        #expect(!viewer.numbers.contains(nil))
        #expect(zip(viewer.times, viewer.times.dropFirst()).allSatisfy { $0 < $1 })
        let agreed = try #require(viewer.input.statistics.configuration)
        #expect((agreed.format.width, agreed.format.height) == (1280, 720))
        #expect(viewer.input.statistics.damagedFrameCount == 0)
    }

    @Test func `the device has no size until the user has selected`() throws {
        let desktop = try Desktop(.wait)
        let device = desktop.device()
        #expect(try device.loadFormats().map(\.description) == ["BGR0, 60 fps"])
        let viewer = try ScreenViewer(device)
        try eventually("the dialog") { desktop.portal.record.calls.contains("Start") }
        #expect(viewer.input.statistics.configuration?.format.width == 0)
        // The user never answers. Stopping closes the dialog.
        viewer.session.stopRunning()
        #expect(viewer.numbers.isEmpty)
        try eventually("the dialog to close") {
            let calls = desktop.portal.record.calls
            return calls.contains("request Close") && calls.contains("session Close")
        }
    }

    @Test func `a user who declines, and a user who stops sharing, end the session`() throws {
        let desktop = try Desktop(.decline)
        let declined = try ScreenViewer(desktop.device(.window))
        #expect(
            try declined.error().description
                == "window: sharing was declined; start again, and select a window in the dialog")
        #expect(!declined.session.isRunning)
        desktop.portal.set(.grant(desktop.producer.node))
        let viewer = try desktop.view(desktop.device(), 7)
        desktop.portal.endSession()
        let error = try viewer.error()
        #expect(error.code == .deviceDisconnected)
        #expect(error.cause == "sharing has ended")
        #expect(!error.remedy.isEmpty)
    }

    @Test func `without a portal, a bus or the right to share there is an error with a remedy`()
        throws
    {
        let bus = try PrivateBus()
        func error(_ address: String) throws -> CaptureError {
            try ScreenViewer(CaptureDevice(PortalSource(.screen, busAddress: address))).error()
        }
        #expect(try error("unix:path=/nonexistent/bus").cause == "there is no session bus")
        let absent = try error(bus.address)
        #expect(absent.code == .noSuchDevice)
        #expect(absent.remedy.hasPrefix("install xdg-desktop-portal"))
        let portal = try #require(PortalDouble(bus.address, .lacking) { -1 })
        #expect(try error(bus.address).cause == "the desktop portal cannot share screens")
        portal.set(.fail)
        #expect(try error(bus.address).cause.hasSuffix("out of order"))
        // The portal grants a stream, but PipeWire is not there.
        portal.set(.grant(1))
        #expect(try error(bus.address).cause.hasSuffix("no PipeWire"))
        // The portal ends while the user is asked.
        portal.set(.wait)
        let viewer = try ScreenViewer(
            CaptureDevice(PortalSource(.screen, busAddress: bus.address)))
        try eventually("the dialog") { portal.record.calls.last == "Start" }
        portal.end()
        #expect(try viewer.error().cause == "the desktop portal has ended")
    }

    @Test func `a window that closes, and PipeWire that ends, end the session`() throws {
        let desktop = try Desktop()
        let viewer = try desktop.view(desktop.device(), 1)
        desktop.producer.end()
        #expect(try viewer.error().code == .deviceDisconnected)
        let other = try Desktop()
        let second = try other.view(other.device(), 2)
        other.session.killPipeWire()
        #expect(try second.error().code == .deviceDisconnected)
    }

    @Test func `frames keep their size when a window is resized`() throws {
        let desktop = try Desktop()
        let viewer = try desktop.view(desktop.device(.window), 1)
        desktop.producer.resize(400, 200)
        try desktop.show(2) {
            viewer.last.flatMap { color($0, 399, 199) == [3, 3, 3] } ?? false
        }
        let small = try #require(viewer.last)
        #expect((small.width, small.height) == (640, 360))
        #expect(color(small, 600, 300) == [0, 0, 0] && color(small, 100, 300) == [0, 0, 0])
        // The larger window has 576 x 360 pixels of the frame.
        desktop.producer.resize(800, 500)
        try desktop.show(3) { viewer.last.map { color($0, 575, 359) == [4, 4, 4] } ?? false }
        let large = try #require(viewer.last)
        #expect((large.width, large.height) == (640, 360) && color(large, 577, 300) == [0, 0, 0])
    }

    @Test func `the visible part of a larger frame is captured, and a part of it`() throws {
        let desktop = try Desktop(pixels: .rgba)
        desktop.producer.crop(ScreenArea(x: 100, y: 50, width: 320, height: 180))
        let viewer = try desktop.view(desktop.device(.window), 9)
        let buffer = try #require(viewer.last)
        #expect((buffer.width, buffer.height) == (320, 180))
        viewer.session.stopRunning()
        let part = ScreenArea(x: 0, y: 40, width: 64, height: 20)
        let second = try ScreenViewer(desktop.device(part: part))
        // The frame of the number before may still arrive.
        try desktop.show(10) { second.last.map { color($0, 63, 19) == [11, 11, 11] } ?? false }
        #expect(second.last?.width == 64 && second.last?.height == 20)
        second.session.stopRunning()
        let outside = try ScreenViewer(
            desktop.device(part: ScreenArea(x: 300, y: 0, width: 64, height: 20)))
        try desktop.show(11) { !outside.session.isRunning }
        #expect(try outside.error().code == .unsupportedFormat)
    }

    @Test(arguments: [true, false])
    func `a session that starts again uses the newest token, and does not ask`(
        isStored: Bool
    ) throws {
        let desktop = try Desktop()
        let tokens = Mutex<[String]>([])
        let note: @Sendable (String) -> Void = { token in tokens.withLock { $0.append(token) } }
        let device = desktop.device(tokenHandler: isStored ? note : nil)
        for round in 1...3 {
            let viewer = try desktop.view(device, round)
            let selection = desktop.portal.record.selection
            #expect(selection["restore_token"]?.words == (round == 1 ? nil : "token\(round - 1)"))
            #expect(selection["persist_mode"]?.number == (isStored ? 2 : 1))
            viewer.session.stopRunning()
        }
        #expect(desktop.portal.record.dialogCount == 1)
        #expect(tokens.withLock { $0 } == (isStored ? ["token1", "token2", "token3"] : []))
    }

    @Test func `a screen on which nothing changes is not copied`() throws {
        let desktop = try Desktop()
        let source = PortalSource(
            .screen, busAddress: desktop.session.bus.address, patienceNanoseconds: Self.patience)
        let frames = Mutex<[CaptureFrame]>([])
        let stream = try source.start(CaptureConfiguration(format: source.loadFormats()[0])) {
            event in
            if case .frame(let frame) = event { frames.withLock { $0.append(frame) } }
        }
        try desktop.show(5) { frames.withLock { !$0.isEmpty } }
        // The last number that was sent may still arrive; then only the frame that stays does, the
        // same object each second.
        try eventually("repetitions") {
            let last = frames.withLock { $0.suffix(3) }
            return last.count == 3 && Set(last.map { ObjectIdentifier($0.pixelBuffer) }).count == 1
        }
        stream.stop()
        let all = frames.withLock { $0 }
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.hostTime < $1.hostTime })
    }
}
