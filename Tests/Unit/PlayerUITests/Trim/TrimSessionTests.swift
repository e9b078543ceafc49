// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadTime
import Testing

@testable import PlayheadPlayerUI

/// The laws of trimming by hand.
@Suite("Trim session")
struct TrimSessionTests {
    private static func time(_ frames: Int) -> MediaTime {
        MediaTime(value: Int64(frames), timescale: 25)
    }

    /// Returns a session of 100 frames, with a keyframe at each tenth.
    private static func session(isRead: Bool = true) -> TrimSession {
        var session = TrimSession(
            timeline: TrimTimeline(end: time(100), frameDuration: time(1)))
        guard isRead else { return session }
        // Frames are stored out of order.
        for index in stride(from: 0, to: 100, by: 2) {
            _ = session.handle(.frames([frame(index + 1), frame(index)]))
        }
        _ = session.handle(.complete)
        return session
    }

    private static func frame(_ index: Int) -> TrimTimeline.Frame {
        TrimTimeline.Frame(time: time(index), isKeyframe: index % 10 == 0)
    }

    private static func event(_ random: inout SplitMix64) -> TrimSession.Event {
        let anywhere = MediaTime(
            value: Int64.random(in: -500...4500, using: &random), timescale: 1000)
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1: return .step(Int.random(in: -30...30, using: &random))
        case 2: return .move(seconds: Int.random(in: -2...2, using: &random))
        case 3: return .moveToKeyframe(isForward: Bool.random(using: &random))
        case 4: return .moveToLimit(isEnd: Bool.random(using: &random))
        case 5: return .selectOther
        case 6: return .setAtPlayhead(Bool.random(using: &random) ? .start : .end)
        case 7: return .press(Bool.random(using: &random) ? .start : .end)
        case 8: return .pressStrip(anywhere)
        case 9, 10: return .drag(anywhere)
        case 11: return .release
        case 12: return .zoom(Double.random(in: 0.3...3, using: &random), around: anywhere)
        case 13: return .scroll(Double.random(in: -2...2, using: &random))
        case 14: return .undo
        case 15: return .redo
        case 16: return .save(Bool.random(using: &random) ? .exact : .keyframes)
        case 17:
            let events: [TrimSession.Event] = [
                .replaceSource, .confirm, .escape, .discard, .leave(.quit), .leave(.otherFile),
                .leave(.folder),
            ]
            return events.randomElement(using: &random) ?? .release
        case 18: return .playhead(anywhere)
        default:
            let events: [TrimSession.Event] = [
                .progress(0.5), .saved(path: "a"), .failed("no"), .cancelled,
            ]
            return events.randomElement(using: &random) ?? .release
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `the range always begins and ends at frames and has at least one`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var session = Self.session()
        let cuts = Set(session.timeline.cuts)
        #expect(cuts.count == 101)
        for _ in 0..<300 {
            let actions = session.handle(Self.event(&random))
            #expect(cuts.contains(session.marks.start) && cuts.contains(session.marks.end))
            #expect(session.marks.start < session.marks.end)
            #expect(session.visible.start >= .zero && session.visible.end <= Self.time(100))
            #expect(session.visible.duration > .zero)
            for case .seek(let time) in actions {
                #expect(cuts.contains(time) && time < Self.time(100))
            }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `undo leads back to the start, and redo to the last marks`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var session = Self.session()
        let first = session.marks
        for _ in 0..<60 {
            let event = Self.event(&random)
            switch event {
            case .save, .confirm, .discard, .saved, .leave, .replaceSource: continue
            default: _ = session.handle(event)
            }
        }
        _ = session.handle(.release)
        let last = session.marks
        // What was undone before can be done again, too, so the way forward ends at it.
        var forward = session
        while forward.canRedo { _ = forward.handle(.redo) }
        while session.canUndo { _ = session.handle(.undo) }
        #expect(session.marks == first)
        #expect(!session.hasUnsavedMarks)
        var passed: Set = [session.marks]
        while session.canRedo {
            _ = session.handle(.redo)
            passed.insert(session.marks)
        }
        #expect(passed.contains(last))
        #expect(session.marks == forward.marks)
    }

    @Test func `a drag is one step of undo`() {
        var session = Self.session()
        #expect(session.handle(.press(.start)) == [.seek(.zero)])
        for frame in 1...40 {
            #expect(session.handle(.drag(Self.time(frame))) == [.seek(Self.time(frame))])
        }
        _ = session.handle(.release)
        #expect(session.marks.start == Self.time(40))
        _ = session.handle(.undo)
        #expect(session.marks.start == .zero)
        #expect(!session.canUndo)
    }

    @Test func `steps are frames, seconds and keyframes, and show the frames at the ends`() {
        var session = Self.session()
        #expect(session.handle(.step(1)) == [.seek(Self.time(1))])
        #expect(session.handle(.moveToKeyframe(isForward: true)) == [.seek(Self.time(10))])
        #expect(session.handle(.move(seconds: 1)) == [.seek(Self.time(35))])
        #expect(session.handle(.moveToKeyframe(isForward: false)) == [.seek(Self.time(30))])
        #expect(session.handle(.moveToKeyframe(isForward: false)) == [.seek(Self.time(20))])
        // The end shows the last frame of the range.
        #expect(session.handle(.selectOther) == [.seek(Self.time(99))])
        #expect(session.handle(.step(-1)) == [.seek(Self.time(98))])
        #expect(session.handle(.moveToLimit(isEnd: false)) == [.seek(Self.time(20))])
        #expect(session.marks == .init(start: Self.time(20), end: Self.time(21)))
        #expect(session.timeline.frameCount(from: Self.time(20), to: Self.time(21)) == 1)
        _ = session.handle(.playhead(Self.time(50)))
        _ = session.handle(.setAtPlayhead(.end))
        #expect(session.marks.end == Self.time(51))
    }

    @Test func `quitting with unsaved marks asks once, and saving answers`() {
        var session = Self.session()
        #expect(session.handle(.leave(.quit)) == [.leave])
        _ = session.handle(.step(5))
        #expect(session.handle(.leave(.quit)) == [])
        #expect(session.question == .leave(.quit))
        #expect(session.handle(.escape) == [])
        #expect(session.question == nil)
        #expect(session.handle(.leave(.quit)) == [])
        #expect(session.handle(.leave(.quit)) == [.leave])
        #expect(session.handle(.leave(.quit)) == [])
        #expect(
            session.handle(.confirm) == [.save(session.marks, .exact, replacesSource: false)])
        #expect(session.handle(.saved(path: "a.mp4")) == [.leave])
        #expect(!session.hasUnsavedMarks && !session.canUndo)
        #expect(session.handle(.leave(.quit)) == [.leave])
    }

    @Test func `another file with unsaved marks asks once, and quitting then asks again`() {
        var session = Self.session()
        #expect(session.handle(.leave(.otherFile)) == [.leave])
        _ = session.handle(.step(5))
        #expect(session.handle(.leave(.otherFile)) == [])
        #expect(session.question == .leave(.otherFile))
        #expect(session.handle(.leave(.quit)) == [])
        #expect(session.question == .leave(.quit))
        #expect(session.handle(.leave(.otherFile)) == [])
        #expect(session.handle(.leave(.otherFile)) == [.leave])
        // Nothing happened: the next request is a new one.
        #expect(session.question == nil && session.hasUnsavedMarks)
        #expect(session.handle(.leave(.otherFile)) == [])
        // Moving a handle ends the question.
        _ = session.handle(.step(1))
        #expect(session.question == nil)
        #expect(session.handle(.leave(.otherFile)) == [])
        #expect(
            session.handle(.confirm) == [.save(session.marks, .exact, replacesSource: false)])
        #expect(session.handle(.saved(path: "a.mp4")) == [.leave])
        #expect(session.handle(.leave(.otherFile)) == [.leave])
    }

    @Test(arguments: [TrimSession.Leaving.quit, .otherFile, .folder])
    func `Delete answers the question without saving, and does nothing without one`(
        leaving: TrimSession.Leaving
    ) {
        var session = Self.session()
        _ = session.handle(.step(5))
        #expect(session.handle(.discard) == [])
        _ = session.handle(.replaceSource)
        #expect(session.handle(.discard) == [] && session.question == .replace)
        #expect(session.handle(.leave(leaving)) == [])
        #expect(session.question == .leave(leaving))
        #expect(session.handle(.discard) == [.leave])
        #expect(session.question == nil)
    }

    @Test func `a request to leave waits for the file that is being written`() {
        var session = Self.session()
        _ = session.handle(.step(5))
        _ = session.handle(.save(.exact))
        _ = session.handle(.leave(.quit))
        #expect(session.handle(.confirm) == [])
        // The question is answered, and Escape cancels the save.
        #expect(session.question == nil && session.isSaving)
        var cancelled = session
        #expect(cancelled.handle(.escape) == [.cancelSaving])
        #expect(cancelled.handle(.saved(path: "a.mp4")) == [])
        #expect(session.handle(.saved(path: "a.mp4")) == [.leave])
    }

    @Test func `the end of a question ends a request that waits for saving`() {
        for end in [TrimSession.Event.escape, .step(1)] {
            var session = Self.session()
            _ = session.handle(.step(5))
            _ = session.handle(.leave(.quit))
            _ = session.handle(.confirm)
            #expect(session.handle(.leave(.quit)) == [])
            #expect(session.handle(end).contains(.leave) == false)
            #expect(session.question == nil)
            #expect(session.handle(.saved(path: "a.mp4")) == [])
            #expect(session.question == nil)
        }
    }

    @Test func `marks that move while a file is written are asked about before it is left`() {
        var session = Self.session()
        _ = session.handle(.step(5))
        _ = session.handle(.leave(.folder))
        _ = session.handle(.confirm)
        _ = session.handle(.step(5))
        #expect(session.handle(.saved(path: "a.mp4")) == [])
        #expect(session.question == .leave(.folder) && session.hasUnsavedMarks)
        _ = session.handle(.confirm)
        #expect(session.handle(.saved(path: "b.mp4")) == [.leave])
    }

    @Test func `a file is not left after its save has failed, also if it was saved whole`() {
        var session = Self.session()
        _ = session.handle(.save(.exact))
        _ = session.handle(.leave(.otherFile))
        _ = session.handle(.confirm)
        #expect(session.handle(.failed("full")) == [])
        #expect(session.saving == .failed("full"))
    }

    @Test func `a file that cannot be read to its end does not end a save`() {
        var session = Self.session(isRead: false)
        _ = session.handle(.unreadable("damaged"))
        #expect(session.saving == .failed("damaged"))
        _ = session.handle(.save(.exact))
        _ = session.handle(.unreadable("damaged"))
        #expect(session.isSaving)
    }

    @Test func `leaving while a file is written asks, and a second request cancels it`() {
        var session = Self.session()
        _ = session.handle(.save(.keyframes))
        _ = session.handle(.progress(0.5))
        #expect(session.saving == .running(0.5))
        #expect(session.handle(.leave(.otherFile)) == [])
        #expect(session.handle(.leave(.otherFile)) == [.cancelSaving, .leave])
    }

    @Test func `a failed save keeps the marks unsaved and does not quit`() {
        var session = Self.session()
        _ = session.handle(.step(5))
        _ = session.handle(.leave(.quit))
        _ = session.handle(.confirm)
        #expect(session.isSaving)
        #expect(session.handle(.save(.exact)) == [])
        #expect(session.handle(.failed("full")) == [])
        #expect(session.saving == .failed("full"))
        #expect(session.hasUnsavedMarks && session.canUndo)
        #expect(session.handle(.leave(.quit)) == [])
    }

    @Test func `the source is replaced only after a confirmation`() {
        var session = Self.session()
        _ = session.handle(.step(5))
        #expect(session.handle(.replaceSource) == [])
        #expect(session.handle(.escape) == [])
        #expect(session.handle(.confirm) == [])
        #expect(
            session.handle(.save(.exact)) == [.save(session.marks, .exact, replacesSource: false)])
        #expect(session.handle(.escape) == [.cancelSaving])
        _ = session.handle(.cancelled)
        _ = session.handle(.replaceSource)
        #expect(
            session.handle(.confirm) == [.save(session.marks, .exact, replacesSource: true)])
    }

    @Test func `marks that were set before the frames are known move to frames`() {
        var session = Self.session(isRead: false)
        _ = session.handle(.step(3))
        _ = session.handle(.selectOther)
        _ = session.handle(.step(-2))
        #expect(session.marks == .init(start: Self.time(3), end: Self.time(98)))
        // The frames begin 10 ms later than the frame rate suggests.
        let late = MediaTime(value: 1, timescale: 100)
        let frames = (0..<100).map { Self.time($0) + late }
        _ = session.handle(.frames(frames.map { .init(time: $0, isKeyframe: false) }))
        _ = session.handle(.complete)
        #expect(session.marks.start == Self.time(3) + late)
        #expect(session.marks.end == Self.time(98) + late)
        _ = session.handle(.undo)
        _ = session.handle(.undo)
        #expect(session.marks == .init(start: .zero, end: Self.time(100)))
    }
}
