// SPDX-License-Identifier: Apache-2.0

/// Memory that is overwritten again and again. It is as large as the largest request so far.
///
/// - Concurrency: one thread at a time.
/// - Lifetime: contents are valid until the next `makeRoom`.
final class ScratchMemory {
    /// The alignment of the memory, so that whole vectors can be read and written.
    private static let alignment = 64

    private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit { bytes.deallocate() }

    /// The start of the memory; nil before the first request.
    var start: UnsafeMutableRawPointer? { bytes.baseAddress }

    /// Makes room for a number of bytes. If the memory must grow, its contents are lost.
    ///
    /// - Returns: the start of the memory; nil for 0 bytes.
    @discardableResult
    func makeRoom(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        if bytes.count < byteCount {
            bytes.deallocate()
            bytes = .allocate(byteCount: byteCount, alignment: Self.alignment)
        }
        return bytes.baseAddress
    }
}
