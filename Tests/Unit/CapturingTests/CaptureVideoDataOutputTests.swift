// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadBuffers
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadCapturing

/// The frames that a delegate receives, and those that are dropped.
@Suite struct CaptureVideoDataOutputTests {
    private func started(
        discards: Bool = true
    ) throws -> (SyntheticSession, CaptureVideoDataOutput, RecordingDelegate, HeldQueue) {
        let subject = try SyntheticSession()
        let (output, delegate, queue) = (
            CaptureVideoDataOutput(), RecordingDelegate(), HeldQueue()
        )
        output.alwaysDiscardsLateVideoFrames = discards
        output.setDelegate(delegate, queue: queue.queue)
        try subject.session.addOutput(output)
        try subject.session.startRunning()
        return (subject, output, delegate, queue)
    }

    @Test func `a delegate that keeps up receives every frame with its exact time`() throws {
        let (subject, _, delegate, queue) = try started()
        for number in 0..<100 {
            subject.advance(pastFrame: number)
            queue.run()
        }
        #expect(delegate.numbers == Array(0..<100))
        #expect(delegate.times == (0..<100).map { subject.time(of: $0) })
        #expect(delegate.drops.isEmpty)
    }

    @Test func `frames that arrive while the delegate works are dropped as late`() throws {
        let (subject, _, delegate, queue) = try started()
        subject.advance(pastFrame: 0)
        // The job for frame 0 has not run: the delegate is busy.
        subject.advance(pastFrame: 6)
        queue.run()
        subject.advance(pastFrame: 7)
        queue.run()
        #expect(delegate.numbers == [0, 7])
        #expect(
            delegate.drops
                == (1...6).map { .init(time: subject.time(of: $0), reason: .lateData) })
    }

    @Test func `without discarding, four frames wait and further ones are reported`() throws {
        let (subject, output, delegate, queue) = try started(discards: false)
        subject.advance(pastFrame: 9)
        #expect(output.lentFrameCount == 4)
        queue.run()
        #expect(delegate.numbers == [0, 1, 2, 3])
        #expect(
            delegate.drops
                == (4...9).map { .init(time: subject.time(of: $0), reason: .outOfBuffers) })
        #expect(output.lentFrameCount == 0)
    }

    @Test func `a delegate that keeps frames gets no more than four, and the preview all`() throws {
        let (subject, output, delegate, queue) = try started()
        let preview = CapturePreview()
        try subject.session.addOutput(preview)
        delegate.state.withLock { $0.keeps = true }
        for number in 0..<20 {
            subject.advance(pastFrame: number)
            queue.run()
            let shown = try #require(preview.copyPixelBuffer(forItemTime: .zero))
            #expect(shown.displayTime == subject.time(of: number))
        }
        #expect(delegate.numbers == [0, 1, 2, 3])
        #expect(output.lentFrameCount == 4)
        #expect(delegate.drops.map(\.reason) == Array(repeating: .outOfBuffers, count: 16))
        delegate.state.withLock { $0.kept = [] }
        subject.advance(pastFrame: 20)
        queue.run()
        #expect(delegate.numbers.last == 20)
    }

    @Test func `frames that the driver loses are reported once each`() throws {
        let (subject, _, delegate, queue) = try started()
        subject.camera.lostFrames = [2, 5, 6]
        for number in 0..<9 {
            subject.advance(pastFrame: number)
            queue.run()
        }
        #expect(delegate.numbers == [0, 1, 3, 4, 7, 8])
        #expect(
            delegate.drops
                == [2, 5, 6].map { .init(time: subject.time(of: $0), reason: .discontinuity) })
        #expect(subject.input.statistics.lostFrameCount == 3)
        #expect(subject.input.statistics.frameCount == 6)
    }

    @Test func `frames and drops together are what the camera made, whatever the delegate does`()
        throws
    {
        let (subject, output, delegate, queue) = try started(discards: false)
        var random = SplitMix64(seed: 33)
        var lost: Set<Int> = []
        for number in 0..<300 where Int.random(in: 0..<10, using: &random) == 0 {
            lost.insert(number)
        }
        subject.camera.lostFrames = lost
        for number in 0..<300 {
            subject.advance(pastFrame: number)
            if Int.random(in: 0..<3, using: &random) == 0 { queue.run() }
            #expect(output.lentFrameCount <= CaptureVideoDataOutput.maximumFrameCount)
        }
        queue.run()
        let all = delegate.times + delegate.drops.map(\.time)
        #expect(all.sorted() == (0..<300).map { subject.time(of: $0) })
        #expect(
            Set(delegate.drops.filter { $0.reason == .discontinuity }.map(\.time))
                == Set(lost.map { subject.time(of: $0) }))
    }

    @Test func `a delegate that is gone holds nothing up`() throws {
        let subject = try SyntheticSession()
        let output = CaptureVideoDataOutput()
        do {
            let delegate = RecordingDelegate()
            output.setDelegate(delegate, queue: HeldQueue().queue)
            withExtendedLifetime(delegate) {}
        }
        try subject.session.addOutput(output)
        try subject.session.startRunning()
        subject.advance(pastFrame: 30)
        #expect(output.lentFrameCount == 0)
    }

    @Test func `a mirrored connection declares it and leaves the samples`() throws {
        let (subject, output, delegate, queue) = try started()
        delegate.state.withLock { $0.keeps = true }
        output.connection?.isVideoMirrored = true
        output.connection?.videoQuarterTurns = 5
        subject.advance(pastFrame: 0)
        queue.run()
        let frame = try #require(delegate.state.withLock { $0.kept.first })
        #expect(
            frame.attachments.orientation == PictureOrientation(quarterTurns: 1, isMirrored: true))
        #expect(delegate.numbers == [0])
    }
}
