// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadBuffers
package import PlayheadTime
import Synchronization

/// A mixer through which several renderers share a sink, so that one renderer can follow another
/// without a break.
///
/// Each renderer gets an input, which acts as its sink. Inputs are paused and resumed
/// independently, and the output is the sum of the running inputs, in a fixed order. The sink runs
/// while any input does. If the `endTime` of one renderer is the instant at which another starts,
/// the first sample of the second renderer immediately follows the last sample of the first: both
/// times are rounded to frames together.
///
///     let mixer = AudioMixer(sink: sink)
///     let first = AudioRenderer(sink: mixer.makeInput(), timebase: one)
///     let second = AudioRenderer(sink: mixer.makeInput(), timebase: other)
///
/// - Concurrency: any thread. The sink calls `render`, which does not lock, allocate or wait.
/// - Ownership: the mixer retains the sink, and the inputs retain the mixer. The sink retains the
///   mixer while an input has a renderer.
/// - Corresponds to: `AVAudioMixerNode`.
package final class AudioMixer: AudioSource, @unchecked Sendable {
    // Unchecked: `scratch` and `seam` are touched only by the sink's thread, within `render`.
    // `table` is published as follows. A writer swaps the table, then checks whether a call of
    // `render` is in progress; `render` marks itself as in progress, then takes the table. Both are
    // sequentially consistent, so the writer sees that a table which `render` may have taken is in
    // use, and keeps it for later.

    /// The sink that plays the mix.
    package let sink: any AudioSink

    /// The table of running renderers, in the order in which their groups were resumed.
    private final class Table: @unchecked Sendable {
        // Unchecked: constant. The pointers let `render` call the objects in `owners` without
        // reference counting.
        let renderers: UnsafeMutableBufferPointer<Unmanaged<AudioRenderer>>
        private let owners: [AudioRenderer]

        init(_ renderers: [AudioRenderer]) {
            owners = renderers
            self.renderers = .allocate(capacity: renderers.count)
            _ = self.renderers.initialize(from: renderers.map { Unmanaged.passUnretained($0) })
        }

        deinit { renderers.deallocate() }
    }

    private struct Entry {
        let input: ObjectIdentifier
        let renderer: AudioRenderer
    }

    private struct Running {
        let input: ObjectIdentifier
        let group: Int
        let order: Int
    }

    private struct Control {
        /// The inputs that have a renderer, and those among them that are running.
        var entries: [Entry] = []
        var running: [Running] = []
        var groupCount = 0
        /// The tables that were replaced while `render` was in progress.
        var retired: [Unmanaged<Table>] = []
    }

    /// The number of frames that are rendered at once; larger blocks are rendered in parts.
    private static let scratchFrames = 1024
    /// The number of times that a thread yields while a call of `render` is in progress. A call
    /// usually ends much earlier, but its thread may be preempted, so the wait must be bounded.
    private static let patience = 1000

    private let control = Mutex(Control())
    private let statusHandlers = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])
    private let table: AtomicReference<Table>
    private let isRendering = Atomic(false)
    private let delayNanoseconds = Atomic<Int64>(0)
    private let scratch: UnsafeMutablePointer<Float>
    private let channelCount: Int
    private let conversion: FrameRateConversion
    /// The clock time of the first frame after the end of the renderer that ended last.
    private var seam: Int64?

    /// Creates a mixer that plays into `sink`.
    package init(sink: any AudioSink) {
        self.sink = sink
        channelCount = sink.format.channelCount
        conversion = FrameRateConversion(sampleRate: sink.format.sampleRate)
        scratch = .allocate(capacity: Self.scratchFrames * sink.format.channelCount)
        scratch.initialize(repeating: 0, count: Self.scratchFrames * sink.format.channelCount)
        table = AtomicReference(Unmanaged.passRetained(Table([])))
    }

    deinit {
        table.load()?.release()
        control.withLock { for table in $0.retired { table.release() } }
        scratch.deallocate()
    }

    /// The delay of audio relative to the timebase; a negative delay plays audio earlier. A change
    /// of the delay skips or inserts the same amount of audio. A pause skips no audio.
    package var delay: MediaTime {
        get { MediaTime(nanoseconds: delayNanoseconds.load(ordering: .relaxed)) }
        set { delayNanoseconds.store(newValue.nanoseconds ?? 0, ordering: .relaxed) }
    }

    /// Calls `handler` after each change of the sink's status. The handler may run inside a call to
    /// one of the mixer's inputs.
    package func onStatusChange(_ handler: @escaping @Sendable () -> Void) {
        statusHandlers.withLock { $0[ObjectIdentifier(self)] = handler }
    }

    /// Creates a sink for one renderer.
    package func makeInput() -> any AudioSink { makeInputs()(nil) }

    /// Returns a function that creates sinks for the renderers of one timeline. The sinks are
    /// summed in the order of their numbers; the sink without a number comes first.
    package func makeInputs() -> @Sendable (Int?) -> any AudioSink {
        let group = control.withLock { control in
            control.groupCount += 1
            return control.groupCount
        }
        return { AudioMixerInput(self, group: group, order: $0 ?? .min) }
    }

    // MARK: Interface of the inputs

    func start(
        _ input: AudioMixerInput, _ renderer: AudioRenderer,
        onStatusChange: @escaping @Sendable () -> Void
    ) {
        let key = ObjectIdentifier(input)
        statusHandlers.withLock { $0[key] = onStatusChange }
        control.withLock { control in
            let isFirst = control.entries.isEmpty
            control.entries.removeAll { $0.input == key }
            control.entries.append(Entry(input: key, renderer: renderer))
            publish(&control)
            guard isFirst else { return }
            SinkClaims.claim(sink, for: self)
            sink.start(self) { [weak self] in self?.statusChanged() }
        }
    }

    func resume(_ input: AudioMixerInput) {
        let key = ObjectIdentifier(input)
        control.withLock { control in
            guard control.entries.contains(where: { $0.input == key }),
                !control.running.contains(where: { $0.input == key })
            else { return }
            let running = Running(input: key, group: input.group, order: input.order)
            let place = control.running.firstIndex {
                $0.group == running.group && $0.order > running.order
            }
            let end = control.running.lastIndex { $0.group == running.group }.map { $0 + 1 }
            control.running.insert(running, at: place ?? end ?? control.running.endIndex)
            publish(&control)
            if control.running.count == 1 { sink.resume() }
        }
    }

    func pause(_ input: AudioMixerInput) {
        control.withLock { halt(ObjectIdentifier(input), &$0) }
    }

    func stop(_ input: AudioMixerInput) {
        let key = ObjectIdentifier(input)
        control.withLock { control in
            guard control.entries.contains(where: { $0.input == key }) else { return }
            halt(key, &control)
            control.entries.removeAll { $0.input == key }
            if control.entries.isEmpty, SinkClaims.give(back: sink, by: self) { sink.stop() }
            // A table that is not released would retain its renderers, which retain this mixer.
            for _ in 0..<Self.patience where !releaseRetired(&control) { sched_yield() }
        }
        statusHandlers.withLock { _ = $0.removeValue(forKey: key) }
    }

    func isRunning(_ input: AudioMixerInput) -> Bool {
        control.withLock { $0.running.contains { $0.input == ObjectIdentifier(input) } }
    }

    private func halt(_ key: ObjectIdentifier, _ control: inout Control) {
        guard control.running.contains(where: { $0.input == key }) else { return }
        control.running.removeAll { $0.input == key }
        // The sink is paused before the input is removed. The pause drops the audio that the sink
        // took from the input but did not play.
        if control.running.isEmpty, SinkClaims.holds(sink, self) { sink.pause() }
        publish(&control)
    }

    /// Publishes the running renderers to `render`.
    private func publish(_ control: inout Control) {
        let renderers = control.running.compactMap { running in
            control.entries.first { $0.input == running.input }?.renderer
        }
        let old = table.exchange(Unmanaged.passRetained(Table(renderers)))
        if let old { control.retired.append(old) }
        _ = releaseRetired(&control)
    }

    /// Releases the replaced tables unless `render` is in progress; returns whether all are
    /// released.
    private func releaseRetired(_ control: inout Control) -> Bool {
        if control.retired.isEmpty { return true }
        guard !isRendering.load(ordering: .sequentiallyConsistent) else { return false }
        for table in control.retired { table.release() }
        control.retired = []
        return true
    }

    /// Handles a change of the sink's status. Called on a thread of the sink, or within a call to
    /// one of the inputs.
    private func statusChanged() {
        let handlers = statusHandlers.withLock { Array($0.values) }
        for handler in handlers { handler() }
    }

    // MARK: Interface of the sink

    package func render(
        into samples: UnsafeMutablePointer<Float>, frameCount: Int, presentationTime: Int64
    ) {
        isRendering.store(true, ordering: .sequentiallyConsistent)
        let table = table.load()
        // Because of the delay, audio that is heard now belongs to an earlier time of the timebase.
        let delay = delayNanoseconds.load(ordering: .relaxed)
        let presentationTime = presentationTime - delay
        table?._withUnsafeGuaranteedRef { table in
            var done = 0
            while done < frameCount {
                let count = min(frameCount - done, Self.scratchFrames)
                render(
                    table.renderers, into: samples + done * channelCount, frameCount: count,
                    presentationTime: presentationTime
                        + conversion.nanoseconds(frames: Int64(done)), delay: delay)
                done += count
            }
        }
        isRendering.store(false, ordering: .releasing)
    }

    private func render(
        _ renderers: UnsafeMutableBufferPointer<Unmanaged<AudioRenderer>>,
        into samples: UnsafeMutablePointer<Float>, frameCount: Int, presentationTime: Int64,
        delay: Int64
    ) {
        let count = frameCount * channelCount
        if renderers.isEmpty { samples.update(repeating: 0, count: count) }
        for index in renderers.indices {
            let target = index == 0 ? samples : scratch
            renderers[index]._withUnsafeGuaranteedRef {
                $0.render(
                    into: target, frameCount: frameCount, presentationTime: presentationTime,
                    delay: delay, seam: &seam)
            }
            guard index > 0 else { continue }
            for sample in 0..<count { samples[sample] += scratch[sample] }
        }
        if renderers.count > 1 { GainRamp.limit(samples, count: count) }
    }
}
