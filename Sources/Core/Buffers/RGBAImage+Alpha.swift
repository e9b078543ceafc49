// SPDX-License-Identifier: Apache-2.0

extension RGBAImage {
    /// Returns the image with straight alpha, as files store it: PNG (ISO/IEC 15948, 12.3), ProRes
    /// 4444 and VP9. Use it for an image that was read from a framebuffer, whose colours are
    /// premultiplied.
    ///
    /// - Corresponds to: `vImageUnpremultiplyData_RGBA8888`.
    package func unpremultiplied() -> RGBAImage {
        let isOpaque = stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 }
        if isOpaque { return self }
        var straight = bytes
        straight.withUnsafeMutableBufferPointer { bytes in
            for index in stride(from: 0, to: bytes.count, by: 4) {
                let alpha = Int(bytes[index + 3])
                guard alpha > 0, alpha < 255 else { continue }
                for channel in index..<index + 3 {
                    bytes[channel] = UInt8(
                        min(255, (Int(bytes[channel]) * 255 + alpha / 2) / alpha))
                }
            }
        }
        return RGBAImage(width: width, height: height, bytes: straight)
    }
}
