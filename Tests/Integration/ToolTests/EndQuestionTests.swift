// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PlayheadTool

/// The question at the end of a file with unsaved marks.
@Suite struct EndQuestionTests {
    private static let end = EndQuestion.State(
        hasEnded: true, isTrimming: false, hasNext: false, hasFolder: false, isIdle: false)

    private func changed(_ change: (inout EndQuestion.State) -> Void) -> EndQuestion.State {
        var state = Self.end
        change(&state)
        return state
    }

    @Test func `the question names what follows`() {
        func next(_ change: (inout EndQuestion.State) -> Void) -> EndQuestion.Next? {
            var question = EndQuestion()
            return question.next(changed(change))
        }
        #expect(next { _ in } == .quit)
        #expect(next { $0.hasFolder = true } == .folder)
        #expect(next { ($0.hasFolder, $0.hasNext) = (true, true) } == .nextFile)
        #expect(next { ($0.isIdle, $0.hasNext) = (true, true) } == .nextFile)
        // Nothing follows.
        #expect(next { $0.isIdle = true } == nil)
        #expect(next { ($0.isIdle, $0.hasFolder) = (true, true) } == nil)
        #expect(next { $0.isTrimming = true } == nil)
        #expect(next { $0.hasEnded = false } == nil)
    }

    @Test func `it is asked once at each end`() {
        var question = EndQuestion()
        #expect(question.next(changed { $0.isTrimming = true }) == nil)
        #expect(question.next(Self.end) == .quit)
        // The view shows the question, and is hidden.
        #expect(question.next(changed { $0.isTrimming = true }) == nil)
        for _ in 0..<3 { #expect(question.next(Self.end) == nil) }
        #expect(question.next(changed { $0.hasEnded = false }) == nil)
        #expect(question.next(Self.end) == .quit)
    }
}
