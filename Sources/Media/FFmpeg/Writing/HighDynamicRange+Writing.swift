// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers

/// The metadata in the units of H.265, D.2.28. Files may state values that no display can have.
extension MasteringDisplayColorVolume {
    /// The places of red, green, blue and white, in units of 0.00002; nil if they are not known, or
    /// if one of them is far from all colours.
    var codedPlaces: [SIMD2<Int32>]? {
        guard let colors = chromaticities else { return nil }
        let places = [colors.red, colors.green, colors.blue, colors.white].map {
            ($0 * 50_000).rounded(.toNearestOrAwayFromZero)
        }
        guard places.allSatisfy({ abs($0.x) < 1e6 && abs($0.y) < 1e6 }) else { return nil }
        return places.map { SIMD2(Int32($0.x), Int32($0.y)) }
    }

    /// The luminances of white and black, in units of 0.0001 candela per square metre; nil if they
    /// are not known.
    var codedLuminances: (maximum: Int32, minimum: Int32)? {
        guard maximumLuminance > 0, !minimumLuminance.isNaN else { return nil }
        func code(_ value: Double) -> Int32 {
            Int32(min(max(value * 10_000, 0), 2e9).rounded())
        }
        return (code(maximumLuminance), code(minimumLuminance))
    }
}

extension AVMasteringDisplayMetadata {
    /// Creates FFmpeg's description of a display.
    init(_ volume: MasteringDisplayColorVolume) {
        self.init()
        func place(_ code: SIMD2<Int32>) -> (AVRational, AVRational) {
            (AVRational(num: code.x, den: 50_000), AVRational(num: code.y, den: 50_000))
        }
        if let places = volume.codedPlaces {
            display_primaries = (place(places[0]), place(places[1]), place(places[2]))
            white_point = place(places[3])
            has_primaries = 1
        }
        if let luminances = volume.codedLuminances {
            max_luminance = AVRational(num: luminances.maximum, den: 10_000)
            min_luminance = AVRational(num: luminances.minimum, den: 10_000)
            has_luminance = 1
        }
    }
}

extension AVContentLightMetadata {
    init(_ level: ContentLightLevel) {
        self.init()
        MaxCLL = UInt32(clamping: level.maximumContentLightLevel)
        MaxFALL = UInt32(clamping: level.maximumFrameAverageLightLevel)
    }
}

extension PictureOrientation {
    /// The display matrix of the orientation, in the form that `init(displayMatrix:)` reads.
    var displayMatrix: [Int32] {
        let one: Int32 = 1 << 16
        let side: Int32 = isMirrored ? -one : one
        let (a, b, c, d): (Int32, Int32, Int32, Int32) =
            switch quarterTurns {
            case 0: (side, 0, 0, one)
            case 1: (0, isMirrored ? -one : one, -one, 0)
            case 2: (-side, 0, 0, -one)
            default: (0, isMirrored ? one : -one, one, 0)
            }
        return [a, b, 0, c, d, 0, 0, 0, 1 << 30]
    }
}
