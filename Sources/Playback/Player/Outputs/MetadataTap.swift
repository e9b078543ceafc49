// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadThreads
package import PlayheadTime
import Synchronization

/// A client of an item's timed metadata, which an output of the product PlayheadMetadata wraps.
///
/// - Concurrency: any thread. Handlers are called in order, one at a time, and without a lock: what
///   they release may be the item itself.
package final class MetadataTap: MetadataClient {
    /// The handlers of a tap.
    package struct Handlers: Sendable {
        var groups: (@Sendable ([TimedMetadata]) -> Void)?
        var flush: (@Sendable () -> Void)?
        var dateRanges: (@Sendable (DateRangeCollection.Change) -> Void)?

        /// - Parameters:
        ///   - groups: Receives groups when they are due.
        ///   - flush: Called when a seek begins.
        package init(
            groups: @escaping @Sendable ([TimedMetadata]) -> Void,
            flush: @escaping @Sendable () -> Void
        ) {
            (self.groups, self.flush) = (groups, flush)
        }

        /// - Parameter dateRanges: Receives the ranges of dates when they change.
        package init(dateRanges: @escaping @Sendable (DateRangeCollection.Change) -> Void) {
            self.dateRanges = dateRanges
        }
    }

    /// A call of a handler.
    fileprivate enum Call {
        case groups([TimedMetadata])
        case flush
        case dateRanges(DateRangeCollection.Change)
    }

    fileprivate struct State {
        weak var pipeline: ItemPipeline?
        var schedule = MetadataSchedule()
        var dates = DateRangeCollection()
        /// The number of the newest set of ranges from the item.
        var dateNumber = 0
        var alarms: Alarms?
        /// The calls of handlers that are due.
        var calls: [Call] = []
        /// A Boolean value that indicates whether a thread calls handlers.
        var isCalling = false
    }

    /// The timer and the observation that call the tap. `cancel` waits for a call in progress, so
    /// no lock may be held.
    fileprivate struct Alarms {
        let timer: TimebaseTimer
        let observation: TimebaseObservation

        func cancel() {
            timer.cancel()
            observation.cancel()
        }
    }

    private let state = Mutex(State())
    private let handlers: Handlers

    package init(_ handlers: Handlers) { self.handlers = handlers }

    deinit { state.withLock { $0.alarms }?.cancel() }

    /// The interval between the delivery of a group and its time.
    package var advance: MediaTime {
        get { state.withLock { $0.schedule.advance } }
        set {
            state.withLock { $0.schedule.advance = newValue }
            reconsider()
        }
    }

    var wantsGroups: Bool { handlers.groups != nil }
    var wantsDateRanges: Bool { handlers.dateRanges != nil }
    /// A Boolean value that indicates whether no call of a handler is due or in progress.
    var isQuiet: Bool { state.withLock { $0.calls.isEmpty && !$0.isCalling } }
    /// The item's pipeline. It is never released with the lock held.
    private var pipeline: ItemPipeline? { state.withLock { $0.pipeline } }

    // MARK: - Interface of the item

    func sequenceWasFlushed() {
        guard wantsGroups, let pipeline else { return }
        state.withLock { state in
            guard state.pipeline === pipeline else { return }
            let generation = pipeline.control.withLock { $0.generation }
            state.perform(
                state.schedule.handle(
                    .flushed(generation: generation), pipeline.metadata.timeline))
        }
        callHandlers()
    }

    func reconsider() {
        guard wantsGroups, let pipeline else { return }
        state.withLock { state in
            // The timeline may pass the time for which the timer is set before it is set.
            while state.pipeline === pipeline, let place = pipeline.metadataPlace {
                state.perform(
                    state.schedule.handle(
                        .moved(to: place.time, rate: place.rate, generation: place.generation),
                        pipeline.metadata.timeline))
                let now = pipeline.timebase.time
                guard let next = state.alarms?.timer.fireTime, next.isNumeric, now >= next,
                    now > place.time, place.rate > 0
                else { break }
            }
        }
        callHandlers()
    }

    func take(_ dateRanges: [DateRange], number: Int, of feed: TimedMetadataFeed) {
        guard let pipeline, pipeline.metadata === feed else { return }
        state.withLock { state in
            // Another thread may have brought a newer set.
            guard state.pipeline === pipeline, number > state.dateNumber else { return }
            state.dateNumber = number
            if let change = state.dates.update(dateRanges) {
                state.calls.append(.dateRanges(change))
            }
        }
        callHandlers()
    }

    func attach(to pipeline: ItemPipeline, owner: any AnyObject & Sendable) {
        let former = self.pipeline
        if former !== pipeline {
            begin(with: pipeline, isFirst: former == nil)
            former?.metadata.remove(self)
        }
        pipeline.metadata.add(self, owner: owner)
        // Another thread may have added the tap to another item.
        if self.pipeline !== pipeline { pipeline.metadata.remove(self) }
        reconsider()
        callHandlers()
    }

    private func begin(with pipeline: ItemPipeline, isFirst: Bool) {
        let alarms = wantsGroups ? makeAlarms(of: pipeline.timebase) : nil
        let former = state.withLock { state -> Alarms? in
            state.end()
            if wantsGroups, !isFirst { state.calls.append(.flush) }
            // The ranges of the former item are gone.
            if let change = state.dates.update([]) { state.calls.append(.dateRanges(change)) }
            state.pipeline = pipeline
            defer { state.alarms = alarms }
            return state.alarms
        }
        former?.cancel()
    }

    private func makeAlarms(of timebase: Timebase) -> Alarms {
        Alarms(
            timer: timebase.addTimer(at: .invalid) { [weak self] _ in self?.reconsider() },
            observation: timebase.observe { [weak self] _ in self?.reconsider() })
    }

    func detach(from pipeline: ItemPipeline) {
        pipeline.metadata.remove(self)
        detach(from: pipeline.metadata)
    }

    func detach(from feed: TimedMetadataFeed) {
        guard let pipeline, pipeline.metadata === feed else { return }
        let alarms = state.withLock { state -> Alarms? in
            guard state.pipeline === pipeline else { return nil }
            state.end()
            state.pipeline = nil
            defer { state.alarms = nil }
            return state.alarms
        }
        alarms?.cancel()
    }

    // MARK: -

    /// Calls the handlers that are due, unless another thread is calling them, or a handler has led
    /// here: they then follow.
    private func callHandlers() {
        let isFirst = state.withLock { state in
            guard !state.isCalling else { return false }
            state.isCalling = true
            return true
        }
        guard isFirst else { return }
        while let call = state.withLock({ $0.nextCall() }) {
            switch call {
            case .groups(let groups): handlers.groups?(groups)
            case .flush: handlers.flush?()
            case .dateRanges(let change): handlers.dateRanges?(change)
            }
        }
    }
}

extension MetadataTap.State {
    /// Forgets the item. What was due of it is not delivered.
    fileprivate mutating func end() {
        calls = []
        schedule.reset()
        dateNumber = 0
    }

    fileprivate mutating func perform(_ actions: [MetadataSchedule.Action]) {
        for action in actions {
            switch action {
            case .flush: calls.append(.flush)
            case .deliver(let entries): calls.append(.groups(entries.map(\.group)))
            case .wake(let time): alarms?.timer.fireTime = time ?? .invalid
            }
        }
    }

    /// Returns the next call, or ends calling.
    fileprivate mutating func nextCall() -> MetadataTap.Call? {
        guard calls.isEmpty else { return calls.removeFirst() }
        isCalling = false
        return nil
    }
}

extension ItemPipeline {
    /// The place of the playhead for the delivery of metadata; nil while a seek is in progress, in
    /// reverse, and before the item is ready.
    fileprivate var metadataPlace: (time: MediaTime, rate: Double, generation: Int)? {
        control.withLock { control in
            guard case .ready = control.phase, control.direction == .forward, control.seek == nil,
                !control.transport.seek.demuxerMustMove
            else { return nil }
            let (time, rate) = timebase.timeAndRate
            return (time, rate, control.generation)
        }
    }
}

extension PlayerItem {
    /// Adds a tap. It belongs to this item from then on. The item retains it and its owner.
    package func add(_ tap: MetadataTap, owner: any AnyObject & Sendable) {
        tap.attach(to: pipeline, owner: owner)
    }

    /// Removes a tap. After that, it receives nothing from this item.
    package func remove(_ tap: MetadataTap) { tap.detach(from: pipeline) }
}
