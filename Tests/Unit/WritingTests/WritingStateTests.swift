// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadWriting

/// The rules of a writer, without threads and files.
@Suite struct WritingStateTests {
    private func time(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 30) }

    private func started(
        _ type: MediaType = .video, timescale: Int32 = 30_000
    ) throws -> WritingState {
        var state = WritingState(subject: "out.mp4")
        try state.add(
            WritingState.Input(mediaType: type, isPassthrough: false, timescale: timescale))
        try state.start()
        return state
    }

    private func code(
        _ body: () throws -> Void
    ) -> MediaWritingError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? MediaWritingError)?.code
        }
    }

    @Test func `a writer without an input does not start`() {
        var state = WritingState(subject: "out.mp4")
        #expect(code { try state.start() } == .wrongState)
        #expect(state.phase == .unknown)
    }

    @Test func `a sample before the start, before a session and after the end is refused`() throws {
        var fresh = WritingState(subject: "out.mp4")
        try fresh.add(
            WritingState.Input(mediaType: .video, isPassthrough: false, timescale: 30))
        #expect(code { try fresh.admit(0, at: .zero) } == .wrongState)
        var state = try started()
        #expect(code { try state.admit(0, at: .zero) } == .noSession)
        try state.startSession(at: .zero)
        try state.admit(0, at: .zero)
        try state.markFinished(0)
        #expect(code { try state.admit(0, at: time(1)) } == .wrongState)
        try state.finish()
        #expect(code { try state.admit(0, at: time(1)) } == .wrongState)
    }

    @Test func `frames are admitted in order, and a refused one changes nothing`() throws {
        var state = try started()
        try state.startSession(at: .zero)
        try state.admit(0, at: time(2))
        #expect(code { try state.admit(0, at: time(2)) } == .outOfOrder)
        #expect(code { try state.admit(0, at: time(1)) } == .outOfOrder)
        #expect(code { try state.admit(0, at: .invalid) } == .invalidSample)
        #expect(code { try state.admit(0, at: .positiveInfinity) } == .invalidSample)
        try state.admit(0, at: time(3))
        #expect(state.inputs[0].lastTime == time(3))
    }

    @Test func `two frames within one unit of the timescale are refused`() throws {
        var state = try started(timescale: 30)
        try state.startSession(at: .zero)
        try state.admit(0, at: .zero)
        #expect(
            code { try state.admit(0, at: MediaTime(value: 1, timescale: 1000)) } == .outOfOrder)
        try state.admit(0, at: time(1))
    }

    @Test func `times that the container cannot store are refused with a remedy`() throws {
        var state = WritingState(subject: "out.mp4")
        try state.add(
            WritingState.Input(
                mediaType: .video, isPassthrough: false, timescale: 90_000,
                maximumFrameTicks: Int64(Int32.max)))
        try state.add(
            WritingState.Input(mediaType: .audio, isPassthrough: false, timescale: 48_000))
        try state.start()
        try state.startSession(at: .zero)
        try state.admit(0, at: .zero)
        // 31 bits of 1/90000 s are 6.6 hours.
        #expect(
            code { try state.admit(0, at: MediaTime(value: 23_861, timescale: 1)) }
                == .invalidSample)
        try state.admit(0, at: MediaTime(value: 23_860, timescale: 1))
        for large in [Int64(1) << 32, Int64(1) << 62] {
            let time = MediaTime(value: large, timescale: 1)
            #expect(code { try state.admit(0, at: time) } == .invalidSample)
            #expect(code { try state.admitAudio(1, at: time, duration: .zero) } == .invalidSample)
        }
        let day = MediaTime(value: 86_400, timescale: 1)
        #expect(
            code { try state.admitAudio(1, at: day + time(1), duration: time(1)) }
                == .invalidSample)
        try state.admitAudio(1, at: day, duration: time(1))
        #expect(state.inputs[0].lastTime == MediaTime(value: 23_860, timescale: 1))
    }

    @Test func `frames before the start may have the same time there`() throws {
        var state = try started(timescale: 30)
        try state.startSession(at: time(10))
        try state.admit(0, at: time(8))
        try state.admit(0, at: time(9))
        let little = time(10) + MediaTime(value: 1, timescale: 1000)
        try state.admit(0, at: little)
        #expect(
            code { try state.admit(0, at: little + MediaTime(value: 1, timescale: 1000)) }
                == .outOfOrder)
        try state.admit(0, at: time(11))
    }

    @Test func `audio that overlaps by rounding is admitted, and by more is not`() throws {
        var state = try started(.audio, timescale: 48_000)
        try state.startSession(at: .zero)
        let tenth = MediaTime(value: 1, timescale: 10)
        try state.admitAudio(0, at: .zero, duration: tenth)
        try state.admitAudio(0, at: MediaTime(value: 99, timescale: 1000), duration: tenth)
        // Rounded times do not add up.
        #expect(state.inputs[0].lastTime == tenth + tenth)
        #expect(code { try state.admitAudio(0, at: tenth, duration: tenth) } == .outOfOrder)
        try state.admitAudio(0, at: .invalid, duration: tenth)
        #expect(state.inputs[0].lastTime == tenth + tenth + tenth)
    }

    @Test func `a session starts once, and ends once after its start and its frames`() throws {
        var state = try started()
        #expect(code { try state.endSession(at: time(1)) } == .noSession)
        #expect(code { try state.startSession(at: .indefinite) } == .invalidSample)
        try state.startSession(at: time(1))
        #expect(code { try state.startSession(at: time(1)) } == .wrongState)
        #expect(code { try state.endSession(at: time(1)) } == .outOfOrder)
        try state.admit(0, at: time(5))
        #expect(code { try state.endSession(at: time(5)) } == .outOfOrder)
        try state.endSession(at: time(6))
        #expect(code { try state.endSession(at: time(7)) } == .wrongState)
    }

    @Test func `a file that takes its place is not cancelled, and a cancelled one takes none`()
        throws
    {
        var state = try started()
        try state.finish()
        let isFirst = state.commit()
        #expect(isFirst)
        let wasCancelled = state.cancel()
        #expect(!wasCancelled)
        state.complete()
        #expect(state.phase == .completed)
        var cancelled = try started()
        try cancelled.finish()
        cancelled.cancel()
        let isCommitted = cancelled.commit()
        #expect(!isCommitted)
        #expect(cancelled.phase == .cancelled)
    }

    @Test func `a failure stays, and nothing follows a cancellation`() throws {
        var failed = try started()
        let error = MediaWritingError(.diskFull, subject: "out.mp4", cause: "the disk is full")
        failed.fail(error)
        failed.complete()
        let wasWriting = failed.cancel()
        #expect(!wasWriting)
        #expect(code { try failed.startSession(at: .zero) } == .diskFull)
        var cancelled = try started()
        let wasCancelled = cancelled.cancel()
        #expect(wasCancelled)
        cancelled.fail(error)
        #expect(cancelled.phase == .cancelled)
        #expect(code { try cancelled.startSession(at: .zero) } == .cancelled)
    }
}
