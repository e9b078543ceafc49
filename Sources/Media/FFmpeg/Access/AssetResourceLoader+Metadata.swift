// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Metadata at the beginnings of segments, which FFmpeg skips.
extension AssetResourceLoader {
    /// The maximum size of the metadata of a segment, and the maximum number of segments whose
    /// metadata waits. If the metadata that waits has this size together, none is added.
    private static let metadataLimit = (bytes: 1 << 18, count: 64)

    /// Keeps the metadata at the beginning of a segment.
    ///
    /// - Parameter shift: The shift of the segment's timestamps.
    /// - Returns: The segment, of which more may have been read.
    func noteMetadata(
        of segment: PeekedDataSource, shiftedBy shift: MediaTime = .zero
    ) throws(MediaError) -> PeekedDataSource {
        let size = segmentEvents.reduce(tags.reduce(0) { $0 + $1.byteCount }) { $0 + $1.byteCount }
        guard tags.count + segmentEvents.count < Self.metadataLimit.count,
            size < Self.metadataLimit.bytes
        else { return segment }
        if segment.head.starts(with: ID3Tag.signature) { return try noteTag(of: segment) }
        return try noteEvents(of: segment, shiftedBy: shift)
    }

    private func noteTag(of segment: PeekedDataSource) throws(MediaError) -> PeekedDataSource {
        guard let tag = ID3Tag(segment.head[...]) else { return segment }
        guard tag.byteCount > segment.head.count, tag.byteCount <= Self.metadataLimit.bytes else {
            tags.append(tag)
            return segment
        }
        let whole = try readOn(segment, upTo: tag.byteCount)
        if let tag = ID3Tag(whole.head[...]) { tags.append(tag) }
        return whole
    }

    private func noteEvents(
        of segment: PeekedDataSource, shiftedBy shift: MediaTime
    ) throws(MediaError) -> PeekedDataSource {
        var segment = segment
        var events = SegmentEvents(segment.head)
        while let count = events.missing, count <= Self.metadataLimit.bytes {
            let known = segment.head.count
            // Steps of this size bound the number of attempts.
            segment = try readOn(segment, upTo: max(count, 2 * known))
            guard segment.head.count > known else { break }
            events = SegmentEvents(segment.head)
        }
        events.shiftMessages(by: shift)
        if !events.messages.isEmpty || !events.tracks.isEmpty { segmentEvents.append(events) }
        return segment
    }

    private func readOn(
        _ segment: PeekedDataSource, upTo count: Int
    ) throws(MediaError) -> PeekedDataSource {
        try PeekedDataSource(segment, count: count, isCancelled: { interrupt.isTriggered })
    }

    /// Removes and returns the tags of the segments of audio that were opened.
    func takeTags() -> [ID3Tag] {
        guard !tags.isEmpty else { return [] }
        defer { tags = [] }
        return tags
    }

    /// Removes and returns the messages of the segments of MP4 that were opened.
    func takeSegmentEvents() -> [SegmentEvents] {
        guard !segmentEvents.isEmpty else { return [] }
        defer { segmentEvents = [] }
        return segmentEvents
    }
}
