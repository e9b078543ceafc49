// SPDX-License-Identifier: Apache-2.0

/// A bounded queue of an input, as a value type.
///
/// It accepts an element while both the number of its elements and their size in bytes are below
/// their maximum. An empty queue accepts one element of any size.
struct SampleQueue<Element: Sendable>: Sendable {
    let maximumCount: Int
    let maximumBytes: Int
    private var elements: [(Element, Int)] = []
    private var head = 0
    private(set) var byteCount = 0

    init(maximumCount: Int, maximumBytes: Int) {
        self.maximumCount = maximumCount
        self.maximumBytes = maximumBytes
    }

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }
    var isFull: Bool { count >= maximumCount || byteCount >= maximumBytes }
    var first: Element? { isEmpty ? nil : elements[head].0 }

    mutating func append(_ element: Element, byteCount: Int) {
        elements.append((element, byteCount))
        self.byteCount += byteCount
    }

    mutating func take() -> Element? {
        guard !isEmpty else { return nil }
        let (element, bytes) = elements[head]
        byteCount -= bytes
        head += 1
        // A queue that is never empty must also release the elements that were taken.
        if head >= 32 || head == elements.count {
            elements.removeSubrange(..<head)
            head = 0
        }
        return element
    }

    mutating func removeAll() {
        elements.removeAll()
        (head, byteCount) = (0, 0)
    }
}
