// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Memory for the samples of frames, aligned for vector instructions.
///
/// The memory comes from `malloc` and is aligned here. The address that `malloc` returned is stored
/// in front of the samples. `aligned_alloc` is unsuitable: glibc before 2.38 allocates more than it
/// returns and frees the excess, so a freed block never fits the next request of the same size. A
/// program that frees one frame for each frame that it creates therefore grows without limit (glibc
/// bug 14581).
///
/// - Concurrency: any thread.
enum PictureMemory {
    /// The space in front of the samples for the address that `malloc` returned.
    private static let headSize = MemoryLayout<UnsafeMutableRawPointer>.size

    /// Allocates memory, aligned to `PixelBuffer.alignment`, for data of any type.
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
