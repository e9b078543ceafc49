// SPDX-License-Identifier: Apache-2.0

import CPlayheadPipeWire
import PlayheadCapturing

/// A frame in a buffer of PipeWire. When the buffer is given back, the producer may overwrite the
/// pixels.
struct PipeWireFrame {
    /// The contents of a buffer.
    enum Contents {
        case frame(PipeWireFrame)
        /// The producer has sent no pixels, for example because only the cursor has moved.
        case empty
        /// The frame is marked as damaged, or its buffer is too small.
        case damaged
    }

    /// The first pixel of the visible part.
    let pixels: UnsafeRawPointer
    let bytesPerRow: Int
    /// The size of the visible part.
    let width: Int
    let height: Int
    let isRedFirst: Bool
    /// The producer's time in nanoseconds, on the host clock if the producer uses it; nil if it
    /// states none.
    let time: Int64?

    /// Copies a rectangle of the frame into rows of blue, green, red and an unused byte. Pixels
    /// outside of the frame become black. A rectangle that is larger than the rows is reduced.
    func copy(
        _ area: ScreenArea, to bytes: UnsafeMutableRawBufferPointer, bytesPerRow target: Int,
        width targetWidth: Int, height targetHeight: Int
    ) {
        let whole = ScreenArea(x: 0, y: 0, width: width, height: height)
        guard let area = area.intersection(whole) else {
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            return
        }
        let reduction = PixelReduction(
            (area.width, area.height), into: (targetWidth, targetHeight))
        reduction.fill(
            bytes, bytesPerRow: target, from: pixels + area.y * bytesPerRow + area.x * 4,
            bytesPerRow: bytesPerRow)
        guard isRedFirst, let first = bytes.baseAddress else { return }
        for row in 0..<reduction.size.height {
            Self.swapRedAndBlue(first + row * target, reduction.size.width)
        }
    }

    private static func swapRedAndBlue(_ start: UnsafeMutableRawPointer, _ count: Int) {
        let pixels = start.assumingMemoryBound(to: UInt32.self)
        for index in 0..<count {
            let pixel = pixels[index]
            pixels[index] = pixel & 0xff00_ff00 | (pixel & 0xff) << 16 | (pixel >> 16) & 0xff
        }
    }

    /// Reads a buffer in an agreed format. Nothing that the producer writes is trusted.
    static func read(
        _ buffer: UnsafePointer<ph_pw_frame>, _ format: PipeWireVideo.Format
    ) -> Contents {
        guard buffer.pointee.data_count > 0, let data = buffer.pointee.datas?.pointee,
            let chunk = data.chunk?.pointee
        else { return .damaged }
        let header = ph_pw_metadata(
            buffer, PipeWireVideo.header, MemoryLayout<ph_pw_header>.size
        )?.loadUnaligned(as: ph_pw_header.self)
        if chunk.size == 0 { return .empty }
        // The flags of damaged contents.
        if chunk.flags & 1 << 0 != 0 || (header?.flags ?? 0) & 1 << 1 != 0 { return .damaged }
        let (size, offset) = (Int(data.size), Int(chunk.offset))
        let bytesPerRow = chunk.stride == 0 ? format.width * 4 : Int(chunk.stride)
        guard let bytes = data.bytes, bytesPerRow >= format.width * 4,
            offset + bytesPerRow * (format.height - 1) + format.width * 4 <= size
        else { return .damaged }
        let crop = ph_pw_metadata(
            buffer, PipeWireVideo.crop, MemoryLayout<ph_pw_region>.size
        )?.loadUnaligned(as: ph_pw_region.self)
        let whole = ScreenArea(x: 0, y: 0, width: format.width, height: format.height)
        // Without a visible part, all of the frame is visible.
        let visible =
            crop.flatMap { crop in
                whole.intersection(
                    ScreenArea(
                        x: Int(crop.x), y: Int(crop.y), width: Int(crop.width),
                        height: Int(crop.height)))
            } ?? whole
        return .frame(
            PipeWireFrame(
                pixels: UnsafeRawPointer(bytes) + offset + visible.y * bytesPerRow + visible.x * 4,
                bytesPerRow: bytesPerRow, width: visible.width, height: visible.height,
                isRedFirst: format.pixels.isRedFirst,
                time: header.flatMap { $0.time > 0 ? $0.time : nil }))
    }
}
