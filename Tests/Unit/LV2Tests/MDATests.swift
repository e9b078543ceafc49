// SPDX-License-Identifier: Apache-2.0

import Glibc
import RealTimeTestSupport
import Testing

@testable import PlayheadLV2

/// The package `mda-lv2`.
private enum MDA {
    static let prefix = "http://drobilla.net/plugins/mda/"
    static let isInstalled = (try? LV2Plugin(uri: prefix + "Image")) != nil
}

/// Plug-ins that other people wrote.
@Suite(.enabled(if: MDA.isInstalled, "needs mda-lv2 and Lilv"))
struct MDATests {
    @Test func `Image describes its parameters`() throws {
        let plugin = try LV2Plugin(uri: MDA.prefix + "Image")
        #expect(plugin.name == "MDA Image" && plugin.className == "Spatial")
        #expect(plugin.inputChannelCount == 2 && plugin.outputChannelCount == 2)
        #expect(
            plugin.parameters.map(\.symbol)
                == ["mode", "s_width", "s_pan", "m_level", "m_pan", "output"])
        #expect(plugin.isHardRealTimeCapable && plugin.unsupportedReason == nil)
        let mode = plugin.parameters[0]
        #expect(mode.isEnumeration && mode.scalePoints.map(\.value) == [0, 0.25, 0.5, 0.75])
    }

    /// In this mode, Image reads and writes left and right, and with the default values it only
    /// multiplies them by 10^(2 × output − 1).
    @Test(arguments: [Float(0.5), 0.45, 0.25, 0.6])
    func `the gain of Image is exact to the sample, with no allocation`(output: Float) throws {
        let tap = try LV2Tap(
            LV2Plugin(uri: MDA.prefix + "Image"), values: ["mode": 0.75, "output": output])
        let rig = PluginRig([tap])
        rig.run(milliseconds: 1_000)
        let gain = Float(pow(10, 2 * Double(output) - 1))
        for channel in 0..<2 {
            let source = rig.source(channel: channel)
            #expect(source.count >= 48_000)
            let expected = source.map { $0 * gain }
            #expect(PluginRig.difference(rig.heard(channel: channel), expected) == nil)
        }
        #expect(rig.violations.allocations == 0 && rig.violations.calls >= 100)
        #expect(rig.violations.isClean, "\(rig.violations.description)")
    }

    @Test func `every effect processes audio without allocations, locks or system calls`() throws {
        let effects = try LV2Plugin.all().filter {
            $0.uri.hasPrefix(MDA.prefix) && $0.unsupportedReason == nil
        }
        #expect(effects.count > 25)
        for effect in effects {
            let tap = try LV2Tap(effect)
            let rig = PluginRig([tap])
            rig.run(milliseconds: 200)
            #expect(tap.error == nil && rig.heard().count >= 9_600)
            #expect(rig.violations.isClean, "\(effect.uri): \(rig.violations.description)")
            rig.end()
        }
    }
}
