// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// How a measured time was distributed, over a whole run. All figures but `bias` are of the
/// magnitude, so that errors to either side do not cancel out; all are in milliseconds.
public struct Distribution: Sendable, Hashable, Encodable {
    /// How many were measured.
    package var count = 0
    /// Of all values.
    public var mean = 0.0
    /// The median, to 1 %.
    public var p50 = 0.0
    /// 99 of 100 are not beyond it, to 1 %.
    public var p99 = 0.0
    /// The largest.
    public var max = 0.0
    /// The mean with its sign.
    package var bias = 0.0

    package init() {}
}

/// Counts times into buckets 1/64 of their own size wide, so that quantiles of any run take a fixed
/// space and are good to 1 %.
///
/// - Concurrency: one writer, without locks; any number of readers.
final class DistributionRecorder: @unchecked Sendable {
    // Unchecked: `buckets` is allocated once and consists of atomics.
    private let buckets: UnsafeMutablePointer<Atomic<Int64>>
    private let sum = Atomic<Int64>(0)
    private let signedSum = Atomic<Int64>(0)
    private let largest = Atomic<Int64>(0)

    /// Buckets an octave, and as many again for times below 64 ns, which are exact.
    private static let resolution: Int64 = 64
    /// 2^40 ns is 18 minutes; what is longer counts as that.
    private static let longest: Int64 = 1 << 40
    private static let bucketCount = bucket(of: longest) + 1

    init() {
        buckets = .allocate(capacity: Self.bucketCount)
        for index in 0..<Self.bucketCount { (buckets + index).initialize(to: Atomic(0)) }
    }

    deinit {
        buckets.deinitialize(count: Self.bucketCount)
        buckets.deallocate()
    }

    func add(_ nanoseconds: Int64) {
        let signed = min(max(nanoseconds, -Self.longest), Self.longest)
        let size = abs(signed)
        buckets[Self.bucket(of: size)].add(1, ordering: .relaxed)
        sum.add(size, ordering: .relaxed)
        signedSum.add(signed, ordering: .relaxed)
        largest.max(size, ordering: .relaxed)
    }

    var distribution: Distribution {
        let counts = (0..<Self.bucketCount).map { buckets[$0].load(ordering: .relaxed) }
        let total = counts.reduce(0, +)
        var result = Distribution()
        guard total > 0 else { return result }
        let largest = largest.load(ordering: .relaxed)
        func quantile(_ share: Double) -> Double {
            let rank = Int64((share * Double(total)).rounded(.up))
            var seen: Int64 = 0
            for (index, count) in counts.enumerated() {
                seen += count
                if seen >= rank { return min(Self.middle(ofBucket: index), Double(largest)) }
            }
            return Double(largest)
        }
        result.count = Int(total)
        result.mean = Double(sum.load(ordering: .relaxed)) / Double(total) / 1e6
        result.bias = Double(signedSum.load(ordering: .relaxed)) / Double(total) / 1e6
        result.p50 = quantile(0.5) / 1e6
        result.p99 = quantile(0.99) / 1e6
        result.max = Double(largest) / 1e6
        return result
    }

    private static func bucket(of size: Int64) -> Int {
        if size < resolution { return Int(size) }
        let octave = Int64(size.bitWidth - 1 - size.leadingZeroBitCount - 6)
        return Int(octave * resolution + (size >> octave))
    }

    private static func middle(ofBucket index: Int) -> Double {
        if index < resolution { return Double(index) }
        let octave = Int64(index) / resolution - 1
        let size = (Int64(index) - octave * resolution) << octave
        return Double(size) + Double((Int64(1) << octave) - 1) / 2
    }
}
