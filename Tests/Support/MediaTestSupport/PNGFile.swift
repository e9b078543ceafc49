// SPDX-License-Identifier: Apache-2.0

/// Reads and writes the PNG files of tests without a library, since golden images must be compared
/// in packages that link none.
///
/// Written files are not compressed. Files to read must have 8 bits per channel and no interlacing.
///
/// - Corresponds to: ISO/IEC 15948 (PNG), RFC 1950 (zlib).
enum PNGFile {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func encode(_ image: TestImage) -> [UInt8] {
        var rows: [UInt8] = []
        rows.reserveCapacity((image.width * 4 + 1) * image.height)
        for row in 0..<image.height {
            rows.append(0)
            rows += image.pixels[(row * image.width * 4)..<((row + 1) * image.width * 4)]
        }
        // 8 bits, RGBA, the only compression, the only filter method, no interlacing.
        let header = bigEndian(image.width) + bigEndian(image.height) + [8, 6, 0, 0, 0]
        return signature + chunk("IHDR", header) + chunk("IDAT", stored(rows)) + chunk("IEND", [])
    }

    static func decode(_ file: [UInt8]) throws -> TestImage {
        guard file.starts(with: signature) else { throw Failure(description: "not a PNG file") }
        var (position, header, data) = (8, [UInt8](), [UInt8]())
        while position + 12 <= file.count {
            let length = file[position..<(position + 4)].reduce(0) { $0 << 8 | Int($1) }
            let name = String(decoding: file[(position + 4)..<(position + 8)], as: UTF8.self)
            let end = position + 8 + length
            guard end + 4 <= file.count else { break }
            if name == "IHDR" { header = Array(file[(position + 8)..<end]) }
            if name == "IDAT" { data += file[(position + 8)..<end] }
            position = end + 4
        }
        let channels = [0: 1, 2: 3, 4: 2, 6: 4]
        guard header.count == 13, header[8] == 8, header[12] == 0,
            let channelCount = channels[Int(header[9])]
        else { throw Failure(description: "a PNG file of a kind that tests do not read") }
        let width = header[0..<4].reduce(0) { $0 << 8 | Int($1) }
        let height = header[4..<8].reduce(0) { $0 << 8 | Int($1) }
        let rows = try Inflater.inflate(data.dropFirst(2))
        let stride = width * channelCount
        guard rows.count >= (stride + 1) * height else {
            throw Failure(description: "a PNG file cut short")
        }
        let samples = unfilter(rows, stride: stride, height: height, step: channelCount)
        return TestImage(
            width: width, height: height, pixels: rgba(samples, channelCount: channelCount))
    }

    /// Returns the samples of grey, grey and alpha, colour, or colour and alpha as R, G, B, A.
    private static func rgba(_ samples: [UInt8], channelCount: Int) -> [UInt8] {
        if channelCount == 4 { return samples }
        let count = samples.count / channelCount
        return [UInt8](unsafeUninitializedCapacity: count * 4) { pixels, written in
            samples.withUnsafeBufferPointer { samples in
                guard var source = samples.baseAddress, var target = pixels.baseAddress else {
                    return
                }
                let end = target + count * 4
                let isColored = channelCount == 3
                while target < end {
                    target[0] = source[0]
                    target[1] = source[isColored ? 1 : 0]
                    target[2] = source[isColored ? 2 : 0]
                    target[3] = channelCount == 2 ? source[1] : 255
                    source += channelCount
                    target += 4
                }
                written = count * 4
            }
        }
    }

    /// Undoes the filter of each row: ISO/IEC 15948, clause 9.
    private static func unfilter(
        _ rows: [UInt8], stride: Int, height: Int, step: Int
    ) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: stride * height)
        // The row above the first one.
        let zeros = [UInt8](repeating: 0, count: stride)
        rows.withUnsafeBufferPointer { rows in
            zeros.withUnsafeBufferPointer { zeros in
                result.withUnsafeMutableBufferPointer { result in
                    guard let source = rows.baseAddress, let target = result.baseAddress,
                        let zeros = zeros.baseAddress
                    else { return }
                    for row in 0..<height {
                        let bytes = target + row * stride
                        unfilter(
                            source + row * (stride + 1), to: bytes,
                            above: row == 0 ? zeros : UnsafePointer(bytes - stride), stride, step)
                    }
                }
            }
        }
        return result
    }

    /// Undoes the filter of one row, whose first byte is its kind.
    private static func unfilter(
        _ row: UnsafePointer<UInt8>, to bytes: UnsafeMutablePointer<UInt8>,
        above: UnsafePointer<UInt8>, _ count: Int, _ step: Int
    ) {
        let (filter, samples) = (row[0], row + 1)
        // Loops over ranges are slow in a debug build.
        var column = 0
        while column < count {
            let left = column >= step ? Int(bytes[column - step]) : 0
            let predicted: Int
            switch filter {
            case 1: predicted = left
            case 2: predicted = Int(above[column])
            case 3: predicted = (left + Int(above[column])) / 2
            case 4:
                let corner = column >= step ? Int(above[column - step]) : 0
                predicted = paeth(left, Int(above[column]), corner)
            default: predicted = 0
            }
            bytes[column] = samples[column] &+ UInt8(predicted)
            column += 1
        }
    }

    private static func paeth(_ left: Int, _ above: Int, _ corner: Int) -> Int {
        let estimate = left + above - corner
        let distances = (
            abs(estimate - left), abs(estimate - above), abs(estimate - corner)
        )
        if distances.0 <= distances.1 && distances.0 <= distances.2 { return left }
        return distances.1 <= distances.2 ? above : corner
    }

    private static func chunk(_ name: String, _ contents: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + contents
        return bigEndian(contents.count) + body + bigEndian(Int(crc32(body)))
    }

    /// A zlib stream of stored blocks.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x78, 0x01]
        var position = 0
        repeat {
            let count = min(65535, bytes.count - position)
            let isLast = position + count == bytes.count
            let low = UInt8(truncatingIfNeeded: count)
            let high = UInt8(truncatingIfNeeded: count >> 8)
            result += [isLast ? 1 : 0, low, high, ~low, ~high]
            result += bytes[position..<(position + count)]
            position += count
        } while position < bytes.count
        var (a, b) = (1, 0)
        for byte in bytes {
            a = (a + Int(byte)) % 65521
            b = (b + a) % 65521
        }
        return result + bigEndian(b << 16 | a)
    }

    private static let crcTable = (0..<256).map { index -> UInt32 in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
        }
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { $0 >> 8 ^ crcTable[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
