// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers

/// Where the planes of a frame lie in one block of memory.
struct FrameLayout {
    private(set) var byteCount = 0
    private let format: AVPixelFormat
    /// Bytes a row, and where the first begins, of each of the planes.
    private var planes: [(bytesPerRow: Int32, offset: Int)] = []

    /// Planes of a frame: FFmpeg's own functions for images know no more.
    private static let maximumPlanes = 4
    /// Bytes that decoders may touch behind a plane, beyond its last row: what FFmpeg's own
    /// allocator leaves there (`get_buffer.c`: 16, and as many as its vectors are wide).
    private static let slack = 16 + PixelBuffer.alignment

    /// - Parameters:
    ///   - width, height: with the codec's padding (`avcodec_align_dimensions2`).
    ///   - alignment: of rows, plane by plane, in bytes.
    /// - Returns: nil for formats whose samples do not lie in memory as numbers, and for sizes that
    ///   no memory has.
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

    /// Bytes a row of each plane. They are not aligned one by one, since decoders rely on their
    /// proportions: the picture is made wider until all fit, as FFmpeg's allocator does.
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
            // The lowest bit that is set.
            let (wider, overflows) = width.addingReportingOverflow(width & -width)
            if overflows { return nil }
            width = wider
        }
    }

    /// Points a frame at its planes in a block of `byteCount` bytes.
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
