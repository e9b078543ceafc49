// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// A copier of a driver's samples into pixel buffers.
///
/// Packed formats are split into planes while they are copied, because planes are faster to convert
/// and to upload. This costs no more than a plain copy.
struct V4L2Samples {
    let subType: String
    let width: Int
    let height: Int
    /// The number of bytes from one row to the next in the driver's buffer.
    let bytesPerRow: Int
    /// The number of bytes from one row to the next in each of several memory planes; empty if
    /// rows have no padding.
    var planeRows: [Int] = []

    /// The layout of the copy; nil for a compressed format.
    var pixelFormat: PixelFormat? {
        switch subType {
        case "YUYV", "UYVY": .yuv422p
        case "NV12", "NM12": .nv12
        case "YU12", "YM12": .yuv420p
        case "GREY": .gray8
        default: nil
        }
    }

    /// The number of bytes of a whole frame.
    var byteCount: Int {
        let (halfWidth, halfHeight) = ((bytesPerRow + 1) / 2, (height + 1) / 2)
        return switch subType {
        case "NV12": bytesPerRow * (height + halfHeight)
        case "YU12": bytesPerRow * height + 2 * halfWidth * halfHeight
        default: bytesPerRow * height
        }
    }

    /// The number of bytes of a whole frame in each memory plane. NM12 and YM12 have a memory plane
    /// for each plane of the frame; other formats have only one memory plane.
    var planeByteCounts: [Int] {
        let halfHeight = (height + 1) / 2
        return switch subType {
        case "NM12": [bytesPerRow * height, row(of: 1) * halfHeight]
        case "YM12":
            [bytesPerRow * height, row(of: 1) * halfHeight, row(of: 2) * halfHeight]
        default: [byteCount]
        }
    }

    /// The number of bytes of a row of a memory plane.
    private func row(of plane: Int) -> Int {
        if planeRows.indices.contains(plane), planeRows[plane] > 0 { return planeRows[plane] }
        return plane == 0 || subType == "NM12" ? bytesPerRow : (bytesPerRow + 1) / 2
    }

    /// The smallest number of bytes of a row.
    var minimumBytesPerRow: Int {
        subType == "YUYV" || subType == "UYVY" ? (width + 1) / 2 * 4 : width
    }

    /// Copies a frame.
    ///
    /// - Precondition: The memory planes have at least `planeByteCounts` bytes, and the format is
    ///   not compressed.
    func copy(
        _ planes: [UnsafeRawBufferPointer], attachments: PixelBufferAttachments,
        pool: any PixelBufferPool
    ) -> PixelBuffer {
        guard planeByteCounts.count > 1 else {
            return copy(planes[0], attachments: attachments, pool: pool)
        }
        precondition(
            zip(planes, planeByteCounts).allSatisfy { $0.count >= $1 }, "a frame is short")
        let format = pixelFormat ?? .gray8
        return PixelBuffer(
            format: format, width: width, height: height, attachments: attachments, pool: pool
        ) { plane, target, targetBytesPerRow in
            let size = format.planeSize(plane, width: width, height: height)
            let count = format == .nv12 && plane == 1 ? size.width * 2 : size.width
            rows(
                planes[plane].baseAddress!, row(of: plane), count, size.height, target,
                targetBytesPerRow)
        }
    }

    /// Copies a frame in one memory plane.
    ///
    /// - Precondition: `bytes` has at least `byteCount` bytes, and the format is not compressed.
    func copy(
        _ bytes: UnsafeRawBufferPointer, attachments: PixelBufferAttachments,
        pool: any PixelBufferPool
    ) -> PixelBuffer {
        precondition(bytes.count >= byteCount, "a frame of \(bytes.count) bytes is short")
        let source = bytes.baseAddress!
        return PixelBuffer(
            format: pixelFormat ?? .gray8, width: width, height: height, attachments: attachments,
            pool: pool
        ) { plane, target, targetBytesPerRow in
            switch (subType, plane) {
            case ("YUYV", 0): split(source, 0, 2, width, target, targetBytesPerRow)
            case ("YUYV", 1): split(source, 1, 4, (width + 1) / 2, target, targetBytesPerRow)
            case ("YUYV", _): split(source, 3, 4, (width + 1) / 2, target, targetBytesPerRow)
            case ("UYVY", 0): split(source, 1, 2, width, target, targetBytesPerRow)
            case ("UYVY", 1): split(source, 0, 4, (width + 1) / 2, target, targetBytesPerRow)
            case ("UYVY", _): split(source, 2, 4, (width + 1) / 2, target, targetBytesPerRow)
            case ("NV12", 1):
                rows(
                    source + bytesPerRow * height, bytesPerRow, (width + 1) / 2 * 2,
                    (height + 1) / 2, target, targetBytesPerRow)
            case ("YU12", 1), ("YU12", 2):
                let (row, count) = ((bytesPerRow + 1) / 2, (height + 1) / 2)
                rows(
                    source + bytesPerRow * height + (plane - 1) * row * count, row,
                    (width + 1) / 2, count, target, targetBytesPerRow)
            default: rows(source, bytesPerRow, width, height, target, targetBytesPerRow)
            }
        }
    }

    /// Copies every `step`th byte of each row, from `offset` on.
    private func split(
        _ source: UnsafeRawPointer, _ offset: Int, _ step: Int, _ count: Int,
        _ target: UnsafeMutableRawBufferPointer, _ targetBytesPerRow: Int
    ) {
        for row in 0..<height {
            let from = (source + row * bytesPerRow + offset).assumingMemoryBound(to: UInt8.self)
            let to = (target.baseAddress! + row * targetBytesPerRow)
                .assumingMemoryBound(to: UInt8.self)
            var (column, place) = (0, 0)
            while column < count {
                to[column] = from[place]
                column &+= 1
                place &+= step
            }
        }
    }

    private func rows(
        _ source: UnsafeRawPointer, _ sourceBytesPerRow: Int, _ byteCount: Int, _ count: Int,
        _ target: UnsafeMutableRawBufferPointer, _ targetBytesPerRow: Int
    ) {
        for row in 0..<count {
            (target.baseAddress! + row * targetBytesPerRow).copyMemory(
                from: source + row * sourceBytesPerRow, byteCount: byteCount)
        }
    }
}
