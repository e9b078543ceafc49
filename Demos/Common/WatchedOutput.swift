// SPDX-License-Identifier: Apache-2.0

public import PlayheadUI
import Synchronization

/// An output that records the frame shown at each vsync.
///
/// It wraps the output of a player item, and forwards all calls to it.
///
/// - Concurrency: any thread. The render thread writes while it holds a lock for a few
///   instructions.
public final class WatchedOutput: NotifyingPixelBufferSource {
    /// A record of the frame that was shown at a vsync.
    public struct Showing: Sendable {
        /// The host time at which the frame is displayed.
        public var hostTime: MediaTime
        /// The time on the item's timeline at that moment.
        public var itemTime: MediaTime
        /// The presentation time of the frame on that timeline; invalid before the first frame.
        public var displayTime: MediaTime
        /// A Boolean value that indicates whether the frame was first shown at this vsync.
        public var isNew: Bool
    }

    private struct State {
        var showings: [Showing] = []
        var displayTime = MediaTime.invalid
    }

    /// The maximum number of records. Fewer are made between two reads.
    private static let capacity = 240
    public let output: any NotifyingPixelBufferSource
    private let state = Mutex(State())

    public init(_ output: any NotifyingPixelBufferSource) {
        self.output = output
    }

    /// Returns the records since the previous call.
    public func takeShowings() -> [Showing] {
        state.withLock { state in
            defer { state.showings.removeAll(keepingCapacity: true) }
            return state.showings
        }
    }

    public func itemTime(forHostTime hostTime: MediaTime) -> MediaTime {
        let itemTime = output.itemTime(forHostTime: hostTime)
        state.withLock { state in
            guard state.showings.count < Self.capacity, itemTime.isNumeric else { return }
            state.showings.append(
                Showing(
                    hostTime: hostTime, itemTime: itemTime, displayTime: state.displayTime,
                    isNew: false))
        }
        return itemTime
    }

    public func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool {
        output.hasNewPixelBuffer(forItemTime: itemTime)
    }

    public func copyPixelBuffer(
        forItemTime itemTime: MediaTime
    ) -> (PixelBuffer, displayTime: MediaTime)? {
        let picture = output.copyPixelBuffer(forItemTime: itemTime)
        if let picture {
            state.withLock { state in
                let isNew = state.displayTime != picture.displayTime
                state.displayTime = picture.displayTime
                guard let last = state.showings.indices.last else { return }
                state.showings[last].displayTime = picture.displayTime
                state.showings[last].isNew = isNew
            }
        }
        return picture
    }

    public func upcomingPixelBuffer(
        afterItemTime itemTime: MediaTime, step: MediaTime
    ) -> PixelBuffer? {
        output.upcomingPixelBuffer(afterItemTime: itemTime, step: step)
    }

    public func notifyOfMediaDataChange(
        withAdvanceInterval interval: MediaTime, on queue: ObservationQueue,
        handler: @escaping @Sendable () -> Void
    ) -> ObservationToken {
        output.notifyOfMediaDataChange(
            withAdvanceInterval: interval, on: queue, handler: handler)
    }
}
