// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// The delivery of timed metadata to an output: events in, actions out.
///
/// After a seek, delivery begins at the place where it lands: with the groups that apply there, and
/// those that begin there or later. A group is delivered once, when the playhead is the interval of
/// the output before it, or as soon as it has been read. A seek begins again. In reverse, and while
/// a seek is in progress, nothing is delivered.
///
/// Events come from several threads, and that of a landed seek may overtake that of its beginning.
/// Each therefore has the generation of the item, which increases with every seek.
///
/// - Concurrency: a value.
package struct MetadataSchedule: Sendable {
    package enum Event: Sendable {
        /// A seek has begun, or playback has turned.
        case flushed(generation: Int)
        /// The playhead is at a time and moves at a rate; no seek is in progress.
        case moved(to: MediaTime, rate: Double, generation: Int)
    }

    package enum Action: Sendable, Hashable {
        /// The groups that were delivered early are no longer due.
        case flush
        case deliver([MetadataTimeline.Entry])
        /// Asks for the next event when the playhead is at a time; nil for none.
        case wake(at: MediaTime?)
    }

    /// The interval between delivery and the time of a group, in seconds of playback.
    package var advance = MediaTime.zero
    /// The generation of the last event; nil before the first.
    private var generation: Int?
    /// The place at which delivery began; nil while a seek is in progress.
    private var origin: MediaTime?
    /// The numbers of the groups that were delivered since.
    private var delivered: Set<Int> = []

    package init() {}

    package mutating func handle(_ event: Event, _ timeline: MetadataTimeline) -> [Action] {
        switch event {
        case .flushed(let generation):
            return begin(generation) ? [.flush, .wake(at: nil)] : []
        case .moved(let time, let rate, let generation):
            let isFirst = self.generation == nil
            let flush: [Action] = begin(generation) && !isFirst ? [.flush] : []
            guard time.isNumeric, rate >= 0 else { return flush + [.wake(at: nil)] }
            return flush + deliver(at: time, rate: rate, timeline)
        }
    }

    /// Begins a generation. Returns false if it has begun already.
    private mutating func begin(_ generation: Int) -> Bool {
        if let known = self.generation, generation <= known { return false }
        self.generation = generation
        origin = nil
        delivered = []
        return true
    }

    /// Begins again for another item.
    package mutating func reset() {
        generation = nil
        origin = nil
        delivered = []
    }

    private mutating func deliver(
        at time: MediaTime, rate: Double, _ timeline: MetadataTimeline
    ) -> [Action] {
        let origin = origin ?? time
        self.origin = origin
        let lead = rate > 0 && advance.isNumeric && advance > .zero ? advance * rate : .zero
        // The next call is later than `time`, also if the difference is rounded.
        let due = timeline.firstIndex(after: time, lead: lead)
        let groups = timeline.entries[..<due].filter { entry in
            (entry.start >= origin || entry.end > origin) && !delivered.contains(entry.number)
        }
        // The numbers of groups that were forgotten are not needed.
        if delivered.count > 2 * timeline.entries.count + 64 {
            delivered.formIntersection(timeline.entries.map(\.number))
        }
        delivered.formUnion(groups.map(\.number))
        var actions: [Action] = groups.isEmpty ? [] : [.deliver(groups)]
        let next = due < timeline.entries.count && rate > 0 ? timeline.entries[due].start : nil
        actions.append(.wake(at: next.map { $0 - lead }))
        return actions
    }
}
