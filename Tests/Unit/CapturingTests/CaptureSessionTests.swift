// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadPlayback
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadCapturing

/// The life of a session: inputs, outputs, interruptions.
@Suite struct CaptureSessionTests {
    /// Collects the events of a session.
    private final class Events: Sendable {
        private let list = Mutex<[CaptureSession.Event]>([])
        private let token = Mutex<ObservationToken?>(nil)

        init(of session: CaptureSession) {
            let token = session.observe { [weak self] event in
                self?.list.withLock { $0.append(event) }
            }
            self.token.withLock { $0 = token }
        }

        var all: [CaptureSession.Event] { list.withLock { $0 } }

        func wait(_ what: String, _ matches: (CaptureSession.Event) -> Bool) throws {
            try eventually(what) { all.contains(where: matches) }
        }
    }

    @Test func `a device is open exactly while the session runs and a connection is enabled`()
        throws
    {
        let subject = try SyntheticSession()
        let preview = CapturePreview()
        try subject.session.addOutput(preview)
        #expect(subject.camera.openings == (0, 0))
        try subject.session.startRunning()
        #expect(subject.camera.openings == (1, 1))
        preview.connection?.isEnabled = false
        #expect(subject.camera.openings == (1, 0))
        preview.connection?.isEnabled = true
        #expect(subject.camera.openings == (2, 1))
        subject.session.removeOutput(preview)
        #expect(subject.camera.openings == (2, 0))
        try subject.session.addOutput(preview)
        #expect(subject.camera.openings == (3, 1))
        subject.session.stopRunning()
        #expect(subject.camera.openings == (3, 0))
    }

    @Test func `a released session closes its devices`() throws {
        let clock = ManualClock()
        let camera = SyntheticCamera(clock: clock)
        do {
            let session = CaptureSession()
            try session.addInput(CaptureDeviceInput(device: camera.device))
            try session.addOutput(CapturePreview())
            try session.startRunning()
            #expect(camera.openings == (1, 1))
        }
        #expect(camera.openings == (1, 0))
    }

    @Test func `changes between begin and commit apply together, at the outermost commit`() throws {
        let subject = try SyntheticSession()
        try subject.session.startRunning()
        subject.session.beginConfiguration()
        subject.session.beginConfiguration()
        let preview = CapturePreview()
        try subject.session.addOutput(preview)
        try subject.session.commitConfiguration()
        #expect(subject.camera.openings == (0, 0))
        try subject.session.commitConfiguration()
        #expect(subject.camera.openings == (1, 1))
    }

    @Test func `inputs and outputs are added once`() throws {
        let subject = try SyntheticSession()
        let again = CaptureDeviceInput(device: subject.camera.device)
        #expect(!subject.session.canAddInput(again))
        #expect(throws: CaptureError.self) { try subject.session.addInput(again) }
        let output = CaptureVideoDataOutput()
        try subject.session.addOutput(output)
        #expect(!CaptureSession().canAddOutput(output))
        #expect(throws: CaptureError.self) { try CaptureSession().addOutput(output) }
        subject.session.removeOutput(output)
        #expect(output.connection == nil)
        #expect(CaptureSession().canAddOutput(output))
    }

    @Test func `without connections, frames pass only where one is added`() throws {
        let subject = try SyntheticSession()
        let (first, second) = (CapturePreview(), CapturePreview())
        try subject.session.addOutputWithNoConnections(first)
        try subject.session.addOutputWithNoConnections(second)
        #expect(first.connection == nil)
        try subject.session.addConnection(
            CaptureConnection(input: subject.input, output: second))
        #expect(throws: CaptureError.self) {
            try subject.session.addConnection(
                CaptureConnection(input: subject.input, output: second))
        }
        try subject.session.startRunning()
        subject.advance(pastFrame: 3)
        #expect(first.receivedFrameCount == 0)
        #expect(second.receivedFrameCount == 4)
    }

    @Test func `a device that cannot be opened fails the start, and a later one succeeds`() throws {
        let subject = try SyntheticSession()
        try subject.session.addOutput(CapturePreview())
        let busy = CaptureError(.deviceInUse, subject: "Camera", cause: "another program uses it")
        subject.camera.openingError = busy
        #expect(throws: busy) { try subject.session.startRunning() }
        #expect(!subject.session.isRunning)
        subject.camera.openingError = nil
        try subject.session.startRunning()
        #expect(subject.camera.openings == (1, 1))
    }

    @Test func `an unplugged device interrupts the session, which continues by itself`() throws {
        let subject = try SyntheticSession()
        let preview = CapturePreview()
        try subject.session.addOutput(preview)
        let events = Events(of: subject.session)
        try subject.session.startRunning()
        for round in 1...20 {
            subject.camera.disconnect()
            #expect(subject.session.interruption?.code == .deviceDisconnected)
            #expect(subject.session.isRunning)
            try eventually("the device to be closed") { subject.camera.openings.now == 0 }
            let before = preview.receivedFrameCount
            subject.advance(frames: 10)
            #expect(preview.receivedFrameCount == before)
            subject.camera.reconnect()
            try eventually("the device to be open") { subject.camera.openings == (round + 1, 1) }
            try eventually("the interruption to end") { subject.session.interruption == nil }
            subject.advance(frames: 2)
            #expect(preview.receivedFrameCount > before)
        }
        try eventually("the events") {
            events.all.filter { $0 == .interruptionEnded }.count == 20
        }
        let interruptions = events.all.filter { event in
            if case .wasInterrupted = event { true } else { false }
        }
        #expect(interruptions.count == 20)
    }

    @Test(arguments: [false, true])
    func `a device that another program has opened meanwhile is opened once it is free`(
        isUnplugged: Bool
    ) throws {
        let subject = try SyntheticSession()
        let preview = CapturePreview()
        try subject.session.addOutput(preview)
        let events = Events(of: subject.session)
        try subject.session.startRunning()
        let connection = try #require(preview.connection)
        let busy = CaptureError(
            .deviceInUse, subject: subject.camera.device.localizedName,
            cause: "another program uses it", remedy: "close that program")
        var reason = busy
        reason.remedy = "close that program to continue"
        if isUnplugged {
            subject.camera.disconnect()
            try eventually("the device to be closed") { subject.camera.openings.now == 0 }
            subject.camera.openingError = busy
            subject.camera.reconnect()
        } else {
            connection.isEnabled = false
            subject.camera.openingError = busy
            connection.isEnabled = true
        }
        try events.wait("the interruption") { $0 == .wasInterrupted(reason) }
        #expect(subject.session.isRunning && subject.session.interruption == reason)
        // A connection that is disabled meanwhile has no device that is back.
        connection.isEnabled = false
        connection.isEnabled = true
        #expect(subject.session.interruption == reason && subject.camera.openings == (1, 0))

        subject.camera.openingError = nil
        try events.wait("the end of the interruption") { $0 == .interruptionEnded }
        #expect(subject.session.interruption == nil && subject.camera.openings == (2, 1))
        let count = preview.receivedFrameCount
        subject.advance(frames: 2)
        #expect(preview.receivedFrameCount > count)
        #expect(events.all.count { $0 == .wasInterrupted(reason) } == 1)
    }

    @Test func `a device in use is waited for after a group of changes too`() throws {
        let subject = try SyntheticSession()
        let preview = CapturePreview()
        try subject.session.addOutput(preview)
        try subject.session.startRunning()
        let busy = Self.busy(subject)
        subject.session.beginConfiguration()
        preview.connection?.isEnabled = false
        try subject.session.commitConfiguration()
        subject.camera.openingError = busy
        subject.session.beginConfiguration()
        preview.connection?.isEnabled = true
        #expect(throws: busy) { try subject.session.commitConfiguration() }
        #expect(subject.session.isRunning && subject.session.interruption == busy)
        subject.camera.openingError = nil
        try eventually("the device to be open") { subject.camera.openings == (2, 1) }
        try eventually("the end of the interruption") { subject.session.interruption == nil }
    }

    /// The error of the camera while another program uses it.
    private static func busy(_ subject: SyntheticSession) -> CaptureError {
        CaptureError(
            .deviceInUse, subject: subject.camera.device.localizedName,
            cause: "another program uses it")
    }

    /// Closes the camera, and lets another program have it when it is to be opened again.
    private static func loseDevice(
        of subject: SyntheticSession, shownBy preview: CapturePreview
    ) throws {
        let connection = try #require(preview.connection)
        connection.isEnabled = false
        subject.camera.openingError = busy(subject)
        connection.isEnabled = true
    }

    @Test func `a device in use does not keep the others closed`() throws {
        let subject = try SyntheticSession()
        let preview = CapturePreview()
        try subject.session.addOutput(preview)
        try subject.session.startRunning()
        let other = SyntheticCamera(name: "Other", clock: subject.clock)
        try Self.loseDevice(of: subject, shownBy: preview)
        let input = CaptureDeviceInput(device: other.device)
        try subject.session.addInputWithNoConnections(input)
        let second = CapturePreview()
        try subject.session.addOutputWithNoConnections(second)
        try subject.session.addConnection(CaptureConnection(input: input, output: second))
        #expect(other.openings == (1, 1) && subject.camera.openings == (1, 0))
        #expect(subject.session.interruption?.code == .deviceInUse)
        // Without the device, the session waits for nothing, and reports others again.
        subject.session.removeInput(subject.input)
        #expect(subject.session.interruption == nil)
        other.disconnect()
        #expect(subject.session.interruption?.code == .deviceDisconnected)
    }

    @Test func `a group of changes that opens a device ends the interruption`() throws {
        let subject = try SyntheticSession()
        let preview = CapturePreview()
        try subject.session.addOutput(preview)
        try subject.session.startRunning()
        try Self.loseDevice(of: subject, shownBy: preview)
        #expect(subject.session.interruption?.code == .deviceInUse)
        subject.camera.openingError = nil
        subject.session.beginConfiguration()
        try subject.session.commitConfiguration()
        #expect(subject.camera.openings == (2, 1) && subject.session.interruption == nil)
    }

    @Test func `a device in use is waited for beside one that is not ready`() throws {
        let subject = try SyntheticSession()
        try subject.session.addOutput(CapturePreview())
        let other = SyntheticCamera(name: "Other", clock: subject.clock)
        let input = CaptureDeviceInput(device: other.device)
        try subject.session.addInputWithNoConnections(input)
        let second = CapturePreview()
        try subject.session.addOutputWithNoConnections(second)
        try subject.session.addConnection(CaptureConnection(input: input, output: second))
        try subject.session.startRunning()
        for camera in [subject.camera, other] { camera.disconnect() }
        try eventually("the devices to be closed") {
            subject.camera.openings.now == 0 && other.openings.now == 0
        }
        subject.camera.openingError = CaptureError(
            .notAuthorized, subject: subject.camera.device.localizedName, cause: "no access")
        other.openingError = CaptureError(
            .deviceInUse, subject: "Other", cause: "another program uses it")
        for camera in [subject.camera, other] { camera.reconnect() }
        try eventually("the wait for the other device") {
            subject.session.interruption?.code == .deviceInUse
        }
        other.openingError = nil
        try eventually("the other device to be open") { other.openings == (2, 1) }
        #expect(subject.session.isRunning && subject.camera.openings == (1, 0))
    }

    @Test func `a failure of a device that is closed meanwhile does not stop the session`() throws {
        let camera = FailingCamera()
        let session = CaptureSession()
        let preview = CapturePreview()
        try session.addInput(CaptureDeviceInput(device: CaptureDevice(camera)))
        try session.addOutput(preview)
        let events = Events(of: session)
        try session.startRunning()
        camera.failsWhenStopped = true
        preview.connection?.isEnabled = false
        camera.failsWhenStopped = false
        preview.connection?.isEnabled = true
        // The jobs of a session are performed in order: the first failure is dealt with.
        camera.fail()
        try events.wait("the failure") { if case .runtimeError = $0 { true } else { false } }
        #expect(camera.startCount == 2)
        try eventually("the session to be stopped") { !session.isRunning }
        let failures = events.all.compactMap { event in
            if case .runtimeError(let error) = event { error.cause } else { nil }
        }
        #expect(failures == ["start 2 has failed"])
    }

    @Test func `a stop during an interruption is kept when the device returns`() throws {
        let subject = try SyntheticSession()
        try subject.session.addOutput(CapturePreview())
        try subject.session.startRunning()
        subject.camera.disconnect()
        try eventually("the device to be closed") { subject.camera.openings.now == 0 }
        subject.session.stopRunning()
        subject.camera.reconnect()
        #expect(!subject.session.isRunning)
        #expect(subject.session.interruption == nil)
        #expect(subject.camera.openings == (1, 0))
        try subject.session.startRunning()
        #expect(subject.camera.openings == (2, 1))
    }

    @Test func `a stall is reported a second after the last frame, once, and its end too`() throws {
        let subject = try SyntheticSession()
        try subject.session.addOutput(CapturePreview())
        let events = Events(of: subject.session)
        try subject.session.startRunning()
        subject.advance(pastFrame: 9)
        subject.camera.isStalled = true
        subject.advance(pastFrame: 39)
        #expect(!subject.input.statistics.isStalled)
        subject.advance(pastFrame: 120)
        #expect(subject.input.statistics.isStalled)
        #expect(subject.session.isRunning)
        subject.camera.isStalled = false
        subject.advance(pastFrame: 121)
        #expect(!subject.input.statistics.isStalled)
        try events.wait("the end of the stall") { $0 == .deviceResumed }
        let stalls = events.all.filter { event in
            if case .deviceStalled = event { true } else { false }
        }
        #expect(stalls.count == 1)
    }

    @Test func `the real rate is that of the frames' times`() throws {
        let subject = try SyntheticSession(framesPerSecond: 15)
        try subject.session.addOutput(CapturePreview())
        try subject.session.startRunning()
        #expect(subject.input.statistics.framesPerSecond == nil)
        subject.clock.advance(by: MediaTime(value: 2, timescale: 1))
        let rate = try #require(subject.input.statistics.framesPerSecond)
        #expect(abs(rate - 15) < 0.001)
    }

    @Test func `settings that a device lacks are refused with those that it has`() throws {
        let camera = SyntheticCamera(framesPerSecond: 30, clock: ManualClock())
        let error = #expect(throws: CaptureError.self) {
            try camera.device.configure {
                $0.frameDuration = MediaTime(value: 1, timescale: 60)
            }
        }
        #expect(
            error?.description
                == "Synthetic Camera: it does not offer 60 fps at 640 x 360 yuv420p; use 30 fps")
    }

    @Test func `a frame rate meter follows a change within a second and a half`() {
        var meter = FrameRateMeter()
        var time = MediaTime.zero
        for _ in 0..<60 {
            time += MediaTime(value: 1, timescale: 30)
            meter.record(time)
        }
        #expect(abs((meter.framesPerSecond ?? 0) - 30) < 0.001)
        for _ in 0..<22 {
            time += MediaTime(value: 1, timescale: 15)
            meter.record(time)
        }
        #expect(abs((meter.framesPerSecond ?? 0) - 15) < 0.2)
        // A clock that is set back starts again.
        meter.record(.zero)
        #expect(meter.framesPerSecond == nil)
    }
}
