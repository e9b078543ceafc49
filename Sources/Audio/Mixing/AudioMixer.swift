// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadBuffers
package import PlayheadTime
import Synchronization

/// Lets several renderers share a sink, so that one can follow another without a break.
///
/// Each renderer gets an input, which is a sink to it: it is paused and resumed on its own, and what
/// is heard is the sum of those that run. The sink itself runs as long as any of them does. Where
/// one renderer's `endTime` and another's start are the same instant, the other's first sample is
/// the very next frame after the last of the one: they are rounded to frames once, together.
///
///     let mixer = AudioMixer(sink: sink)
///     let first = AudioRenderer(sink: mixer.makeInput(), timebase: one)
///     let second = AudioRenderer(sink: mixer.makeInput(), timebase: other)
///
/// - Concurrency: any thread. `render`, which the sink calls, neither locks nor allocates nor waits.
/// - Ownership: keeps the sink; its inputs keep it. The sink keeps it while an input has a renderer.
/// - Corresponds to: `AVAudioMixerNode`.
package final class AudioMixer: AudioSource, @unchecked Sendable {
    // Unchecked: `scratch` and `seam` are touched by the sink's thread only, within `render`; `table`
    // is published by the following rule. A writer swaps it, then looks whether a call of `render` is
    // under way; `render` says that it is under way, then takes the table. Both are sequentially
    // consistent, so a table that `render` may have taken is seen to be in use, and kept for later.

    /// Where the mix is played.
    package let sink: any AudioSink

    /// The renderers that are heard, in the order in which they were resumed.
    private final class Table: @unchecked Sendable {
        // Unchecked: constant. The pointers let `render` call what `owners` keeps without counting
        // references.
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

    private struct Control {
        /// Inputs that have a renderer, and those of them that run.
        var entries: [Entry] = []
        var running: [ObjectIdentifier] = []
        /// Tables that were replaced while `render` was under way.
        var retired: [Unmanaged<Table>] = []
    }

    /// Larger blocks are rendered in parts.
    private static let scratchFrames = 1024
    /// How often a thread steps aside for a call of `render` that is under way: it takes far less
    /// than that, but for a thread that is kept from running nobody waits for ever.
    private static let patience = 1000

    private let control = Mutex(Control())
    private let statusHandlers = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])
    private let table: AtomicReference<Table>
    private let isRendering = Atomic(false)
    private let delayNanoseconds = Atomic<Int64>(0)
    private let scratch: UnsafeMutablePointer<Float>
    private let channelCount: Int
    private let conversion: FrameRateConversion
    /// Clock time of the first frame after the renderer that ended last.
    private var seam: Int64?

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

    /// By how much later than the timebase says sound is to be heard; negative for earlier. What is
    /// left out or silent when it changes is as long as the change; pauses leave nothing out.
    package var delay: MediaTime {
        get { MediaTime(nanoseconds: delayNanoseconds.load(ordering: .relaxed)) }
        set { delayNanoseconds.store(newValue.nanoseconds ?? 0, ordering: .relaxed) }
    }

    /// Calls `handler` whenever the sink's status has changed, perhaps within a call to an input.
    package func onStatusChange(_ handler: @escaping @Sendable () -> Void) {
        statusHandlers.withLock { $0[ObjectIdentifier(self)] = handler }
    }

    /// A sink for one renderer.
    package func makeInput() -> any AudioSink { AudioMixerInput(self) }

    // MARK: The inputs' side

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
                !control.running.contains(key)
            else { return }
            control.running.append(key)
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
            // A table that stays behind would keep its renderers, and they this.
            for _ in 0..<Self.patience where !releaseRetired(&control) { sched_yield() }
        }
        statusHandlers.withLock { _ = $0.removeValue(forKey: key) }
    }

    func isRunning(_ input: AudioMixerInput) -> Bool {
        control.withLock { $0.running.contains(ObjectIdentifier(input)) }
    }

    private func halt(_ key: ObjectIdentifier, _ control: inout Control) {
        guard control.running.contains(key) else { return }
        control.running.removeAll { $0 == key }
        // First the sink: what it has been given but not played is dropped with its input.
        if control.running.isEmpty, SinkClaims.holds(sink, self) { sink.pause() }
        publish(&control)
    }

    /// Lets `render` see what runs now.
    private func publish(_ control: inout Control) {
        let renderers = control.running.compactMap { key in
            control.entries.first { $0.input == key }?.renderer
        }
        let old = table.exchange(Unmanaged.passRetained(Table(renderers)))
        if let old { control.retired.append(old) }
        _ = releaseRetired(&control)
    }

    /// Lets go of what was replaced, unless `render` is under way; says whether nothing is left.
    private func releaseRetired(_ control: inout Control) -> Bool {
        if control.retired.isEmpty { return true }
        guard !isRendering.load(ordering: .sequentiallyConsistent) else { return false }
        for table in control.retired { table.release() }
        control.retired = []
        return true
    }

    /// On a thread of the sink's, or within one of the calls above.
    private func statusChanged() {
        let handlers = statusHandlers.withLock { Array($0.values) }
        for handler in handlers { handler() }
    }

    // MARK: The sink's side

    package func render(
        into samples: UnsafeMutablePointer<Float>, frameCount: Int, presentationTime: Int64
    ) {
        isRendering.store(true, ordering: .sequentiallyConsistent)
        let table = table.load()
        // What is heard now belongs to what the timebase read then.
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
