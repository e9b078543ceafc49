// SPDX-License-Identifier: Apache-2.0

import PlayheadGL

extension EffectPass.Precision {
    var textureFormat: GLTextureFormat {
        switch self {
        case .eightBit: .rgba8
        case .sixteenBit: .rgba16
        case .half: .rgba16Float
        case .float: .rgba32Float
        }
    }
}

extension EffectPass {
    /// Returns the size of the pass's image in bytes; 0 if the pass draws to the effect's output.
    func byteCount(_ size: (width: Int, height: Int)) -> Int {
        guard target != nil, alias == nil else { return 0 }
        let bytesPerPixel =
            switch precision {
            case .eightBit: 4
            case .sixteenBit, .half: 8
            case .float: 16
            }
        // A persistent image has two buffers: one is read while the other is drawn to.
        return size.width * size.height * bytesPerPixel * (isPersistent ? 2 : 1)
    }
}
