// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers

/// The layout of a frame's planes in a single block of memory.
struct FrameLayout {
    private(set) var byteCount = 0
    private let format: AVPixelFormat
    /// The number of bytes in a row, and the offset of the first row, for each plane.
    private var planes: [(bytesPerRow: Int32, offset: Int)] = []

    /// The maximum number of planes, as in FFmpeg's own image functions.
    private static let maximumPlanes = 4
    /// The number of bytes after the last row of a plane that decoders may access. FFmpeg's own
    /// allocator adds as many (`get_buffer.c`: 16 and the width of its vectors).
    private static let slack = 16 + PixelBuffer.alignment

    /// Computes a layout.
    ///
    /// - Parameters:
    ///   - width, height: The size including the codec's padding (`avcodec_align_dimensions2`).
    ///   - alignment: The alignment of rows, in bytes, for each plane.
    /// - Returns: The layout; nil for formats whose samples are not numbers in memory, and for
    ///   sizes that are too large.
    init?(_ format: AVPixelFormat, width: Int32, height: Int32, alignment: [Int32]) {
        guard PixelFormatTable.format(format) != nil, width > 0, height > 0,
            let rows = Self.rows(format, width: width, alignment: alignment)
        else { return nil }
        self.format = format
        var sizes = [Int](repeating: 0, count: Self.maximumPlanes)
        let steps = rows.map { Int($0) }
        guard av_image_fill_plane_sizes(&sizes, format, height, steps) >= 0 else { return nil }
        for (size, row) in zip(sizes, rows) where size > 0 {
            planes.append((row, byteCount))
            byteCount += (size + Self.slack).rounded(up: PixelBuffer.alignment)
        }
    }

    /// Returns the number of bytes in a row of each plane. Planes are not aligned separately,
    /// because decoders rely on their proportions. Like FFmpeg's allocator, this method increases
    /// the width until all planes are aligned.
    private static func rows(
        _ format: AVPixelFormat, width: Int32, alignment: [Int32]
    ) -> [Int32]? {
        var width = width
        var rows = [Int32](repeating: 0, count: maximumPlanes)
        while true {
            guard av_image_fill_linesizes(&rows, format, width) >= 0 else { return nil }
            let fits = rows.enumerated().allSatisfy { index, row in
                let wanted = alignment.indices.contains(index) ? alignment[index] : 1
                return row % max(wanted, Int32(PixelBuffer.alignment)) == 0
            }
            if fits { return rows }
            // This adds the lowest bit that is set.
            let (wider, overflows) = width.addingReportingOverflow(width & -width)
            if overflows { return nil }
            width = wider
        }
    }

    /// Sets a frame's pointers to its planes in a block of `byteCount` bytes.
    func place(_ frame: UnsafeMutablePointer<AVFrame>, at base: UnsafeMutablePointer<UInt8>) {
        func plane(_ index: Int) -> (UnsafeMutablePointer<UInt8>?, Int32) {
            guard index < planes.count else { return (nil, 0) }
            return (base + planes[index].offset, planes[index].bytesPerRow)
        }
        (frame.pointee.data.0, frame.pointee.linesize.0) = plane(0)
        (frame.pointee.data.1, frame.pointee.linesize.1) = plane(1)
        (frame.pointee.data.2, frame.pointee.linesize.2) = plane(2)
        (frame.pointee.data.3, frame.pointee.linesize.3) = plane(3)
        ph_frame_use_own_pointers(frame)
    }
}

extension Int {
    fileprivate func rounded(up multiple: Int) -> Int {
        (self + multiple - 1) / multiple * multiple
    }
}
