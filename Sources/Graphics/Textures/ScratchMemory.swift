// SPDX-License-Identifier: Apache-2.0

/// Memory that one thing after another is written into: as large as the largest so far.
///
/// - Concurrency: one thread at a time.
/// - Lifetime: what it gives is there until it is asked for more.
final class ScratchMemory {
    /// Room for whole vectors, which are read and written at once.
    private static let alignment = 64

    private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit { bytes.deallocate() }

    /// Where it begins; nil before it was first asked for.
    var start: UnsafeMutableRawPointer? { bytes.baseAddress }

    /// Makes room for so many bytes; what was in it is gone where there was not enough.
    ///
    /// - Returns: where they begin; nil for none.
    @discardableResult
    func makeRoom(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        if bytes.count < byteCount {
            bytes.deallocate()
            bytes = .allocate(byteCount: byteCount, alignment: Self.alignment)
        }
        return bytes.baseAddress
    }
}
