// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

@testable import PlayheadLV2

@Suite(.enabled(if: TestPlugins.isAvailable, "\(TestPlugins.absence)"))
struct LV2PluginTests {
    @Test func `a plug-in has its name, class, author and channels`() throws {
        let plugin = try TestPlugins.plugin("gain")
        #expect(plugin.uri == "urn:playhead:gain" && plugin.name == "Test Gain")
        #expect(plugin.className == "Amplifier" && plugin.author == "Playhead")
        #expect(plugin.inputChannelCount == 1 && plugin.outputChannelCount == 1)
        #expect(plugin.isHardRealTimeCapable && !plugin.reportsLatency)
        #expect(plugin.unsupportedReason == nil)
        let other = try TestPlugins.plugin("parameters")
        #expect(other.className == "Plugin" && other.author == nil)
        #expect(!other.isHardRealTimeCapable && other.reportsLatency)
    }

    @Test func `parameters have symbols, ranges, defaults, units and labels`() throws {
        let gain = try #require(try TestPlugins.plugin("gain").parameters.first)
        #expect(gain.symbol == "gain" && gain.name == "Gain" && gain.unit == "times")
        #expect(gain.minimum == -2 && gain.maximum == 2 && gain.defaultValue == 1)
        #expect(!gain.isToggle && !gain.isInteger && !gain.isEnumeration)
        #expect(!gain.isRelativeToSampleRate && gain.scalePoints.isEmpty)

        let parameters = try TestPlugins.plugin("parameters").parameters
        #expect(parameters.map(\.symbol) == ["steps", "on", "mode", "corner", "free", "delay"])
        let (steps, on, mode) = (parameters[0], parameters[1], parameters[2])
        #expect(steps.isInteger && steps.maximum == 10 && steps.unit == nil)
        #expect(on.isToggle && on.minimum == 0 && on.maximum == 1 && on.defaultValue == 1)
        #expect(mode.isEnumeration && mode.scalePoints.map(\.label) == ["Low", "High"])
        #expect(mode.scalePoints.map(\.value) == [0, 2])
        let (corner, free) = (parameters[3], parameters[4])
        #expect(corner.isRelativeToSampleRate && corner.unit == "Hz" && corner.maximum == 0.5)
        #expect(free.minimum == -.infinity && free.maximum == .infinity && free.unit == "%")
    }

    @Test func `a plug-in that is not installed is reported with the remedy`() throws {
        for uri in ["urn:playhead:none", "no URI", ""] {
            let error = #expect(throws: LV2Error.self) {
                try LV2Plugin.find(uri, in: TestPlugins.shared.get().world)
            }
            #expect(error?.code == .noSuchPlugin && error?.subject == uri)
            #expect(error?.description.contains("LV2_PATH") == true)
        }
    }

    @Test(arguments: [
        ("worker", LV2Error.Code.unsupportedFeature, "a worker thread"),
        ("feature", .unsupportedFeature, "the feature urn:playhead:some-feature"),
        ("option", .unsupportedFeature, "the option urn:playhead:some-option"),
        ("cv", .unsupportedPort, "'modulation' has the type http://lv2plug.in/ns/lv2core#CVPort"),
        ("uneven", .unsupportedChannels, "2 audio inputs and 1 output"),
        ("instrument", .unsupportedChannels, "0 audio inputs and 1 output"),
        ("holes", .unsupportedChannels, "0 audio inputs and 0 outputs"),
    ])
    func `a plug-in that no tap can use says why`(
        name: String, code: LV2Error.Code, text: String
    ) throws {
        let plugin = try TestPlugins.plugin(name)
        let reason = try #require(plugin.unsupportedReason)
        #expect(reason.code == code && reason.cause.contains(text), "\(reason)")
        #expect(reason.subject == plugin.name && !reason.remedy.isEmpty)
        #expect(throws: reason) { try LV2Tap(plugin) }
    }

    @Test func `all plug-ins of a folder are listed by name`() throws {
        let plugins = try LV2Plugin.all(in: TestPlugins.shared.get().world)
        #expect(plugins.count == 16 && plugins.map(\.name) == plugins.map(\.name).sorted())
    }

    @Test func `the types of the shim have the layouts of the headers`() throws {
        guard let flags = try? ProcessRunner.check(["pkg-config", "--cflags", "lilv-0"]) else {
            return
        }
        let shim = Checkout.root.appending(path: "Sources/Interop/LV2")
        let arguments = flags.text.split(whereSeparator: \.isWhitespace).map { String($0) }
        try ProcessRunner.check(
            [TestPlugins.compiler ?? "cc", "-fsyntax-only", "-I", shim.path] + arguments
                + [TestPlugins.sources.appending(path: "layouts.c").path])
    }
}

@Suite struct LV2LibraryTests {
    @Test func `a missing library is reported with the packages to install`() {
        let error = #expect(throws: LV2Error.self) {
            try LV2World(library: "libmissing-playhead.so.0")
        }
        #expect(error?.code == .libraryMissing)
        #expect(error?.description.contains("libmissing-playhead.so.0 is missing") == true)
        #expect(error?.remedy.contains("liblilv-0-0") == true)
    }

    @Test func `a library that is not Lilv is refused`() {
        #expect(throws: LV2Error.self) { try LV2World(library: "libc.so.6") }
    }
}
