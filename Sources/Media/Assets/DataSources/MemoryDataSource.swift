// SPDX-License-Identifier: Apache-2.0

/// Media in memory.
///
/// - Concurrency: any thread.
/// - Ownership: the source copies an array. Memory that is managed elsewhere is not copied;
///   `deallocator` is called when the last asset and the last reader are released.
/// - Corresponds to: a `Data` given to an `AVAssetResourceLoader`.
package final class MemoryDataSource: MediaDataSource, @unchecked Sendable {
    // Unchecked: the memory is only read, and it does not change until `deallocator` has been
    // called.

    private let bytes: UnsafeRawBufferPointer
    private let deallocator: @Sendable () -> Void

    /// Creates a source with a copy of an array.
    package convenience init(_ array: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: array.count, alignment: 16)
        copy.copyBytes(from: array)
        self.init(bytesNoCopy: UnsafeRawBufferPointer(copy)) {
            [address = UInt(bitPattern: copy.baseAddress)] in
            UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
        }
    }

    /// Creates a source for memory that must not change before `deallocator` is called.
    package init(
        bytesNoCopy bytes: UnsafeRawBufferPointer, deallocator: @escaping @Sendable () -> Void
    ) {
        self.bytes = bytes
        self.deallocator = deallocator
    }

    deinit { deallocator() }

    package var byteCount: Int64? { Int64(bytes.count) }
    package var isSeekable: Bool { true }

    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int {
        guard offset >= 0, offset < Int64(bytes.count) else { return 0 }
        let part = bytes[Int(offset)...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }
}
