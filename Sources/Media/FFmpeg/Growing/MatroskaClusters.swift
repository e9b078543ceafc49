// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The clusters of a Matroska file (RFC 9559, section 5.1.3).
///
/// - Concurrency: a value.
struct MatroskaClusters: FragmentIndex {
    private struct Element {
        var id: UInt64
        var content: Int64
        /// The end; nil if the element states no size, because it was not complete when its header
        /// was written.
        var end: Int64?
    }

    /// The identifiers of elements.
    private enum ID {
        static let segment: UInt64 = 0x1853_8067
        static let information: UInt64 = 0x1549_A966
        static let timestampScale: UInt64 = 0x2AD7B1
        static let cluster: UInt64 = 0x1F43_B675
        static let timestamp: UInt64 = 0xE7
        static let simpleBlock: UInt64 = 0xA3
        static let blockGroup: UInt64 = 0xA0
        static let block: UInt64 = 0xA1
        static let void: UInt8 = 0xEC
    }

    private struct Cluster {
        var offset: Int64
        var time: MediaTime
        /// The offset of the next element in the cluster that was not read.
        var next: Int64
    }

    private(set) var headerEnd: Int64?
    private(set) var end: MediaTime?
    private var clusters: [Cluster] = []
    /// The duration of a timestamp's unit, in nanoseconds.
    private var unit: Int64 = 1_000_000
    /// The end of the last cluster, or a large number if it states no size.
    private var clusterEnd: Int64 = 0
    /// The offset of the next element in the segment.
    private var next: Int64 = 0

    /// The maximum number of elements before the timestamp of a cluster.
    private static let maximumElements = 16

    mutating func update(from file: FileDescriptorDataSource) {
        let size = file.byteCount ?? 0
        while let element = Self.element(at: next, in: file) {
            if element.id == ID.segment {
                next = element.content
                continue
            }
            if element.id == ID.cluster {
                guard take(element, at: next, in: file) else { break }
                // The end of a cluster that states no size is found by its blocks.
                clusterEnd = element.end ?? .max
                if element.end == nil { readBlocks(until: size, of: file) }
                // An incomplete cluster is read on by the next update.
                guard let end = element.end ?? endOfOpenCluster(in: file), end <= size else {
                    break
                }
                next = end
                continue
            }
            guard let end = element.end, end <= size else { break }
            if element.id == ID.information { readUnit(in: element, of: file) }
            next = end
        }
        // The last blocks are in the last cluster. Those of others do not matter.
        readBlocks(until: min(clusterEnd, size), of: file)
    }

    func offset(at time: MediaTime) -> Int64? { clusters.last { $0.time <= time }?.offset }

    /// A `Void` element whose size has eight bytes.
    static func filler(byteCount: Int64) -> [UInt8] {
        let size = byteCount - 9
        return [ID.void, 1]
            + (0..<7).reversed().map { UInt8(truncatingIfNeeded: size >> (Int64($0) * 8)) }
    }

    // MARK: - Elements

    private static func element(at offset: Int64, in file: FileDescriptorDataSource) -> Element? {
        guard let first = file.number(at: offset, byteCount: 1), first >= 0x10 else { return nil }
        let idLength = UInt8(first).leadingZeroBitCount + 1
        guard let id = file.number(at: offset, byteCount: idLength),
            let sizeStart = file.number(at: offset + Int64(idLength), byteCount: 1), sizeStart > 0
        else { return nil }
        let length = UInt8(sizeStart).leadingZeroBitCount + 1
        guard let text = file.number(at: offset + Int64(idLength), byteCount: length) else {
            return nil
        }
        let mask: UInt64 = 1 << (7 * UInt64(length)) - 1
        let (size, content) = (text & mask, offset + Int64(idLength + length))
        return Element(id: id, content: content, end: size == mask ? nil : content + Int64(size))
    }

    /// Adds a cluster. Returns false if its timestamp was not written yet.
    private mutating func take(
        _ element: Element, at offset: Int64, in file: FileDescriptorDataSource
    ) -> Bool {
        if clusters.last?.offset == offset { return true }
        var next = element.content
        for _ in 0..<Self.maximumElements {
            guard let child = Self.element(at: next, in: file), let end = child.end else {
                return false
            }
            next = end
            guard child.id == ID.timestamp else { continue }
            guard let ticks = Self.number(child, in: file) else { return false }
            let time = self.time(ticks: Int64(ticks))
            guard time.isNumeric else { return false }
            clusters.append(Cluster(offset: offset, time: time, next: next))
            headerEnd = headerEnd ?? offset
            self.end = max(self.end ?? time, time)
            return true
        }
        return false
    }

    /// Reads the times of the blocks in the last cluster that were not read yet.
    private mutating func readBlocks(until limit: Int64, of file: FileDescriptorDataSource) {
        guard var cluster = clusters.last else { return }
        while cluster.next < limit, let element = Self.element(at: cluster.next, in: file),
            element.id != ID.cluster, let end = element.end, end <= limit
        {
            var block: Element? = element
            if element.id == ID.blockGroup { block = Self.element(at: element.content, in: file) }
            if let block, [ID.simpleBlock, ID.block].contains(block.id),
                let track = file.number(at: block.content, byteCount: 1), track > 0,
                let ticks = file.number(
                    at: block.content + Int64(UInt8(track).leadingZeroBitCount + 1), byteCount: 2)
            {
                // The time is relative to that of the cluster, and may be negative.
                let time = cluster.time + time(ticks: Int64(Int16(truncatingIfNeeded: ticks)))
                if time.isNumeric { self.end = max(self.end ?? time, time) }
            }
            cluster.next = end
        }
        clusters[clusters.count - 1] = cluster
    }

    /// Returns the end of the last cluster, which states no size, if another element of the segment
    /// follows it.
    private func endOfOpenCluster(in file: FileDescriptorDataSource) -> Int64? {
        guard let next = clusters.last?.next, let element = Self.element(at: next, in: file),
            // The identifiers of a segment's elements have four bytes, except for `Void`.
            element.id >= 1 << 24
        else { return nil }
        return next
    }

    private mutating func readUnit(in parent: Element, of file: FileDescriptorDataSource) {
        var next = parent.content
        while next < parent.end ?? 0, let element = Self.element(at: next, in: file),
            let end = element.end
        {
            let value = Self.number(element, in: file)
            if element.id == ID.timestampScale, let value, value > 0 { unit = Int64(value) }
            next = end
        }
    }

    /// Returns the content of an element as a number; nil if it is longer than any number here.
    private static func number(_ element: Element, in file: FileDescriptorDataSource) -> UInt64? {
        guard let end = element.end, (1...6).contains(end - element.content) else { return nil }
        return file.number(at: element.content, byteCount: Int(end - element.content))
    }

    private func time(ticks: Int64) -> MediaTime {
        let (value, overflows) = ticks.multipliedReportingOverflow(by: unit)
        return overflows ? .invalid : MediaTime(value: value, timescale: 1_000_000_000)
    }
}
