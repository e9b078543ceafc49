// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Memory for the samples of frames, aligned for vector instructions.
///
/// It does not use `aligned_alloc`: glibc before 2.38 allocates more than it returns and frees the
/// excess, so that a freed block never fits the next request of the same size, and a program that
/// frees a frame for each that it creates grows without limit (glibc bug 14581). Blocks from
/// `malloc` are aligned here, and their start is stored in front of the samples.
///
/// - Concurrency: any thread.
enum PictureMemory {
    /// The space in front of the samples for the address that `malloc` returned.
    private static let headSize = MemoryLayout<UnsafeMutableRawPointer>.size

    /// Allocates memory for any data, aligned to `PixelBuffer.alignment`.
    static func allocate(byteCount: Int) -> UnsafeMutableRawBufferPointer {
        let room = byteCount + headSize + PixelBuffer.alignment
        guard let block = malloc(room) else {
            preconditionFailure("there is no memory for a picture of \(byteCount) bytes")
        }
        let start = (block + headSize).alignedUp(toMultipleOf: PixelBuffer.alignment)
        (start - headSize).storeBytes(of: block, as: UnsafeMutableRawPointer.self)
        return UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    }

    /// Frees memory from `allocate`.
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
