// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadPlayback
import PlayheadTime
import Synchronization

/// Wakes a host when there is a frame that it has not drawn.
///
/// An output notifies once, so the notification is requested again after each request of the host.
/// Without a callback nothing is requested, locked or allocated.
///
/// - Concurrency: any thread; a short lock, under which no callback runs.
final class FrameWakeup: Sendable {
    /// The destination of frames.
    enum Place: Int, CaseIterable {
        case target, sampled, texture, memory
    }

    private struct Request {
        /// 0 where the output has not been asked, or has told.
        var number = 0
        var token: ObservationToken?
    }

    private struct State {
        /// By place.
        var requests = [Request](repeating: Request(), count: Place.allCases.count)
        var lastNumber = 0
        var companion: FrameWakeup?
    }

    private let sources: [Place: any NotifyingPixelBufferSource]
    private let wakeup: WakeupCallback
    private let state = Mutex(State())
    /// A bit for each place where the host has looked for pictures.
    private let places = Atomic<Int>(0)

    init(_ sources: [Place: any NotifyingPixelBufferSource], wakeup: WakeupCallback) {
        self.sources = sources
        self.wakeup = wakeup
    }

    /// Has the host be woken also for what comes over the film's pictures, of which it has looked
    /// at as many.
    func accompany(_ other: FrameWakeup) {
        other.places.store(places.load(ordering: .relaxed), ordering: .relaxed)
        state.withLock { $0.companion = other }
    }

    /// Has the host be woken for what it has not got, wherever it has looked before; at first, for
    /// any picture.
    func begin() {
        let places = places.load(ordering: .relaxed)
        for place in Place.allCases
        where places & 1 << place.rawValue != 0 || (places == 0 && place == .target) {
            ask(place)
        }
        companion?.begin()
    }

    /// The host has looked for a picture: has it be woken for the next one.
    func look(at place: Place) {
        let bit = 1 << place.rawValue
        if places.load(ordering: .relaxed) & bit == 0 {
            places.bitwiseOr(bit, ordering: .relaxed)
        }
        ask(place)
        companion?.look(at: place)
    }

    /// The host has asked for what is new in either kind of framebuffer, and nothing is.
    func look(atTaken time: MediaTime) {
        ask(sources[.target]?.hasNewPixelBuffer(forItemTime: time) == true ? .sampled : .target)
        companion?.look(atTaken: time)
    }

    /// None is looked for where there is nobody to wake.
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
        // Unless it has told already.
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
