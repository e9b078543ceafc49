// SPDX-License-Identifier: Apache-2.0

extension PixelFormat {
    /// Returns a planar Y'CbCr format with one component in each plane; alpha, if present, is in
    /// the last plane. Samples of more than 8 bits are in the low bits of 16-bit words.
    ///
    /// - Parameters:
    ///   - depth: The number of bits per sample: 8, 10 or 12.
    ///   - chroma: The numbers of times that chroma is halved horizontally and vertically.
    package static func planarYCbCr(
        depth: Int, chroma: (Int, Int), hasAlpha: Bool = false
    ) -> PixelFormat {
        let ratio =
            switch chroma {
            case (1, 1): "420"
            case (1, 0): "422"
            default: "444"
            }
        let bytes = depth > 8 ? 2 : 1
        return PixelFormat(
            name: "yuv\(hasAlpha ? "a" : "")\(ratio)p\(depth > 8 ? "\(depth)le" : "")",
            model: .yCbCr,
            components: (0..<(hasAlpha ? 4 : 3)).map {
                Component(plane: $0, step: bytes, offset: 0, depth: depth)
            },
            hasAlpha: hasAlpha, log2ChromaWidth: chroma.0, log2ChromaHeight: chroma.1)
    }
}
