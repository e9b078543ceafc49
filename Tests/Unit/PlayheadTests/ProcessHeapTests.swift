// SPDX-License-Identifier: Apache-2.0

import Playhead
import Testing

@Suite struct ProcessHeapTests {
    /// So large that the allocations of other tests are not significant; never written to.
    private static let large = 1 << 30

    @Test func `allocated memory counts until it is freed`() throws {
        let before = try #require(ProcessHeap.allocatedByteCount)
        let block = UnsafeMutableRawPointer.allocate(byteCount: Self.large, alignment: 16)
        let during = try #require(ProcessHeap.allocatedByteCount)
        block.deallocate()
        ProcessHeap.returnFreeMemory()
        let after = try #require(ProcessHeap.allocatedByteCount)
        #expect(during - before > Self.large / 2)
        #expect(during - after > Self.large / 2)
    }
}
