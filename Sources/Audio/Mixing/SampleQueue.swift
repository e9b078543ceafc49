// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A queue by which one thread hands plain values, such as samples, to another without either
/// waiting: how a tap's samples get to a thread that may take its time.
///
///     let queue = SampleQueue<Float>(capacity: 48_000)
///     queue.write(block.samples)              // in a tap's process
///     let count = queue.read(into: samples)   // elsewhere
///
/// `AudioRingBuffer`, which is found by item time and keeps what has been read, is another thing.
///
/// - Concurrency: one thread writes, one thread reads. Neither locks, allocates nor waits.
/// - Corresponds to: `CMSimpleQueue`.
public final class SampleQueue<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
    // Unchecked: elements from `head` up to `tail` belong to the reader, the others to the writer.
    // Each publishes what it gives away with its own index, by release and acquire.

    /// How many elements fit in.
    public let capacity: Int
    private let elements: UnsafeMutableBufferPointer<Element>
    /// How many elements were ever read and written.
    private let head = Atomic<Int>(0)
    private let tail = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)

    /// - Parameter capacity: how many elements fit in, at least.
    public init(capacity: Int) {
        precondition(capacity > 0, "a queue has room")
        var size = 1
        while size < capacity { size *= 2 }
        self.capacity = size
        elements = .allocate(capacity: size)
    }

    deinit { elements.deallocate() }

    /// How many elements wait to be read. Any thread.
    public var count: Int {
        // The head first: the tail that is seen then is not behind it, though it may be a queue ahead.
        let head = head.load(ordering: .acquiring)
        return min(capacity, tail.load(ordering: .acquiring) - head)
    }

    /// How many elements were refused, because the reader was behind. Any thread.
    package var refusedCount: Int { refused.load(ordering: .relaxed) }

    /// Appends as many of the elements as there is room for, the first ones first.
    ///
    /// - Returns: how many; the others are refused.
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

    /// The same for elements that may be changed.
    @discardableResult
    public func write(_ new: UnsafeMutableBufferPointer<Element>) -> Int {
        write(UnsafeBufferPointer(new))
    }

    /// Appends all of the elements or, where there is no room for all, none.
    ///
    /// - Returns: whether there was.
    package func writeAll(_ new: UnsafeBufferPointer<Element>) -> Bool {
        guard capacity - count >= new.count else {
            refused.add(new.count, ordering: .relaxed)
            return false
        }
        return write(new) == new.count
    }

    /// Appends an element.
    ///
    /// - Returns: whether there was room for it.
    @discardableResult
    public func write(_ element: Element) -> Bool {
        withUnsafePointer(to: element) { write(UnsafeBufferPointer(start: $0, count: 1)) } == 1
    }

    /// Takes as many elements as there are, and fit.
    ///
    /// - Returns: how many.
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

    /// Takes the next element; nil where there is none.
    public func read() -> Element? {
        let head = head.load(ordering: .relaxed)
        guard tail.load(ordering: .acquiring) > head else { return nil }
        let element = elements[head & (capacity - 1)]
        self.head.store(head + 1, ordering: .releasing)
        return element
    }
}
