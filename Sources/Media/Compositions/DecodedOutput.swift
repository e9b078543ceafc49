// SPDX-License-Identifier: Apache-2.0

/// A queue of the frames or buffers that a decoder has output. Its storage is reused.
struct DecodedOutput<Element> {
    private var elements: [Element] = []
    private var head = 0

    mutating func append(_ element: Element) { elements.append(element) }

    /// Removes and returns the first element, or nil if it is empty.
    mutating func takeFirst() -> Element? {
        guard head < elements.count else {
            elements.removeAll(keepingCapacity: true)
            head = 0
            return nil
        }
        head += 1
        return elements[head - 1]
    }

    mutating func removeAll() {
        elements.removeAll()
        head = 0
    }
}
