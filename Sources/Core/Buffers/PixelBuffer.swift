// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Synchronization

/// A decoded frame in memory: planes of samples, with a description of their format.
///
/// A pixel buffer never changes, so any number of outputs, layers and threads share it. The memory
/// usually belongs to a decoder, which reuses it once the last reference is released. Decoders have
/// few buffers, so keep a reference only as long as you need it.
///
/// - Concurrency: any thread. Releasing the last reference frees plain memory, or returns memory of
///   a pool to that pool. It never calls OpenGL.
/// - Ownership: `owner` keeps the planes' memory alive.
/// - Corresponds to: `CVPixelBuffer`, always locked for reading.
public final class PixelBuffer: @unchecked Sendable {
    // Unchecked: all properties are constant, and the memory behind the planes is not written after
    // init; `owner` is only retained.

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
    /// The stored width in luma samples. Pixel aspect ratio and orientation are not applied.
    public let width: Int
    /// The stored height in luma samples. Pixel aspect ratio and orientation are not applied.
    public let height: Int
    /// The planes, in the format's order.
    public let planes: [Plane]
    /// The colour, geometry and other properties of the frame.
    public let attachments: PixelBufferAttachments
    /// A number that identifies the pixel buffer in the process. Caches of uploaded frames use it
    /// as the key.
    package let identifier: UInt64
    /// The host time at which the buffer was created, in nanoseconds. For a frame of a video, this
    /// is the time of decoding.
    package let hostTime: Int64
    /// The block that contains all planes, if the memory came from a consumer's `PixelBufferPool`.
    package let memory: (any PixelBufferMemory)?
    private let owner: AnyObject?

    /// The alignment, in bytes, of the planes and rows that this package allocates. It is the size
    /// of a cache line and of the widest vector registers (AVX-512).
    package static let alignment = 64

    private static let lastIdentifier = Atomic<UInt64>(0)

    /// Creates a pixel buffer from planes that `owner` keeps alive and that no longer change.
    ///
    /// - Parameters:
    ///   - memory: The pool's block that contains all planes; the pixel buffer keeps it alive too.
    ///   - hostTime: The time of creation, in nanoseconds; nil for the current time.
    /// - Precondition: the number and the sizes of the planes match the format.
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

    /// Creates a pixel buffer with a new identifier that shares the memory of `other`. Use it to
    /// deliver the same frame again.
    package convenience init(sharing other: PixelBuffer) {
        self.init(
            format: other.format, width: other.width, height: other.height, planes: other.planes,
            attachments: other.attachments, memory: other.memory, hostTime: other.hostTime,
            owner: other)
    }

    /// The size for display, after the pixel aspect ratio and the orientation are applied.
    public var displaySize: (width: Double, height: Double) {
        let ratio = attachments.pixelAspectRatio
        let wide = Double(width) * Double(ratio.horizontal) / Double(ratio.vertical)
        return attachments.orientation.swapsAxes ? (Double(height), wide) : (wide, Double(height))
    }

    /// The colour attachments with defaults in place of unspecified values.
    public var color: ColorAttachments {
        attachments.color.resolved(width: width, height: height, model: format.model)
    }

    /// The number of bytes that the planes span.
    package var byteCount: Int {
        planes.reduce(0) { $0 + abs($1.bytesPerRow) * $1.height }
    }
}
