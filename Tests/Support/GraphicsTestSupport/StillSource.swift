// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadTime
import Synchronization

/// A source of frames that a test sets. Each is new until it is taken.
package final class StillSource: PixelBufferSource {
    private struct State {
        var picture: PixelBuffer?
        var displayTime = MediaTime.zero
        var isNew = false
        var takenCount = 0
        var upcoming: PixelBuffer?
    }

    private let state = Mutex(State())

    package init(_ picture: PixelBuffer? = nil) {
        if let picture { show(picture) }
    }

    package func show(_ picture: PixelBuffer, at displayTime: MediaTime = .zero) {
        state.withLock {
            $0.picture = picture
            $0.displayTime = displayTime
            $0.isNew = true
        }
    }

    /// Sets the frame that will follow.
    package func announce(_ picture: PixelBuffer?) { state.withLock { $0.upcoming = picture } }

    package func upcomingPixelBuffer(
        afterItemTime itemTime: MediaTime, step: MediaTime
    ) -> PixelBuffer? {
        state.withLock { $0.upcoming }
    }

    /// The number of times that a frame was taken.
    package var takenCount: Int { state.withLock { $0.takenCount } }

    package func itemTime(forHostTime hostTime: MediaTime) -> MediaTime { hostTime }

    package func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool {
        state.withLock { $0.isNew }
    }

    package func copyPixelBuffer(
        forItemTime itemTime: MediaTime
    ) -> (PixelBuffer, displayTime: MediaTime)? {
        state.withLock {
            guard let picture = $0.picture else { return nil }
            $0.isNew = false
            $0.takenCount += 1
            return (picture, $0.displayTime)
        }
    }
}
