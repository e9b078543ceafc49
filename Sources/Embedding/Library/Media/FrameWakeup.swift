// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadPlayback
import PlayheadTime
import Synchronization

/// Wakes the host when there is a frame that it has not drawn.
///
/// An output notifies only once, so each time the host requests a frame, the next notification is
/// requested. Without a callback, nothing is requested, locked or allocated.
///
/// - Concurrency: any thread. A lock is held for a short time, and no callback runs while it is
///   held.
final class FrameWakeup: Sendable {
    /// A destination of frames.
    enum Place: Int, CaseIterable {
        case target, sampled, texture, memory
    }

    private struct Request {
        /// The number of the pending request; 0 if there is no request.
        var number = 0
        var token: ObservationToken?
    }

    private struct State {
        /// The requests, by destination.
        var requests = [Request](repeating: Request(), count: Place.allCases.count)
        var lastNumber = 0
        var companion: FrameWakeup?
    }

    private let sources: [Place: any NotifyingPixelBufferSource]
    private let wakeup: WakeupCallback
    private let state = Mutex(State())
    /// A bit mask of the destinations for which the host has requested frames.
    private let places = Atomic<Int>(0)

    init(_ sources: [Place: any NotifyingPixelBufferSource], wakeup: WakeupCallback) {
        self.sources = sources
        self.wakeup = wakeup
    }

    /// Wakes the host for another source as well, such as the subtitles of the video. The other
    /// source is given the destinations for which the host has requested frames.
    func accompany(_ other: FrameWakeup) {
        other.places.store(places.load(ordering: .relaxed), ordering: .relaxed)
        state.withLock { $0.companion = other }
    }

    /// Requests wakeups for all destinations for which the host has requested frames. If there is
    /// no such destination yet, the host is woken for any frame.
    func begin() {
        let places = places.load(ordering: .relaxed)
        for place in Place.allCases
        where places & 1 << place.rawValue != 0 || (places == 0 && place == .target) {
            ask(place)
        }
        companion?.begin()
    }

    /// Records that the host has requested a frame, and requests a wakeup for the next frame.
    func look(at place: Place) {
        let bit = 1 << place.rawValue
        if places.load(ordering: .relaxed) & bit == 0 {
            places.bitwiseOr(bit, ordering: .relaxed)
        }
        ask(place)
        companion?.look(at: place)
    }

    /// Records that the host has requested a new frame for either kind of framebuffer, and that
    /// there was no new frame.
    func look(atTaken time: MediaTime) {
        ask(sources[.target]?.hasNewPixelBuffer(forItemTime: time) == true ? .sampled : .target)
        companion?.look(atTaken: time)
    }

    /// The other source; nil if there is no callback, because it is not needed then.
    private var companion: FrameWakeup? {
        wakeup.isSet ? state.withLock { $0.companion } : nil
    }

    private func ask(_ place: Place) {
        guard wakeup.isSet, let source = sources[place] else { return }
        let index = place.rawValue
        let number = state.withLock { state -> Int? in
            guard state.requests[index].number == 0 else { return nil }
            state.lastNumber += 1
            state.requests[index].number = state.lastNumber
            return state.lastNumber
        }
        guard let number else { return }
        let token = source.notifyOfMediaDataChange(
            withAdvanceInterval: .zero, on: .background
        ) { [weak self] in self?.tell(index, number) }
        // The notification may have arrived already.
        state.withLock { state in
            if state.requests[index].number == number { state.requests[index].token = token }
        }
    }

    private func tell(_ index: Int, _ number: Int) {
        let told = state.withLock { state -> Request? in
            guard state.requests[index].number == number else { return nil }
            defer { state.requests[index] = Request() }
            return state.requests[index]
        }
        if told != nil { wakeup.call() }
    }
}
