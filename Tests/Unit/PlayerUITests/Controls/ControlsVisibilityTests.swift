// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Testing

@testable import PlayheadPlayerUI

/// The visibility of controls, at times chosen by the test.
@Suite struct ControlsVisibilityTests {
    private func at(_ seconds: Double) -> MediaTime {
        MediaTime(seconds: seconds, preferredTimescale: 1000)
    }

    @Test func `they come with the pointer, and go two seconds after`() {
        var visibility = ControlsVisibility()
        #expect(!visibility.isVisible(at: at(0)))
        #expect(visibility.nextChange(after: at(0)) == nil)
        visibility.use(at: at(1))
        #expect(visibility.isVisible(at: at(1)))
        #expect(visibility.isVisible(at: at(2.999)))
        #expect(visibility.nextChange(after: at(2)) == at(3))
        #expect(!visibility.isVisible(at: at(3)))
        #expect(visibility.isCursorVisible(at: at(2.5)))
        #expect(!visibility.isCursorVisible(at: at(3)))
        visibility.use(at: at(5))
        #expect(visibility.isVisible(at: at(6)))
        #expect(visibility.isCursorVisible(at: at(6)))
    }

    @Test func `they stay while something is held, and go at once with the pointer`() {
        var visibility = ControlsVisibility()
        visibility.use(at: at(0))
        visibility.isHeld = true
        #expect(visibility.isVisible(at: at(100)))
        #expect(visibility.isCursorVisible(at: at(100)))
        #expect(visibility.nextChange(after: at(1)) == nil)
        visibility.isHeld = false
        visibility.use(at: at(100))
        visibility.leave()
        #expect(!visibility.isVisible(at: at(100.1)))
        // A pointer that is elsewhere is not hidden by this view.
        #expect(visibility.isCursorVisible(at: at(200)))
    }

    @Test func `modes and audio take precedence`() {
        var visibility = ControlsVisibility()
        visibility.mode = .always
        #expect(visibility.isVisible(at: at(50)))
        visibility.mode = .never
        visibility.use(at: at(50))
        #expect(!visibility.isVisible(at: at(50)))
        visibility.mode = .automatic
        visibility.isLasting = true
        #expect(visibility.isVisible(at: at(500)))
    }
}
