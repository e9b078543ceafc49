// SPDX-License-Identifier: Apache-2.0

/// A bounded queue of an input, as a value type.
///
/// The queue accepts an element while the number of its elements and their total size in bytes are
/// both below their maximums. An empty queue accepts one element of any size.
struct SampleQueue<Element: Sendable>: Sendable {
    let maximumCount: Int
    let maximumBytes: Int
    /// The elements with their sizes. Those before `head` were taken, and are nil.
    private var elements: [(element: Element, byteCount: Int)?] = []
    private var head = 0
    private(set) var byteCount = 0

    init(maximumCount: Int, maximumBytes: Int) {
        self.maximumCount = maximumCount
        self.maximumBytes = maximumBytes
    }

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }
    var isFull: Bool { count >= maximumCount || byteCount >= maximumBytes }
    var first: Element? { isEmpty ? nil : elements[head]?.element }

    mutating func append(_ element: Element, byteCount: Int) {
        elements.append((element, byteCount))
        self.byteCount += byteCount
    }

    mutating func take() -> Element? {
        guard !isEmpty, let first = elements[head] else { return nil }
        // A frame that was taken must not stay in memory until its place is removed.
        elements[head] = nil
        byteCount -= first.byteCount
        head += 1
        // If the queue never becomes empty, the places of taken elements are removed in groups.
        if head >= 32 || head == elements.count {
            elements.removeSubrange(..<head)
            head = 0
        }
        return first.element
    }

    mutating func removeAll() {
        elements.removeAll()
        (head, byteCount) = (0, 0)
    }
}
