// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
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

        package init(baseAddress: UnsafeRawPointer, bytesPerRow: Int, width: Int, height: Int) {
            self.baseAddress = baseAddress
            self.bytesPerRow = bytesPerRow
            self.width = width
            self.height = height
        }
    }

    /// How its planes are laid out, and what their samples stand for.
    public let format: PixelFormat
    /// Size in luma samples, before pixel aspect and orientation.
    public let width: Int
    public let height: Int
    /// Its memory, plane by plane, in the format's order.
    public let planes: [Plane]
    /// What it says of itself.
    public let attachments: PixelBufferAttachments
    /// Different for every pixel buffer of the process: what an upload is remembered by.
    package let identifier: UInt64
    /// When it was made, which for a film's picture is when it was decoded; host time, in nanoseconds.
    package let hostTime: Int64
    /// The block that all planes lie in, if it came from a consumer's `PixelBufferPool`.
    package let memory: (any PixelBufferMemory)?
    private let owner: AnyObject?

    /// What the planes and rows that this package allocates are aligned to, in bytes: a cache line,
    /// and the widest vectors of processors (AVX-512).
    package static let alignment = 64

    private static let lastIdentifier = Atomic<UInt64>(0)

    /// Wraps planes that `owner` keeps alive and nobody writes any more.
    ///
    /// - Parameters:
    ///   - memory: the block of a pool that all planes lie in; kept alive too.
    ///   - hostTime: when it was made; nil for now.
    /// - Precondition: as many planes as the format has, of the sizes that it asks for.
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

    /// A pixel buffer with an identity of its own over another's memory: the same picture, handed out
    /// anew.
    package convenience init(sharing other: PixelBuffer) {
        self.init(
            format: other.format, width: other.width, height: other.height, planes: other.planes,
            attachments: other.attachments, memory: other.memory, hostTime: other.hostTime,
            owner: other)
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
    package var byteCount: Int {
        planes.reduce(0) { $0 + abs($1.bytesPerRow) * $1.height }
    }
}
