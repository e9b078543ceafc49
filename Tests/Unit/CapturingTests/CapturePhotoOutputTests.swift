// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadCapturing

/// Single frames on request.
@Suite struct CapturePhotoOutputTests {
    @Test func `a photo is the next frame, upright by the connection, with its time`() async throws
    {
        let subject = try SyntheticSession()
        let output = CapturePhotoOutput()
        try subject.session.addOutput(output)
        try subject.session.startRunning()
        subject.advance(pastFrame: 9)
        output.connection?.isVideoMirrored = true
        let photo = Task { try await output.capturePhoto() }
        while output.pendingRequestCount == 0 { await Task.yield() }
        subject.advance(pastFrame: 10)
        let frame = try await photo.value
        #expect(FrameNumberStrip.read(from: frame.pixelBuffer) == 10)
        #expect(frame.presentationTime == subject.time(of: 10))
        #expect(frame.pixelBuffer.attachments.orientation.isMirrored)
        #expect(output.pendingRequestCount == 0)
    }

    @Test func `a photo fails if the session does not run, stops, or the task is cancelled`()
        async throws
    {
        let subject = try SyntheticSession()
        let output = CapturePhotoOutput()
        try subject.session.addOutput(output)
        await #expect(throws: CaptureError.self) { try await output.capturePhoto() }
        try subject.session.startRunning()
        let stopped = Task { try await output.capturePhoto() }
        while output.pendingRequestCount == 0 { await Task.yield() }
        subject.session.stopRunning()
        await #expect(throws: CaptureError.self) { try await stopped.value }
        try subject.session.startRunning()
        let cancelled = Task { try await output.capturePhoto() }
        while output.pendingRequestCount == 0 { await Task.yield() }
        cancelled.cancel()
        await #expect(throws: CaptureError.self) { try await cancelled.value }
    }

    @Test func `a photo fails if the output has no connection, or loses it`() async throws {
        let subject = try SyntheticSession()
        let (output, alone) = (CapturePhotoOutput(), CapturePhotoOutput())
        try subject.session.addOutput(output)
        try subject.session.addOutputWithNoConnections(alone)
        try subject.session.startRunning()
        let error = await #expect(throws: CaptureError.self) { try await alone.capturePhoto() }
        #expect(error?.code == .wrongState && error?.remedy.isEmpty == false)
        let photo = Task { try await output.capturePhoto() }
        while output.pendingRequestCount == 0 { await Task.yield() }
        subject.session.removeInput(subject.input)
        await #expect(throws: CaptureError.self) { try await photo.value }
        #expect(output.pendingRequestCount == 0 && alone.pendingRequestCount == 0)
    }
}
