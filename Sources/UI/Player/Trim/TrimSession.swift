// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The state of trimming a file by hand: the range, the handles, undo, the visible part and the
/// progress of saving. Events go in, and actions for the owner come out.
///
/// - Concurrency: a value; any thread.
struct TrimSession: Sendable {
    /// The part of the file to keep. It begins and ends at cuts of the timeline.
    struct Marks: Sendable, Hashable {
        var start: MediaTime
        var end: MediaTime
    }

    /// One of the two ends of the range.
    enum Handle: Sendable, Hashable {
        case start, end
    }

    /// The way in which a file is saved.
    enum Precision: Sendable, Hashable {
        /// Frames are encoded, and the file begins and ends at the marks.
        case exact
        /// Samples are copied, and the file begins and ends at keyframes.
        case keyframes
    }

    /// A way to leave the file.
    enum Leaving: Sendable, Hashable {
        case quit
        /// Another file replaces it.
        case otherFile
        /// The folder is shown.
        case folder
    }

    /// A question that waits for an answer.
    enum Question: Sendable, Hashable {
        /// The user leaves the file, and the marks are not saved.
        case leave(Leaving)
        /// The user asks to replace the source.
        case replace
    }

    /// The progress of saving.
    enum Saving: Sendable, Hashable {
        case idle
        /// A fraction of the file is written; nil if the fraction is not known.
        case running(Double?)
        case saved(path: String)
        case failed(String)
    }

    enum Event: Sendable, Hashable {
        /// Moves the selected handle by frames.
        case step(Int)
        /// Moves the selected handle by seconds.
        case move(seconds: Int)
        /// Moves the selected handle to the next keyframe, or to the previous one.
        case moveToKeyframe(isForward: Bool)
        /// Moves the selected handle as far as possible.
        case moveToLimit(isEnd: Bool)
        case select(Handle)
        case selectOther
        /// Moves a handle to the frame on display.
        case setAtPlayhead(Handle)
        /// Presses a handle.
        case press(Handle)
        /// Presses the strip at a time.
        case pressStrip(MediaTime)
        case drag(MediaTime)
        case release
        /// Multiplies the length of the visible part, around a time.
        case zoom(Double, around: MediaTime)
        /// Moves the visible part by a fraction of its length.
        case scroll(Double)
        case undo, redo
        case save(Precision)
        case replaceSource
        /// Answers the question with yes.
        case confirm
        /// Answers the question by leaving the file without saving.
        case discard
        /// Ends the question, saving or the view.
        case escape
        case leave(Leaving)
        case playhead(MediaTime)
        case progress(Double)
        case saved(path: String)
        case failed(String)
        case cancelled
        /// Frames were read.
        case frames([TrimTimeline.Frame])
        /// The file was read to its end.
        case complete
        /// The file cannot be read further.
        case unreadable(String)
    }

    enum Action: Sendable, Hashable {
        case seek(MediaTime)
        case save(Marks, Precision, replacesSource: Bool)
        case cancelSaving
        case hide
        case leave
    }

    private(set) var timeline: TrimTimeline
    private(set) var marks: Marks
    private(set) var selected = Handle.start
    private(set) var playhead = MediaTime.zero
    /// The part of the file that is visible.
    private(set) var visible: MediaTimeRange
    private(set) var question: Question?
    private(set) var saving = Saving.idle
    /// The handle, or the playhead if nil, that the pointer drags.
    private(set) var drag: Drag?
    private var undone: [Marks] = []
    private var done: [Marks] = []
    /// The marks that are in a file: at first those of the whole source.
    private var saved: Marks
    /// The marks that are being saved.
    private var written: Marks?
    /// The way in which the file is left when saving ends; nil if it stays. It is nil unless a file
    /// is being written.
    private var leavesAfterSaving: Leaving?

    enum Drag: Sendable, Hashable {
        /// A handle, and the marks before the drag.
        case handle(Handle, from: Marks)
        case playhead
    }

    /// The shortest visible part, in frames.
    private static let leastFrames: Int32 = 8

    /// Creates the state for a file that is opened: the range is the whole file.
    init(timeline: TrimTimeline) {
        self.timeline = timeline
        marks = Marks(start: .zero, end: timeline.end)
        saved = marks
        visible = MediaTimeRange(start: .zero, duration: timeline.end)
    }

    /// A Boolean value that indicates whether the marks differ from those of the last file.
    var hasUnsavedMarks: Bool { marks != saved }
    /// A Boolean value that indicates whether something is lost if the file is left: marks that are
    /// in no file, or a file that is being written.
    var hasUnsavedWork: Bool { hasUnsavedMarks || isSaving }
    var canUndo: Bool { !done.isEmpty }
    var canRedo: Bool { !undone.isEmpty }
    var isSaving: Bool { if case .running = saving { true } else { false } }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .step(let count):
            return move(selected, to: timeline.cut(count, from: place(of: selected)))
        case .move(let seconds):
            let step = MediaTime(value: Int64(seconds), timescale: 1)
            return move(selected, to: timeline.nearest(place(of: selected) + step))
        case .moveToKeyframe(let isForward):
            return move(
                selected,
                to: timeline.nearest(
                    timeline.keyframe(isForward: isForward, from: place(of: selected))))
        case .moveToLimit(let isEnd): return move(selected, to: isEnd ? timeline.end : .zero)
        case .select(let handle): selected = handle
        case .selectOther:
            selected = selected == .start ? .end : .start
            reveal(place(of: selected))
            return [.seek(shown(selected))]
        case .setAtPlayhead(let handle):
            selected = handle
            let frame = timeline.cut(0, from: playhead)
            // The frame on display is the last one of the range.
            return move(handle, to: handle == .start ? frame : timeline.cut(1, from: frame))
        case .press, .pressStrip, .drag, .release: return point(event)
        case .zoom(let factor, let time): zoom(by: factor, around: time)
        case .scroll(let share):
            show(from: visible.start + visible.duration * share, visible.duration)
        case .undo: return restore(isUndo: true)
        case .redo: return restore(isUndo: false)
        case .save(let precision): return save(precision, replacesSource: false)
        case .replaceSource: if !isSaving { question = .replace }
        case .confirm: return confirm()
        case .discard:
            guard case .leave(let leaving) = question else { return [] }
            return leave(leaving)
        case .escape: return escape()
        case .leave(let leaving): return leave(leaving)
        case .playhead(let time): playhead = timeline.clamped(time)
        case .progress, .saved, .failed, .cancelled: return follow(event)
        case .frames(let frames):
            timeline.add(frames)
            align()
        case .complete:
            timeline.complete()
            align()
        case .unreadable(let text): if !isSaving { saving = .failed(text) }
        }
        return []
    }

    // MARK: Handles

    /// Returns the time of a handle.
    func place(of handle: Handle) -> MediaTime { handle == .start ? marks.start : marks.end }

    /// Returns the time of the frame that shows where a handle is: the first frame of the range, or
    /// the last one.
    private func shown(_ handle: Handle) -> MediaTime {
        handle == .start ? marks.start : timeline.cut(-1, from: marks.end)
    }

    private mutating func move(_ handle: Handle, to time: MediaTime) -> [Action] {
        guard drag == nil else { return [] }
        let before = marks
        set(handle, to: time)
        if marks != before { record(before) }
        reveal(place(of: handle))
        return [.seek(shown(handle))]
    }

    /// Moves a handle. At least one frame stays between the handles.
    private mutating func set(_ handle: Handle, to time: MediaTime) {
        endQuestion()
        switch handle {
        case .start: marks.start = min(time, timeline.cut(-1, from: marks.end))
        case .end: marks.end = max(time, timeline.cut(1, from: marks.start))
        }
    }

    private mutating func record(_ before: Marks) {
        done.append(before)
        undone = []
        if !isSaving { saving = .idle }
    }

    private mutating func restore(isUndo: Bool) -> [Action] {
        guard drag == nil, let last = isUndo ? done.popLast() : undone.popLast() else { return [] }
        if isUndo { undone.append(marks) } else { done.append(marks) }
        selected = last.start != marks.start ? .start : .end
        marks = last
        reveal(place(of: selected))
        return [.seek(shown(selected))]
    }

    /// Moves the marks to frames that are known now.
    private mutating func align() {
        func aligned(_ marks: Marks) -> Marks {
            var start = timeline.nearest(marks.start)
            var end = timeline.nearest(marks.end)
            if start >= end {
                start = timeline.cut(-1, from: end)
                end = timeline.cut(1, from: start)
            }
            return Marks(start: start, end: end)
        }
        marks = aligned(marks)
        done = done.map(aligned)
        undone = undone.map(aligned)
        saved = aligned(saved)
        written = written.map(aligned)
        if case .handle(let handle, let before) = drag {
            drag = .handle(handle, from: aligned(before))
        }
    }

    // MARK: Pointer

    private mutating func point(_ event: Event) -> [Action] {
        switch event {
        case .press(let handle):
            endDrag()
            selected = handle
            drag = .handle(handle, from: marks)
            return [.seek(shown(handle))]
        case .pressStrip(let time):
            endDrag()
            drag = .playhead
            return seek(to: time)
        case .drag(let time):
            switch drag {
            case .handle(let handle, _):
                set(handle, to: timeline.nearest(time))
                return [.seek(shown(handle))]
            case .playhead: return seek(to: time)
            case nil: return []
            }
        case .release: endDrag()
        default: break
        }
        return []
    }

    private mutating func endDrag() {
        if case .handle(_, let before) = drag, before != marks { record(before) }
        drag = nil
    }

    private mutating func seek(to time: MediaTime) -> [Action] {
        let cut = timeline.nearest(time)
        playhead = cut < timeline.end ? cut : timeline.cut(-1, from: timeline.end)
        return [.seek(playhead)]
    }

    // MARK: Visible part

    private mutating func zoom(by factor: Double, around time: MediaTime) {
        let least = min(timeline.frameDuration * Self.leastFrames, timeline.end)
        let length = min(max(visible.duration * factor, least), timeline.end)
        let share = (time - visible.start).seconds / visible.duration.seconds
        show(from: time - length * min(max(share, 0), 1), length)
    }

    private mutating func show(from start: MediaTime, _ length: MediaTime) {
        // Sums of nanoseconds are exact.
        let length = nanoseconds(length)
        visible = MediaTimeRange(
            start: nanoseconds(min(max(start, .zero), timeline.end - length)), duration: length)
    }

    private func nanoseconds(_ time: MediaTime) -> MediaTime {
        time.converted(toTimescale: 1_000_000_000, method: .roundTowardZero)
    }

    /// Scrolls so that a time is visible.
    private mutating func reveal(_ time: MediaTime) {
        guard time < visible.start || time > visible.end else { return }
        show(from: time - visible.duration * 0.5, visible.duration)
    }

    // MARK: Saving and leaving

    private mutating func save(_ precision: Precision, replacesSource: Bool) -> [Action] {
        guard !isSaving, drag == nil else { return [] }
        (question, written) = (nil, marks)
        saving = .running(nil)
        return [.save(marks, precision, replacesSource: replacesSource)]
    }

    private mutating func confirm() -> [Action] {
        switch question {
        case .replace: return save(.exact, replacesSource: true)
        case .leave(let leaving):
            guard isSaving else {
                let actions = save(.exact, replacesSource: false)
                if isSaving { leavesAfterSaving = leaving }
                return actions
            }
            // The file is left when the one that is being written is complete.
            (question, leavesAfterSaving) = (nil, leaving)
            return []
        case nil: return []
        }
    }

    /// Ends the question, and with it a request to leave that waits for saving.
    private mutating func endQuestion() {
        if case .leave = question { leavesAfterSaving = nil }
        question = nil
    }

    private mutating func escape() -> [Action] {
        if question != nil {
            endQuestion()
            return []
        }
        if isSaving {
            leavesAfterSaving = nil
            return [.cancelSaving]
        }
        return [.hide]
    }

    /// Asks once if the marks are not saved or the file is being written. The second request of
    /// the same kind leaves the file.
    private mutating func leave(_ leaving: Leaving) -> [Action] {
        guard hasUnsavedWork, question != .leave(leaving) else {
            question = nil
            return (isSaving ? [.cancelSaving] : []) + [.leave]
        }
        question = .leave(leaving)
        return []
    }

    private mutating func follow(_ event: Event) -> [Action] {
        guard isSaving else { return [] }
        switch event {
        case .progress(let share):
            saving = .running(min(max(share, 0), 1))
            return []
        case .saved(let path):
            saving = .saved(path: path)
            if let written { saved = written }
            // What is in a file cannot be undone.
            (done, undone) = ([], [])
        case .failed(let text): saving = .failed(text)
        default: saving = .idle
        }
        let leaving = leavesAfterSaving
        (leavesAfterSaving, written) = (nil, nil)
        guard case .saved = event, let leaving else { return [] }
        guard hasUnsavedMarks else { return [.leave] }
        // The marks have moved while the file was written.
        question = .leave(leaving)
        return []
    }
}
