// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import RealTimeTestSupport
import Synchronization
import Testing

@testable import PlayheadLV2

@Suite(.enabled(if: TestPlugins.isAvailable, "\(TestPlugins.absence)"))
struct LV2TapTests {
    private static let surround = AudioFormat(
        sampleRate: PluginRig.sampleRate,
        channels: [
            .frontLeft, .frontRight, .frontCenter, .lowFrequency, .backLeft, .backRight,
        ])
    private static let mono = AudioFormat.mono(sampleRate: PluginRig.sampleRate)

    private func tap(_ name: String, _ values: [String: Float] = [:]) throws -> LV2Tap {
        try LV2Tap(TestPlugins.plugin(name), values: values)
    }

    // MARK: - Channels

    @Test(arguments: [LV2TapTests.mono, .stereo(sampleRate: 48_000), LV2TapTests.surround])
    func `a mono plug-in processes each channel, exact to the bit`(format: AudioFormat) throws {
        let tap = try tap("gain", ["gain": 0.3])
        let rig = PluginRig([tap], format: format)
        rig.run(milliseconds: 500)
        #expect(tap.error == nil)
        for channel in 0..<format.channelCount {
            let source = rig.source(channel: channel)
            #expect(source.count >= 24_000)
            let expected = source.map { $0 * 0.3 }
            #expect(PluginRig.difference(rig.heard(channel: channel), expected) == nil)
        }
        #expect(rig.violations.isClean, "\(rig.violations.description)")
    }

    @Test(arguments: [AudioFormat.stereo(sampleRate: 48_000), LV2TapTests.surround])
    func `a stereo plug-in processes pairs of channels`(format: AudioFormat) throws {
        let tap = try tap("swap")
        let rig = PluginRig([tap], format: format)
        rig.run(milliseconds: 100)
        for channel in 0..<format.channelCount {
            let expected = rig.source(channel: channel ^ 1)
            #expect(PluginRig.difference(rig.heard(channel: channel), expected) == nil)
        }
        #expect(rig.violations.isClean, "\(rig.violations.description)")
    }

    @Test func `channels that do not fit leave audio unchanged and are named`() throws {
        let tap = try tap("swap")
        let rig = PluginRig([tap], format: Self.mono)
        rig.run(milliseconds: 100)
        let error = try #require(tap.error)
        #expect(error.code == .unsupportedChannels)
        #expect(error.cause == "it processes 2 channels, and the audio has 1")
        #expect(PluginRig.difference(rig.heard(), rig.source()) == nil)
        rig.end()

        // The same tap in a stereo device.
        let other = PluginRig([tap])
        other.run(milliseconds: 100)
        #expect(tap.error == nil)
        #expect(PluginRig.difference(other.heard(), other.source(channel: 1)) == nil)
    }

    // MARK: - Values

    @Test func `values are checked and kept`() throws {
        let tap = try tap("parameters", ["steps": 3, "free": -1e9])
        #expect(tap.value(for: "steps") == 3 && tap.value(for: "free") == -1e9)
        #expect(tap.value(for: "on") == 1 && tap.value(for: "other") == nil)
        try tap.set(0.5, for: "corner")
        let refused: [(String, Float, LV2Error.Code, String)] = [
            ("other", 1, .unknownParameter, "its parameters are steps, on, mode, corner"),
            ("steps", 2.5, .invalidValue, "parameter 'steps' must be a whole number, found 2.5"),
            ("steps", 11, .invalidValue, "must be between 0.0 and 10.0, found 11.0"),
            ("corner", .nan, .invalidValue, "found nan"),
            ("free", .infinity, .invalidValue, "must be a finite number, found inf"),
            ("on", -0.5, .invalidValue, "must be between 0.0 and 1.0"),
        ]
        for (symbol, value, code, text) in refused {
            let error = #expect(throws: LV2Error.self) { try tap.set(value, for: symbol) }
            #expect(error?.code == code && error?.description.contains(text) == true)
            #expect(throws: LV2Error.self) { try self.tap("parameters", [symbol: value]) }
        }
        #expect(tap.value(for: "steps") == 3 && tap.value(for: "corner") == 0.5)
    }

    @Test func `a value that is set while audio plays applies from a block on`() throws {
        let tap = try tap("gain")
        let rig = PluginRig([tap])
        rig.run(milliseconds: 100)
        try tap.set(-0.7, for: "gain")
        rig.run(milliseconds: 100)
        let (heard, source) = (rig.heard(), rig.source())
        let first = try #require(heard.indices.first { heard[$0] != source[$0] })
        #expect(first >= 4_800 && first < heard.count - 480)
        let expected = source[first...].map { $0 * -0.7 }
        #expect(PluginRig.difference(Array(heard[first...]), expected) == nil)
    }

    @Test func `any thread sets values without the callback waiting`() throws {
        let tap = try tap("gain")
        let rig = PluginRig([tap])
        let isDone = Atomic(false)
        let threads = (1...2).map { number in
            WorkerThread(name: "control") {
                while !isDone.load(ordering: .relaxed) {
                    try? tap.set(Float(number) / 4, for: "gain")
                }
            }
        }
        rig.run(milliseconds: 1_000)
        isDone.store(true, ordering: .relaxed)
        for thread in threads { thread.join() }
        #expect(rig.violations.isClean, "\(rig.violations.description)")
        let factors = zip(rig.heard(), rig.source()).map { $0 / $1 }
        #expect(factors.allSatisfy { [0.25, 0.5, 1].contains($0) })
    }

    @Test func `fractions of the sample rate reach the plug-in as frequencies`() throws {
        for format in [AudioFormat.mono(sampleRate: 48_000), .mono(sampleRate: 44_100)] {
            let tap = try tap("parameters", ["corner": 0.125])
            let rig = PluginRig([tap], format: format)
            rig.run(milliseconds: 100)
            let expected = Float(format.sampleRate) * 0.125 / 1e6
            #expect(rig.heard().allSatisfy { $0 == expected })
        }
    }

    @Test func `the latency is what the plug-in reports`() throws {
        let tap = try tap("parameters", ["delay": 480])
        #expect(tap.latency == .zero)
        let rig = PluginRig([tap])
        rig.run(milliseconds: 50)
        #expect(tap.latency == MediaTime(value: 1, timescale: 100))
        try tap.set(0, for: "delay")
        rig.run(milliseconds: 100)
        #expect(tap.latency == .zero)
    }

    // MARK: - Plug-ins that fail

    @Test(arguments: ["failing", "missing"])
    func `a plug-in that fails to load leaves audio unchanged`(name: String) throws {
        let tap = try tap(name)
        #expect(tap.error == nil)
        let rig = PluginRig([tap])
        rig.run(milliseconds: 100)
        let error = try #require(tap.error)
        #expect(error.code == .instantiationFailed && error.description.contains("48000 Hz"))
        #expect(PluginRig.difference(rig.heard(), rig.source()) == nil)
        #expect(rig.violations.isClean, "\(rig.violations.description)")
    }

    @Test func `output that is not a number is silent while it lasts`() throws {
        let tap = try tap("nan")
        let rig = PluginRig([tap])
        rig.run(milliseconds: 100)
        try tap.set(1, for: "broken")
        rig.run(milliseconds: 100)
        try tap.set(0, for: "broken")
        rig.run(milliseconds: 100)
        let (heard, source) = (rig.heard(), rig.source())
        let first = try #require(heard.firstIndex(of: 0))
        let last = try #require(heard.lastIndex(of: 0))
        #expect(heard[first...last].allSatisfy { $0 == 0 } && last - first + 1 == 4_800)
        #expect(last < heard.count - 480)
        #expect(PluginRig.difference(heard[..<first], source[..<first]) == nil)
        #expect(PluginRig.difference(heard[(last + 1)...], source[(last + 1)...]) == nil)
    }

    // MARK: - Features

    @Test func `features, options and empty event buffers are as promised`() throws {
        let tap = try tap("demanding")
        let rig = PluginRig([tap])
        rig.run(milliseconds: 500)
        #expect(tap.error == nil)
        #expect(PluginRig.difference(rig.heard(), rig.source()) == nil)
        #expect(rig.violations.isClean, "\(rig.violations.description)")
    }

    @Test func `an optional port of an unsupported type stays unconnected`() throws {
        let rig = PluginRig([try tap("optional")])
        rig.run(milliseconds: 100)
        #expect(PluginRig.difference(rig.heard(), rig.source()) == nil)
    }

    @Test func `instances exist only while the tap is in a mix that plays`() throws {
        let plugins = try TestPlugins()
        let tap = try LV2Tap(plugins.plugin("gain"))
        #expect(plugins.instanceCount == 0)
        for _ in 0..<2 {
            let rig = PluginRig([tap])
            #expect(plugins.instanceCount == 2 && plugins.activeInstanceCount == 2)
            rig.run(milliseconds: 50)
            rig.end()
            #expect(plugins.instanceCount == 0 && plugins.activeInstanceCount == 0)
        }
    }

    @Test func `the guard detects a plug-in that allocates`() throws {
        let rig = PluginRig([try tap("allocating")])
        rig.run(milliseconds: 100)
        #expect(rig.violations.allocations >= rig.violations.calls)
    }
}
