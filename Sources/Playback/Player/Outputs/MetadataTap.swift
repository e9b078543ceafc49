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
        var timer: TimebaseTimer?
        var observation: TimebaseObservation?
        /// The calls of handlers that are due.
        var calls: [Call] = []
        /// A Boolean value that indicates whether a thread calls handlers.
        var isCalling = false

        mutating func stop() {
            timer?.cancel()
            observation?.cancel()
            (timer, observation) = (nil, nil)
        }
    }

    private let state = Mutex(State())
    private let handlers: Handlers

    package init(_ handlers: Handlers) { self.handlers = handlers }

    deinit { state.withLock { $0.stop() } }

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

    // MARK: - Interface of the item

    func sequenceWasFlushed() {
        guard wantsGroups, let pipeline = state.withLock({ $0.pipeline }) else { return }
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
        guard wantsGroups, let pipeline = state.withLock({ $0.pipeline }) else { return }
        state.withLock { state in
            // The timer is set for a time that a manual clock may pass before it is set.
            while state.pipeline === pipeline, let place = pipeline.metadataPlace {
                state.perform(
                    state.schedule.handle(
                        .moved(to: place.time, rate: place.rate, generation: place.generation),
                        pipeline.metadata.timeline))
                guard let next = state.timer?.fireTime, next.isNumeric,
                    pipeline.timebase.time >= next, place.rate > 0
                else { break }
            }
        }
        callHandlers()
    }

    func take(_ dateRanges: [DateRange]) {
        state.withLock { state in
            if let change = state.dates.update(dateRanges) {
                state.calls.append(.dateRanges(change))
            }
        }
        callHandlers()
    }

    func attach(to pipeline: ItemPipeline, owner: any AnyObject & Sendable) {
        let former = state.withLock { state -> ItemPipeline? in
            guard state.pipeline !== pipeline else { return nil }
            defer { state.pipeline = pipeline }
            state.stop()
            let former = state.pipeline
            if former != nil { state.calls.append(.flush) }
            state.schedule.reset()
            state.dates = DateRangeCollection()
            if wantsGroups {
                let timebase = pipeline.timebase
                state.timer = timebase.addTimer(at: .invalid) { [weak self] _ in
                    self?.reconsider()
                }
                state.observation = timebase.observe { [weak self] _ in self?.reconsider() }
            }
            return former
        }
        former?.metadata.remove(self)
        pipeline.metadata.add(self, owner: owner)
        reconsider()
    }

    func detach(from pipeline: ItemPipeline) {
        pipeline.metadata.remove(self)
        state.withLock { state in
            guard state.pipeline === pipeline else { return }
            state.stop()
            state.pipeline = nil
        }
    }

    func detach() {
        state.withLock { state in
            state.stop()
            state.pipeline = nil
        }
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
    fileprivate mutating func perform(_ actions: [MetadataSchedule.Action]) {
        for action in actions {
            switch action {
            case .flush: calls.append(.flush)
            case .deliver(let entries): calls.append(.groups(entries.map(\.group)))
            case .wake(let time): timer?.fireTime = time ?? .invalid
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
