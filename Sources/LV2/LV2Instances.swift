// SPDX-License-Identifier: Apache-2.0

import CPlayheadLV2
import PlayheadBuffers
import Synchronization

/// The running instances of a plug-in, which together process all channels of an audio format.
///
/// - Concurrency: `process` in the audio callback; created and removed on control threads, while no
///   audio is processed.
/// - Ownership: owns the instances and their buffers.
final class LV2Instances: @unchecked Sendable {
    // Unchecked: the buffers belong to the audio callback while audio is processed.

    /// A function of an instance that processes audio, and its argument.
    private struct Instance {
        let instance: UnsafeMutablePointer<ph_lilv_instance>
        let run: @convention(c) (UnsafeMutableRawPointer?, UInt32) -> Void
    }

    /// A buffer for the events of an instance.
    private struct EventBuffer {
        let memory: UnsafeMutableRawPointer
        /// The size, without the header of the atom.
        let capacity: UInt32
    }

    private let plugin: LV2Plugin
    /// The owner of `bits`.
    private let values: LV2Values
    /// The values of the parameters, read without reference counting.
    private let bits: UnsafeMutablePointer<Atomic<UInt32>>
    private let features: LV2Features
    /// The number of channels of an instance.
    private let width: Int
    private let instances: UnsafeMutableBufferPointer<Instance>

    /// One buffer after the other, each for a channel of an instance. All instances use the same.
    private let inputs: UnsafeMutablePointer<Float>
    private let outputs: UnsafeMutablePointer<Float>
    private let maxFrames: Int
    /// The values of the parameters, multiplied by `factors`.
    private let controls: UnsafeMutablePointer<Float>
    private let factors: UnsafeMutablePointer<Float>
    private let parameterCount: Int
    /// The control outputs of all instances.
    private let results: UnsafeMutablePointer<Float>
    private let latency: UnsafeMutablePointer<Float>?
    /// A sequence without events.
    private let events: UnsafeMutablePointer<ph_lv2_sequence>
    private let noEvents: ph_lv2_sequence
    private let discarded: UnsafeMutableBufferPointer<EventBuffer>
    private let chunk = LV2Identifiers.number(of: LV2URI.atomChunk)

    /// Creates and activates the instances.
    init(
        _ plugin: LV2Plugin, values: LV2Values, maxFrames: Int, format: AudioFormat
    ) throws(LV2Error) {
        if let reason = plugin.unsupportedReason { throw reason }
        let count = try plugin.instanceCount(forChannels: format.channelCount)
        self.plugin = plugin
        self.values = values
        bits = values.bits
        self.maxFrames = maxFrames
        width = plugin.inputChannelCount
        features = LV2Features(maxFrames: maxFrames, sampleRate: format.sampleRate)
        instances = try Self.instantiate(
            plugin, count, sampleRate: format.sampleRate, features: features)
        inputs = Self.floats(width * maxFrames)
        outputs = Self.floats(width * maxFrames)
        parameterCount = plugin.parameters.count
        controls = Self.floats(parameterCount)
        factors = Self.floats(parameterCount)
        for (index, parameter) in plugin.parameters.enumerated() {
            factors[index] = parameter.isRelativeToSampleRate ? Float(format.sampleRate) : 1
        }
        let resultCount = plugin.controlOutputCount
        let results = Self.floats(resultCount * count)
        self.results = results
        latency = plugin.latencyOutput.map { results + $0 }
        noEvents = ph_lv2_sequence(
            size: 8, type: LV2Identifiers.number(of: LV2URI.atomSequence), unit: 0, padding: 0)
        events = .allocate(capacity: 1)
        events.initialize(to: noEvents)
        discarded = Self.eventBuffers(plugin)
        for index in 0..<count { connect(instances[index], results + index * resultCount) }
        copyValues()
        plugin.world.withLock {
            for instance in instances {
                let instance = instance.instance.pointee
                instance.descriptor.pointee.activate?(instance.handle)
            }
        }
    }

    deinit {
        plugin.world.withLock {
            for instance in instances {
                let description = instance.instance.pointee
                description.descriptor.pointee.deactivate?(description.handle)
                plugin.world.lilv.instance_free(instance.instance)
            }
        }
        instances.deallocate()
        for memory in [inputs, outputs, controls, factors, results] { memory.deallocate() }
        for buffer in discarded { buffer.memory.deallocate() }
        discarded.deallocate()
        events.deallocate()
    }

    private static func instantiate(
        _ plugin: LV2Plugin, _ count: Int, sampleRate: Int, features: LV2Features
    ) throws(LV2Error) -> UnsafeMutableBufferPointer<Instance> {
        let lilv = plugin.world.lilv
        let instances = UnsafeMutableBufferPointer<Instance>.allocate(capacity: count)
        let isComplete = plugin.world.withLock {
            for index in 0..<count {
                guard
                    let new = lilv.plugin_instantiate(
                        plugin.handle, Double(sampleRate), features.list),
                    let run = new.pointee.descriptor.pointee.run
                else {
                    for created in instances[..<index] { lilv.instance_free(created.instance) }
                    return false
                }
                instances.initializeElement(at: index, to: Instance(instance: new, run: run))
            }
            return true
        }
        if isComplete { return instances }
        instances.deallocate()
        throw LV2Error(
            .instantiationFailed, subject: plugin.name,
            cause: "it cannot be loaded, or does not run at \(sampleRate) Hz",
            remedy: "see its messages on stderr, or reinstall it")
    }

    private static func floats(_ count: Int) -> UnsafeMutablePointer<Float> {
        let memory = UnsafeMutablePointer<Float>.allocate(capacity: max(1, count))
        memory.initialize(repeating: 0, count: max(1, count))
        return memory
    }

    private static func eventBuffers(
        _ plugin: LV2Plugin
    ) -> UnsafeMutableBufferPointer<EventBuffer> {
        var buffers: [EventBuffer] = []
        for case .eventOutput(let capacity) in plugin.ports {
            buffers.append(
                EventBuffer(
                    memory: .allocate(byteCount: capacity + 8, alignment: 8),
                    capacity: UInt32(capacity)))
        }
        let result = UnsafeMutableBufferPointer<EventBuffer>.allocate(capacity: buffers.count)
        _ = result.initialize(from: buffers)
        return result
    }

    private func connect(_ instance: Instance, _ results: UnsafeMutablePointer<Float>) {
        let description = instance.instance.pointee
        var eventOutputs = 0
        for (index, port) in plugin.ports.enumerated() {
            let location: UnsafeMutableRawPointer?
            switch port {
            case .audioInput(let channel): location = .init(inputs + channel * maxFrames)
            case .audioOutput(let channel): location = .init(outputs + channel * maxFrames)
            case .parameter(let parameter): location = .init(controls + parameter)
            case .controlOutput(let output): location = .init(results + output)
            case .eventInput: location = .init(events)
            case .eventOutput:
                location = discarded[eventOutputs].memory
                eventOutputs += 1
            case .unused, .unsupported: location = nil
            }
            description.descriptor.pointee.connect_port(
                description.handle, UInt32(index), location)
        }
    }

    // MARK: - Audio callback

    /// Processes interleaved samples in place.
    ///
    /// - Parameter frameCount: The number of frames, from 1 to the maximum.
    /// - Returns: The delay of the plug-in, in frames.
    func process(_ samples: UnsafeMutablePointer<Float>, frameCount: Int) -> Int {
        copyValues()
        let stride = width * instances.count
        for index in 0..<instances.count {
            let first = samples + index * width
            for channel in 0..<width {
                let input = inputs + channel * maxFrames
                for frame in 0..<frameCount { input[frame] = first[frame * stride + channel] }
            }
            resetEvents()
            let instance = instances[index]
            instance.run(instance.instance.pointee.handle, UInt32(frameCount))
            for channel in 0..<width {
                let output = outputs + channel * maxFrames
                for frame in 0..<frameCount { first[frame * stride + channel] = output[frame] }
            }
        }
        guard let latency = latency?.pointee, latency > 0, latency < 1e9 else { return 0 }
        return Int(latency)
    }

    private func copyValues() {
        for index in 0..<parameterCount {
            let value = Float(bitPattern: bits[index].load(ordering: .relaxed))
            controls[index] = value * factors[index]
        }
    }

    private func resetEvents() {
        events.pointee = noEvents
        for index in 0..<discarded.count {
            let buffer = discarded[index]
            buffer.memory.storeBytes(of: buffer.capacity, as: UInt32.self)
            buffer.memory.storeBytes(of: chunk, toByteOffset: 4, as: UInt32.self)
        }
    }
}
