// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers
import Testing

@testable import PlayheadFFmpeg

/// Mastering metadata, which files state in numbers that need not be those of a display.
@Suite struct MasteringDisplayTests {
    private static func stated(red: AVRational, white: AVRational) -> AVMasteringDisplayMetadata {
        let place = (AVRational(num: 3, den: 10), AVRational(num: 6, den: 10))
        var values = AVMasteringDisplayMetadata()
        values.display_primaries = ((red, place.1), place, place)
        values.white_point = place
        values.max_luminance = white
        values.min_luminance = AVRational(num: 1, den: 1000)
        (values.has_primaries, values.has_luminance) = (1, 1)
        return values
    }

    @Test func `numbers that no display has are left out`() throws {
        let (whole, infinite) = (AVRational(num: 1000, den: 1), AVRational(num: 1, den: 0))
        let dark = try #require(
            MasteringDisplayColorVolume(Self.stated(red: infinite, white: whole)))
        #expect(dark.chromaticities == nil && dark.maximumLuminance == 1000)
        let colored = try #require(
            MasteringDisplayColorVolume(
                Self.stated(red: AVRational(num: 7, den: 10), white: infinite)))
        #expect(colored.chromaticities?.red == [0.7, 0.6] && colored.maximumLuminance == 0)
        #expect(MasteringDisplayColorVolume(Self.stated(red: infinite, white: infinite)) == nil)
    }

    @Test func `metadata is written as it was, without numbers that no display has`() throws {
        var volume = MasteringDisplayColorVolume(
            chromaticities: Chromaticities(
                red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06], white: [0.3127, 0.329]
            ), maximumLuminance: 1000, minimumLuminance: 0.0001)
        #expect(MasteringDisplayColorVolume(AVMasteringDisplayMetadata(volume)) == volume)
        volume.chromaticities?.green.x = .infinity
        #expect(AVMasteringDisplayMetadata(volume).has_primaries == 0)
        volume.minimumLuminance = .nan
        #expect(AVMasteringDisplayMetadata(volume).has_luminance == 0)
    }
}
