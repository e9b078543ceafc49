// SPDX-License-Identifier: Apache-2.0

public import Playhead
import Synchronization

/// A tap that processes audio with an LV2 plug-in.
///
///     let plugin = try LV2Plugin(uri: "http://drobilla.net/plugins/mda/Image")
///     let tap = try LV2Tap(plugin, values: ["output": 0.4])
///     parameters.taps = [tap]
///     try tap.set(0.6, for: "output")     // heard from the next block on
///
/// A plug-in with one input and one output gets an instance for each channel of the audio; one with
/// two, an instance for each pair of channels, in their order. All instances have the same values.
///
/// If the plug-in cannot process the format of the device, or fails to load, the tap passes audio
/// on unchanged, and `error` is the reason.
///
/// The plug-in runs in the process, on the audio device's real-time thread: if it crashes, the
/// program does. Plug-ins that do not promise to be capable of hard real time
/// (`LV2Plugin.isHardRealTimeCapable`) may interrupt the audio. Seeks do not reset a plug-in, so
/// echoes continue after them. Delays are not compensated; see `latency`.
///
/// - Concurrency: any thread may set values.
/// - Corresponds to: `AVAudioUnitEffect` in an `MTAudioProcessingTap`.
public final class LV2Tap: AudioProcessingTap, @unchecked Sendable {
    // Unchecked: `running` changes while no audio is processed; all else is locked or atomic.

    private struct State: Sendable {
        var instances: LV2Instances?
        var sampleRate = 0
        var error: LV2Error?
    }

    /// The plug-in.
    public let plugin: LV2Plugin
    private let values: LV2Values
    private let state = Mutex(State())
    /// The instances of `state`, which the audio callback uses without reference counting.
    private var running: Unmanaged<LV2Instances>?
    private let latencyFrames = Atomic(0)

    /// Creates a tap.
    ///
    /// - Parameter values: The values of parameters, by symbol. The others have their defaults.
    /// - Throws: `LV2Plugin.unsupportedReason`, or `LV2Error` with the code `unknownParameter` or
    ///   `invalidValue`.
    public init(_ plugin: LV2Plugin, values: [String: Float] = [:]) throws(LV2Error) {
        if let reason = plugin.unsupportedReason { throw reason }
        self.plugin = plugin
        self.values = LV2Values(plugin.parameters)
        super.init()
        for (symbol, value) in values.sorted(by: { $0.key < $1.key }) {
            try set(value, for: symbol)
        }
    }

    // MARK: - Values

    /// Returns the value of a parameter, or nil if there is no such parameter.
    public func value(for symbol: String) -> Float? {
        values.index(of: symbol).map { values[$0] }
    }

    /// Sets the value of a parameter, which applies from the next block of audio on. Does not lock
    /// or wait.
    ///
    /// - Throws: `LV2Error` with the code `unknownParameter` or `invalidValue`; the value is then
    ///   unchanged.
    public func set(_ value: Float, for symbol: String) throws(LV2Error) {
        guard let index = values.index(of: symbol) else {
            let known = plugin.parameters.map(\.symbol).joined(separator: ", ")
            throw LV2Error(
                .unknownParameter, subject: plugin.name, cause: "it has no parameter '\(symbol)'",
                remedy: known.isEmpty ? "" : "its parameters are \(known)")
        }
        if let problem = plugin.parameters[index].problem(with: value, in: plugin.name) {
            throw problem
        }
        values[index] = value
    }

    // MARK: - State

    /// The reason why the tap passes audio on unchanged, or nil. It is known once the tap is in the
    /// mix of an item that has started to play.
    public var error: LV2Error? { state.withLock { $0.error } }

    /// The delay of the audio in the plug-in, as it last reported; zero if it reports none.
    /// The player does not compensate for it.
    public var latency: MediaTime {
        let rate = state.withLock { $0.sampleRate }
        guard rate > 0 else { return .zero }
        return MediaTime(
            value: Int64(latencyFrames.load(ordering: .relaxed)), timescale: Int32(rate))
    }

    // MARK: - Processing

    /// Creates the instances of the plug-in.
    public override func prepare(maxFrames: Int, format: AudioFormat) {
        let result = Result { () throws(LV2Error) -> LV2Instances in
            try LV2Instances(plugin, values: values, maxFrames: maxFrames, format: format)
        }
        let instances = try? result.get()
        running = instances.map { Unmanaged.passUnretained($0) }
        state.withLock { state in
            state.instances = instances
            state.sampleRate = format.sampleRate
            if case .failure(let error) = result { state.error = error } else { state.error = nil }
        }
    }

    /// Removes the instances of the plug-in.
    public override func unprepare() {
        running = nil
        let instances = state.withLock { state in
            let instances = state.instances
            state.instances = nil
            return instances
        }
        // The plug-in may take its time to end, so it ends outside the lock.
        withExtendedLifetime(instances) {}
    }

    /// Pulls the source audio and processes it.
    public override func process(_ block: inout AudioTapBlock) {
        block.pull()
        let (samples, frameCount) = (block.samples, block.frameCount)
        guard frameCount > 0, let running, let start = samples.baseAddress else { return }
        let latency = running._withUnsafeGuaranteedRef { instances in
            instances.process(start, frameCount: frameCount)
        }
        latencyFrames.store(latency, ordering: .relaxed)
    }
}
