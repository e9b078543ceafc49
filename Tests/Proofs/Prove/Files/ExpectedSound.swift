// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The expected audio, made of the parts of a video one after another, and its comparison with the
/// audio that was played.
///
/// - Concurrency: a value.
struct ExpectedSound {
    private let parts: [LoopsRun.Part]
    private var part = 0
    private var index = 0
    private var lastDifferentPart = -1
    /// The number of samples compared so far.
    private(set) var place = 0
    private(set) var differentCount = 0
    /// The numbers of the parts that differ, each with its first difference.
    private(set) var differences: [String] = []
    /// The largest difference.
    private(set) var residue: Float = 0

    init(_ parts: [LoopsRun.Part]) { self.parts = parts }

    /// Compares audio that begins at a sample; before it, silence is expected.
    mutating func compare(_ heard: [Float], from start: Int) {
        if start > place { compare(Array(repeating: 0, count: start - place), from: place) }
        heard.withUnsafeBufferPointer { heard in
            // Samples before the first part belong to no part.
            var rest = heard[min(max(0, place - start), heard.count)...]
            while !rest.isEmpty, part < parts.count {
                let samples = parts[part].samples
                let count = min(rest.count, samples.count - index)
                samples.withUnsafeBufferPointer {
                    note(
                        UnsafeBufferPointer(rebasing: $0[index..<(index + count)]),
                        UnsafeBufferPointer(rebasing: rest.prefix(count)))
                }
                rest = rest.dropFirst(count)
                place += count
                index += count
                if index == samples.count { (part, index) = (part + 1, 0) }
            }
        }
    }

    private mutating func note(
        _ expected: UnsafeBufferPointer<Float>, _ heard: UnsafeBufferPointer<Float>
    ) {
        guard let left = expected.baseAddress, let right = heard.baseAddress else { return }
        // This is nearly always true, and a hundred times faster.
        if memcmp(left, right, expected.count * MemoryLayout<Float>.stride) == 0 { return }
        let before = differentCount
        for offset in expected.indices where expected[offset] != heard[offset] {
            differentCount += 1
            residue = max(residue, abs(expected[offset] - heard[offset]))
            guard differentCount == before + 1, lastDifferentPart != part else { continue }
            lastDifferentPart = part
            differences.append(
                "sample \(index + offset) of part \(part) is \(heard[offset]), "
                    + "not \(expected[offset])")
        }
    }
}
