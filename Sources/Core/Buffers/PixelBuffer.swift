// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A decoded picture in memory: planes of samples, and what they mean.
///
/// A pixel buffer never changes once it exists, so any number of outputs, layers and threads share
/// it. Its memory usually belongs to a decoder, and goes back to it when the last reference is gone;
/// keep one only as long as it is needed, for decoders have few.
///
/// - Concurrency: any thread. Releasing the last reference frees plain memory or hands it back to
///   its pool; it never touches OpenGL.
/// - Ownership: `owner` keeps the planes' memory alive.
/// - Corresponds to: `CVPixelBuffer`, always locked for reading.
public final class PixelBuffer: @unchecked Sendable {
    // Unchecked: all properties are constant, and the memory behind the planes is not written after
    // init; `owner` is only held.

    /// One plane's samples, rows from top to bottom.
    public struct Plane {
        /// First byte of the top row.
        public let baseAddress: UnsafeRawPointer
        /// Bytes from one row to the next; negative when rows are stored bottom up.
        public let bytesPerRow: Int
        /// Samples in a row.
        public let width: Int
        /// Rows.
        public let height: Int

        public init(baseAddress: UnsafeRawPointer, bytesPerRow: Int, width: Int, height: Int) {
            self.baseAddress = baseAddress
            self.bytesPerRow = bytesPerRow
            self.width = width
            self.height = height
        }
    }

    public let format: PixelFormat
    /// Size in luma samples, before pixel aspect and orientation.
    public let width: Int
    public let height: Int
    public let planes: [Plane]
    public let attachments: PixelBufferAttachments
    /// Different for every pixel buffer of the process: what an upload is remembered by.
    public let identifier: UInt64
    private let owner: AnyObject?

    private static let lastIdentifier = Atomic<UInt64>(0)

    /// Wraps planes that `owner` keeps alive and nobody writes any more.
    ///
    /// - Precondition: as many planes as the format has, of the sizes that it asks for.
    public init(
        format: PixelFormat, width: Int, height: Int, planes: [Plane],
        attachments: PixelBufferAttachments = PixelBufferAttachments(), owner: AnyObject?
    ) {
        precondition(planes.count == format.planeCount, "\(format) has \(format.planeCount) planes")
        for (index, plane) in planes.enumerated() {
            let size = format.planeSize(index, width: width, height: height)
            precondition(
                (plane.width, plane.height) == size,
                "plane \(index) of \(width) x \(height) \(format) is \(size.width) x \(size.height)"
            )
        }
        self.format = format
        self.width = width
        self.height = height
        self.planes = planes
        self.attachments = attachments
        self.owner = owner
        identifier = Self.lastIdentifier.add(1, ordering: .relaxed).newValue
    }

    /// A pixel buffer with an identity of its own over another's memory: the same picture, handed out
    /// anew.
    public convenience init(sharing other: PixelBuffer) {
        self.init(
            format: other.format, width: other.width, height: other.height, planes: other.planes,
            attachments: other.attachments, owner: other)
    }

    /// Size of the picture as it is meant to be seen: pixel aspect and orientation applied.
    public var displaySize: (width: Double, height: Double) {
        let ratio = attachments.pixelAspectRatio
        let wide = Double(width) * Double(ratio.horizontal) / Double(ratio.vertical)
        return attachments.orientation.swapsAxes ? (Double(height), wide) : (wide, Double(height))
    }

    /// Colour with nothing left unspecified.
    public var color: ColorAttachments {
        attachments.color.resolved(width: width, height: height, model: format.model)
    }

    /// Bytes that the planes span.
    public var byteCount: Int {
        planes.reduce(0) { $0 + abs($1.bytesPerRow) * $1.height }
    }
}

extension PixelBuffer {
    /// Makes a pixel buffer in memory of its own and lets `fill` write each plane: index, bytes of
    /// the plane, bytes a row.
    ///
    /// Rows start at multiples of 64 bytes, the alignment that SIMD and DMA like.
    public convenience init(
        format: PixelFormat, width: Int, height: Int,
        attachments: PixelBufferAttachments = PixelBufferAttachments(),
        fill: (_ plane: Int, _ bytes: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) -> Void
    ) {
        var planes: [Plane] = []
        let memory = PlaneMemory()
        for index in 0..<format.planeCount {
            let size = format.planeSize(index, width: width, height: height)
            let step = format.components.filter { $0.plane == index }.map(\.step).min() ?? 1
            let bytesPerRow = (size.width * step + 63) / 64 * 64
            let bytes = memory.allocate(bytesPerRow * size.height)
            fill(index, bytes, bytesPerRow)
            planes.append(
                Plane(
                    baseAddress: UnsafeRawPointer(bytes.baseAddress!), bytesPerRow: bytesPerRow,
                    width: size.width, height: size.height))
        }
        self.init(
            format: format, width: width, height: height, planes: planes,
            attachments: attachments, owner: memory)
    }

    private final class PlaneMemory {
        private var blocks: [UnsafeMutableRawBufferPointer] = []

        func allocate(_ byteCount: Int) -> UnsafeMutableRawBufferPointer {
            let block = UnsafeMutableRawBufferPointer.allocate(
                byteCount: max(byteCount, 1), alignment: 64)
            block.initializeMemory(as: UInt8.self, repeating: 0)
            blocks.append(block)
            return block
        }

        deinit { for block in blocks { block.deallocate() } }
    }
}
