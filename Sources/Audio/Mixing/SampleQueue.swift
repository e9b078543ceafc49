// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A queue that passes plain values, such as samples, from one thread to another without waiting.
/// For example, it passes a tap's samples to a thread that has no deadline.
///
///     let queue = SampleQueue<Float>(capacity: 48_000)
///     queue.write(block.samples)              // in a tap's process
///     let count = queue.read(into: samples)   // elsewhere
///
/// Unlike `AudioRingBuffer`, it is not addressed by item time and does not keep values after
/// reading.
///
/// - Concurrency: one thread writes, one thread reads. Neither locks, allocates nor waits.
/// - Corresponds to: `CMSimpleQueue`.
public final class SampleQueue<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
    // Unchecked: elements from `head` up to `tail` belong to the reader, the others to the writer.
    // Each side hands elements over by publishing its own index, with release and acquire ordering.

    /// The number of elements that the queue holds.
    public let capacity: Int
    private let elements: UnsafeMutableBufferPointer<Element>
    /// The numbers of elements ever read and written.
    private let head = Atomic<Int>(0)
    private let tail = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)

    /// Creates an empty queue.
    ///
    /// - Parameter capacity: The minimum number of elements that the queue holds.
    public init(capacity: Int) {
        precondition(capacity > 0, "a queue has room")
        var size = 1
        while size < capacity { size *= 2 }
        self.capacity = size
        elements = .allocate(capacity: size)
    }

    deinit { elements.deallocate() }

    /// The number of elements that wait to be read. It can be read on any thread.
    public var count: Int {
        // The head is read first, so that the tail is never behind it. The tail may be a whole
        // queue ahead.
        let head = head.load(ordering: .acquiring)
        return min(capacity, tail.load(ordering: .acquiring) - head)
    }

    /// The number of elements refused because the reader was late. It can be read on any thread.
    package var refusedCount: Int { refused.load(ordering: .relaxed) }

    /// Appends as many elements as fit, in order.
    ///
    /// - Returns: The number of elements appended. The remaining elements are refused.
    @discardableResult
    public func write(_ new: UnsafeBufferPointer<Element>) -> Int {
        let tail = tail.load(ordering: .relaxed)
        let room = capacity - (tail - head.load(ordering: .acquiring))
        let count = min(new.count, room)
        if count < new.count { refused.add(new.count - count, ordering: .relaxed) }
        guard count > 0, let source = new.baseAddress, let base = elements.baseAddress else {
            return 0
        }
        let slot = tail & (capacity - 1)
        let first = min(count, capacity - slot)
        (base + slot).update(from: source, count: first)
        base.update(from: source + first, count: count - first)
        self.tail.store(tail + count, ordering: .releasing)
        return count
    }

    /// Appends as many elements of a mutable buffer as fit.
    @discardableResult
    public func write(_ new: UnsafeMutableBufferPointer<Element>) -> Int {
        write(UnsafeBufferPointer(new))
    }

    /// Appends all elements, or none if there is not enough space.
    ///
    /// - Returns: A Boolean value that indicates whether the elements were appended.
    package func writeAll(_ new: UnsafeBufferPointer<Element>) -> Bool {
        guard capacity - count >= new.count else {
            refused.add(new.count, ordering: .relaxed)
            return false
        }
        return write(new) == new.count
    }

    /// Appends an element.
    ///
    /// - Returns: A Boolean value that indicates whether there was space for it.
    @discardableResult
    public func write(_ element: Element) -> Bool {
        withUnsafePointer(to: element) { write(UnsafeBufferPointer(start: $0, count: 1)) } == 1
    }

    /// Removes and copies as many elements as are available and fit.
    ///
    /// - Returns: The number of elements copied.
    public func read(into target: UnsafeMutableBufferPointer<Element>) -> Int {
        let head = head.load(ordering: .relaxed)
        let count = min(target.count, tail.load(ordering: .acquiring) - head)
        guard count > 0, let out = target.baseAddress, let base = elements.baseAddress else {
            return 0
        }
        let slot = head & (capacity - 1)
        let first = min(count, capacity - slot)
        out.update(from: base + slot, count: first)
        (out + first).update(from: base, count: count - first)
        self.head.store(head + count, ordering: .releasing)
        return count
    }

    /// Removes and returns the next element; nil if the queue is empty.
    public func read() -> Element? {
        let head = head.load(ordering: .relaxed)
        guard tail.load(ordering: .acquiring) > head else { return nil }
        let element = elements[head & (capacity - 1)]
        self.head.store(head + 1, ordering: .releasing)
        return element
    }
}
