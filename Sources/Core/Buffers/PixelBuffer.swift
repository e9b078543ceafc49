// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Synchronization

/// A decoded frame in memory: planes of samples, and their meaning.
///
/// A pixel buffer never changes, so any number of outputs, layers and threads share it. Its memory
/// usually belongs to a decoder and returns to it with the last reference; keep one only as long as
/// it is needed, because decoders have few.
///
/// - Concurrency: any thread. Releasing the last reference frees plain memory or returns it to its
///   pool; it never calls OpenGL.
/// - Ownership: `owner` keeps the planes' memory alive.
/// - Corresponds to: `CVPixelBuffer`, always locked for reading.
public final class PixelBuffer: @unchecked Sendable {
    // Unchecked: all properties are constant, and the memory behind the planes is not written after
    // init; `owner` is only held.

    /// The samples of one plane, rows from top to bottom.
    public struct Plane {
        /// The first byte of the top row.
        public let baseAddress: UnsafeRawPointer
        /// The number of bytes from one row to the next; negative if rows are stored bottom up.
        public let bytesPerRow: Int
        /// The number of samples in a row.
        public let width: Int
        /// The number of rows.
        public let height: Int

        package init(baseAddress: UnsafeRawPointer, bytesPerRow: Int, width: Int, height: Int) {
            self.baseAddress = baseAddress
            self.bytesPerRow = bytesPerRow
            self.width = width
            self.height = height
        }
    }

    /// The layout of the planes, and the meaning of their samples.
    public let format: PixelFormat
    /// The width in luma samples, before pixel aspect ratio and orientation.
    public let width: Int
    /// The height in luma samples, before pixel aspect ratio and orientation.
    public let height: Int
    /// The planes, in the format's order.
    public let planes: [Plane]
    /// The colour, geometry and other properties of the frame.
    public let attachments: PixelBufferAttachments
    /// The number of the pixel buffer, unique in the process. Uploads are cached by it.
    package let identifier: UInt64
    /// The time of creation, for a video's frame that of decoding: host time, in nanoseconds.
    package let hostTime: Int64
    /// The block that contains all planes, if it came from a consumer's `PixelBufferPool`.
    package let memory: (any PixelBufferMemory)?
    private let owner: AnyObject?

    /// The alignment of planes and rows that this package allocates, in bytes: a cache line, and
    /// the widest vectors of processors (AVX-512).
    package static let alignment = 64

    private static let lastIdentifier = Atomic<UInt64>(0)

    /// Creates a pixel buffer from planes that `owner` keeps alive and that no longer change.
    ///
    /// - Parameters:
    ///   - memory: The pool's block that contains all planes; kept alive too.
    ///   - hostTime: The time of creation, in nanoseconds; nil for now.
    /// - Precondition: the number and the sizes of the planes are those of the format.
    package init(
        format: PixelFormat, width: Int, height: Int, planes: [Plane],
        attachments: PixelBufferAttachments = PixelBufferAttachments(),
        memory: (any PixelBufferMemory)? = nil, hostTime: Int64? = nil, owner: AnyObject?
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
        self.memory = memory
        self.hostTime = hostTime ?? HostClock.nanoseconds
        self.owner = owner
        identifier = Self.lastIdentifier.add(1, ordering: .relaxed).newValue
    }

    /// Creates a pixel buffer with a new identifier that shares another's memory: the same frame,
    /// delivered again.
    package convenience init(sharing other: PixelBuffer) {
        self.init(
            format: other.format, width: other.width, height: other.height, planes: other.planes,
            attachments: other.attachments, memory: other.memory, hostTime: other.hostTime,
            owner: other)
    }

    /// The size for display, with pixel aspect ratio and orientation applied.
    public var displaySize: (width: Double, height: Double) {
        let ratio = attachments.pixelAspectRatio
        let wide = Double(width) * Double(ratio.horizontal) / Double(ratio.vertical)
        return attachments.orientation.swapsAxes ? (Double(height), wide) : (wide, Double(height))
    }

    /// The colour attachments with defaults for those that are unspecified.
    public var color: ColorAttachments {
        attachments.color.resolved(width: width, height: height, model: format.model)
    }

    /// The number of bytes that the planes span.
    package var byteCount: Int {
        planes.reduce(0) { $0 + abs($1.bytesPerRow) * $1.height }
    }
}
