// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// An opaque image that is drawn on the CPU.
///
/// - Concurrency: a value; any thread.
struct CardCanvas {
    let width: Int
    let height: Int
    private var bytes: [UInt8]

    /// Creates an image of one colour.
    init(width: Int, height: Int, color: SIMD3<UInt8>) {
        self.width = width
        self.height = height
        bytes = [UInt8](repeating: 255, count: width * height * 4)
        fill(x: 0, y: 0, width: width, height: height, color)
    }

    /// The colour of a pixel.
    subscript(x: Int, y: Int) -> SIMD3<UInt8> {
        get {
            let place = (y * width + x) * 4
            return SIMD3(bytes[place], bytes[place + 1], bytes[place + 2])
        }
        set {
            let place = (y * width + x) * 4
            for channel in 0..<3 { bytes[place + channel] = newValue[channel] }
        }
    }

    /// Fills a rectangle, which is clipped to the image.
    mutating func fill(x: Int, y: Int, width: Int, height: Int, _ color: SIMD3<UInt8>) {
        let columns = max(0, x)..<max(max(0, x), min(x + width, self.width))
        let rows = max(0, y)..<max(max(0, y), min(y + height, self.height))
        guard !columns.isEmpty, let first = rows.first else { return }
        for column in columns { self[column, first] = color }
        let (start, count) = ((first * self.width + columns.lowerBound) * 4, columns.count * 4)
        let stride = self.width * 4
        bytes.withUnsafeMutableBytes { bytes in
            for row in 1..<max(1, rows.count) {
                let target = start + row * stride
                let source = UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
                UnsafeMutableRawBufferPointer(rebasing: bytes[target..<target + count])
                    .copyMemory(from: source)
            }
        }
    }

    /// Copies an opaque image, which is clipped to this one.
    mutating func copy(_ image: RGBAImage, x: Int, y: Int) {
        let columns = max(0, -x)..<max(max(0, -x), min(image.width, width - x))
        guard !columns.isEmpty else { return }
        let (height, stride, count) = (height, width * 4, columns.count * 4)
        image.bytes.withUnsafeBytes { source in
            bytes.withUnsafeMutableBytes { bytes in
                for row in 0..<image.height where row + y >= 0 && row + y < height {
                    let from = (row * image.width + columns.lowerBound) * 4
                    let to = (row + y) * stride + (columns.lowerBound + x) * 4
                    UnsafeMutableRawBufferPointer(rebasing: bytes[to..<to + count])
                        .copyMemory(
                            from: UnsafeRawBufferPointer(rebasing: source[from..<from + count]))
                }
            }
        }
    }

    /// Draws an image with premultiplied alpha over this one, clipped to it.
    mutating func draw(_ picture: PixelBuffer, x: Int, y: Int) {
        guard let plane = picture.planes.first else { return }
        let columns = max(0, -x)..<max(max(0, -x), min(picture.width, width - x))
        let (width, height) = (width, height)
        bytes.withUnsafeMutableBufferPointer { bytes in
            for row in 0..<picture.height where row + y >= 0 && row + y < height {
                let source = plane.baseAddress + row * plane.bytesPerRow
                for column in columns {
                    let pixel = source.loadUnaligned(
                        fromByteOffset: column * 4, as: SIMD4<UInt8>.self)
                    guard pixel.w > 0 else { continue }
                    let place = ((row + y) * width + column + x) * 4
                    let rest = 255 - Int(pixel.w)
                    for channel in 0..<3 {
                        let below = (Int(bytes[place + channel]) * rest + 127) / 255
                        bytes[place + channel] = UInt8(min(255, below + Int(pixel[channel])))
                    }
                }
            }
        }
    }

    /// Rounds the corners of a rectangle: outside of them, the image gets a colour.
    mutating func roundCorners(
        width: Int, height: Int, radius: Int, outside color: SIMD3<UInt8>
    ) {
        let radius = min(radius, width / 2, height / 2)
        for y in 0..<max(0, radius) {
            for x in 0..<radius {
                let distance =
                    (Self.square(Double(radius - x) - 0.5) + Self.square(Double(radius - y) - 0.5))
                    .squareRoot()
                let coverage = min(max(Double(radius) - distance + 0.5, 0), 1)
                guard coverage < 1 else { continue }
                for (x, y) in [
                    (x, y), (width - 1 - x, y), (x, height - 1 - y),
                    (width - 1 - x, height - 1 - y),
                ] {
                    let inside = self[x, y]
                    for channel in 0..<3 {
                        let mixed =
                            Double(inside[channel]) * coverage
                            + Double(color[channel]) * (1 - coverage)
                        self[x, y][channel] = UInt8(mixed.rounded())
                    }
                }
            }
        }
    }

    private static func square(_ value: Double) -> Double { value * value }

    /// The format of the image: red, green and blue, and a byte that is not used. Without alpha, it
    /// is drawn without blending.
    private static let format = PixelFormat(
        name: "rgb0", model: .rgb,
        components: (0..<3).map { PixelFormat.Component(plane: 0, step: 4, offset: $0, depth: 8) })

    /// The image.
    var picture: PixelBuffer {
        let attachments = PixelBufferAttachments(
            color: ColorAttachments(
                matrix: .rgb, range: .full, primaries: .bt709, transfer: .sRGB))
        let count = width * 4
        return PixelBuffer(
            format: Self.format, width: width, height: height, attachments: attachments
        ) { _, target, bytesPerRow in
            bytes.withUnsafeBytes { source in
                for row in 0..<height {
                    UnsafeMutableRawBufferPointer(
                        rebasing: target[row * bytesPerRow..<row * bytesPerRow + count]
                    )
                    .copyMemory(
                        from: UnsafeRawBufferPointer(
                            rebasing: source[row * count..<(row + 1) * count]))
                }
            }
        }
    }
}
