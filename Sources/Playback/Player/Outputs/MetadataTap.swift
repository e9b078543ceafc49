// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadThreads
package import PlayheadTime
import Synchronization

/// A client of an item's timed metadata, which an output of the product PlayheadMetadata wraps.
///
/// - Concurrency: any thread. Handlers are called in order, one at a time, with a lock held: they
///   only pass on what they receive.
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

    private struct State {
        weak var pipeline: ItemPipeline?
        var schedule = MetadataSchedule()
        var dates = DateRangeCollection()
        var timer: TimebaseTimer?
        var observation: TimebaseObservation?

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
        guard wantsGroups else { return }
        state.withLock { state in
            guard let pipeline = state.pipeline else { return }
            let generation = pipeline.control.withLock { $0.generation }
            perform(
                state.schedule.handle(
                    .flushed(generation: generation), pipeline.metadata.timeline), &state)
        }
    }

    func reconsider() {
        guard wantsGroups else { return }
        state.withLock { state in
            // The timer is set for a time that a manual clock may pass before it is set.
            while let pipeline = state.pipeline, let place = pipeline.metadataPlace {
                perform(
                    state.schedule.handle(
                        .moved(to: place.time, rate: place.rate, generation: place.generation),
                        pipeline.metadata.timeline), &state)
                guard let next = state.timer?.fireTime, next.isNumeric,
                    pipeline.timebase.time >= next, place.rate > 0
                else { break }
            }
        }
    }

    func take(_ dateRanges: [DateRange]) {
        state.withLock { state in
            if let change = state.dates.update(dateRanges) { handlers.dateRanges?(change) }
        }
    }

    func attach(to pipeline: ItemPipeline, owner: any AnyObject & Sendable) {
        let former = state.withLock { state -> ItemPipeline? in
            guard state.pipeline !== pipeline else { return nil }
            defer { state.pipeline = pipeline }
            state.stop()
            let former = state.pipeline
            if former != nil { handlers.flush?() }
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

    private func perform(_ actions: [MetadataSchedule.Action], _ state: inout State) {
        for action in actions {
            switch action {
            case .flush: handlers.flush?()
            case .deliver(let entries): handlers.groups?(entries.map(\.group))
            case .wake(let time): state.timer?.fireTime = time ?? .invalid
            }
        }
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
