// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import Synchronization

/// The events of a player that the host has not read yet.
///
/// - Concurrency: any thread; short lock.
/// - Capacity: 64. If the queue is full, a new event replaces a waiting event, which is counted as
///   lost. Events that only describe the current state are replaced first.
final class EventQueue: Sendable {
    struct Event: Sendable {
        var type: Int
        var status = PLAYHEAD_OK
        var time = noTime
        var value: Int64 = 0
        var text = ""
        /// The item that the event concerns, or nil.
        var item: ObjectIdentifier?

        /// A Boolean value that indicates whether the event stays valid after its media is closed.
        /// This applies to the reason for a failure, and to the state of the transport.
        var outlivesFilm: Bool {
            type == PLAYHEAD_EVENT_ERROR || type == PLAYHEAD_EVENT_TRANSPORT
        }

        /// A Boolean value that indicates whether only the newest event of this type matters.
        var isState: Bool {
            type == PLAYHEAD_EVENT_SIZE || type == PLAYHEAD_EVENT_TRANSPORT
                || type == PLAYHEAD_EVENT_TRACKS || type == PLAYHEAD_EVENT_WARNING
        }
    }

    private struct State {
        var waiting: [Event] = []
        var lost: UInt64 = 0
    }

    private static let capacity = 64
    private let state = Mutex(State())
    let wakeup = WakeupCallback()

    /// Adds an event and wakes the host.
    func add(_ event: Event) {
        append(event)
        wakeup.call()
    }

    /// Adds an event. The caller has to wake the host.
    func append(_ event: Event) {
        state.withLock { state in
            if state.waiting.count >= Self.capacity {
                let isFull = !state.waiting.contains { $0.isState }
                if event.isState || isFull,
                    let index = state.waiting.firstIndex(where: { $0.type == event.type })
                {
                    state.waiting.remove(at: index)
                    state.lost += 1
                } else if let index = state.waiting.firstIndex(where: { $0.isState }) {
                    state.waiting.remove(at: index)
                    state.lost += 1
                } else {
                    state.waiting.removeFirst()
                    state.lost += 1
                }
            }
            state.waiting.append(event)
        }
    }

    /// Removes the waiting events of an item that is closed, so that the host does not take them
    /// for events of the next item.
    func removeAll(of item: ObjectIdentifier) {
        state.withLock { $0.waiting.removeAll { $0.item == item && !$0.outlivesFilm } }
    }

    /// Removes and returns the oldest event, or nil if the queue is empty.
    func next() -> Event? {
        state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    }

    var lostCount: UInt64 { state.withLock { $0.lost } }
}
