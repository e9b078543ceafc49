// SPDX-License-Identifier: Apache-2.0

import Glibc

extension PixelBuffer {
    /// Creates a pixel buffer and calls `fill` for each plane with the plane's index, its bytes and
    /// the number of bytes per row.
    ///
    /// All planes are in one block. Each plane and each row starts at a multiple of `alignment`
    /// bytes.
    ///
    /// - Parameter pool: The source of the memory, which still holds old contents. If the pool is
    ///   nil or has no memory available, the buffer uses plain memory, which is filled with zeros.
    public convenience init(
        format: PixelFormat, width: Int, height: Int,
        attachments: PixelBufferAttachments = PixelBufferAttachments(),
        pool: (any PixelBufferPool)? = nil,
        fill: (_ plane: Int, _ bytes: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) -> Void
    ) {
        var byteCount = 0
        let layout = (0..<format.planeCount).map { index in
            let size = format.planeSize(index, width: width, height: height)
            let step = format.components.filter { $0.plane == index }.map(\.step).min() ?? 1
            let bytesPerRow = (size.width * step).rounded(up: Self.alignment)
            defer { byteCount += bytesPerRow * size.height }
            return (offset: byteCount, bytesPerRow: bytesPerRow, size: size)
        }
        let lent = pool?.makeMemory(byteCount: byteCount)
        let plain = lent == nil ? PlainMemory(byteCount: byteCount) : nil
        let bytes =
            lent?.bytes ?? plain?.bytes ?? UnsafeMutableRawBufferPointer(start: nil, count: 0)
        let planes = layout.enumerated().map { index, plane in
            let range = plane.offset..<(plane.offset + plane.bytesPerRow * plane.size.height)
            let rows = UnsafeMutableRawBufferPointer(rebasing: bytes[range])
            fill(index, rows, plane.bytesPerRow)
            return Plane(
                baseAddress: UnsafeRawPointer(rows.baseAddress!), bytesPerRow: plane.bytesPerRow,
                width: plane.size.width, height: plane.size.height)
        }
        self.init(
            format: format, width: width, height: height, planes: planes,
            attachments: attachments, memory: lent, owner: plain)
    }

    private final class PlainMemory {
        let bytes: UnsafeMutableRawBufferPointer

        init(byteCount: Int) {
            bytes = PictureMemory.allocate(byteCount: max(byteCount, 1))
            // A generic loop over the bytes would be slow in a debug build.
            if let start = bytes.baseAddress { memset(start, 0, bytes.count) }
        }

        deinit { PictureMemory.deallocate(bytes) }
    }
}

extension Int {
    fileprivate func rounded(up multiple: Int) -> Int {
        (self + multiple - 1) / multiple * multiple
    }
}
