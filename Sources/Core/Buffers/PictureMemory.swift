// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Memory for the samples of pictures, aligned for vector instructions.
///
/// Not from `aligned_alloc`: glibc before 2.38 asks for more than it returns and gives the rest back,
/// so that what has been freed never fits the next request of the same size, and a program that lets
/// go of a picture for each that it makes grows without end (glibc bug 14581). What `malloc` gives is
/// aligned by hand, and is found again.
///
/// - Concurrency: any thread.
enum PictureMemory {
    /// Room before the samples for the address that `malloc` gave.
    private static let headSize = MemoryLayout<UnsafeMutableRawPointer>.size

    /// Memory that holds anything, aligned to `PixelBuffer.alignment`.
    static func allocate(byteCount: Int) -> UnsafeMutableRawBufferPointer {
        let room = byteCount + headSize + PixelBuffer.alignment
        guard let block = malloc(room) else {
            preconditionFailure("there is no memory for a picture of \(byteCount) bytes")
        }
        let start = (block + headSize).alignedUp(toMultipleOf: PixelBuffer.alignment)
        (start - headSize).storeBytes(of: block, as: UnsafeMutableRawPointer.self)
        return UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    }

    /// Gives back what `allocate` has given.
    static func deallocate(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        free((start - headSize).load(as: UnsafeMutableRawPointer.self))
    }
}

extension UnsafeMutableRawPointer {
    fileprivate func alignedUp(toMultipleOf alignment: Int) -> UnsafeMutableRawPointer {
        let rest = Int(bitPattern: self) % alignment
        return rest == 0 ? self : self + (alignment - rest)
    }
}
