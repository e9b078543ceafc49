// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers

extension AVMasteringDisplayMetadata {
    /// Creates FFmpeg's description of a display, in the units of H.265, D.2.28.
    init(_ volume: MasteringDisplayColorVolume) {
        self.init()
        func place(_ value: SIMD2<Double>) -> (AVRational, AVRational) {
            (
                AVRational(num: Int32((value.x * 50_000).rounded()), den: 50_000),
                AVRational(num: Int32((value.y * 50_000).rounded()), den: 50_000)
            )
        }
        func light(_ value: Double) -> AVRational {
            AVRational(num: Int32(min((value * 10_000).rounded(), 2e9)), den: 10_000)
        }
        if let colors = volume.chromaticities {
            display_primaries = (place(colors.red), place(colors.green), place(colors.blue))
            white_point = place(colors.white)
            has_primaries = 1
        }
        if volume.maximumLuminance > 0 {
            max_luminance = light(volume.maximumLuminance)
            min_luminance = light(volume.minimumLuminance)
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
