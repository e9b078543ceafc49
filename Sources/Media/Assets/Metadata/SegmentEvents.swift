// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// The event messages at the beginning of a segment of MP4, and the first samples of its tracks,
/// which place the messages on the timeline.
///
/// Messages precede the first fragment (ISO/IEC 23009-1, 5.10.3.3). The index of the segment
/// (`sidx`) is not read: FFmpeg, for example, states in it times to which only a part of the edit
/// list has been applied.
///
/// - Concurrency: a value.
package struct SegmentEvents: Sendable, Hashable {
    package private(set) var messages: [EventMessage] = []
    /// The tracks of the first fragment.
    package private(set) var tracks: [FragmentTrack] = []
    /// The number of bytes of the segment that are needed to read more; nil if all was read.
    package private(set) var missing: Int?

    /// The maximum number of messages of a segment.
    package static let countLimit = 256
    /// The maximum number of tracks of a fragment.
    private static let trackLimit = 16

    private enum BoxType {
        static let message = BoxReader.type("emsg")
        static let fragment = BoxReader.type("moof")
        static let track = BoxReader.type("traf")
        /// The boxes that may precede messages and fragments.
        static let others = Set(
            ["styp", "ftyp", "sidx", "prft", "ssix", "free", "skip", "uuid"].map {
                BoxReader.type($0)
            })
    }

    package init(_ messages: [EventMessage], tracks: [FragmentTrack]) {
        (self.messages, self.tracks) = (messages, tracks)
    }

    /// Reads the beginning of a segment.
    package init(_ bytes: [UInt8]) {
        var reader = BoxReader(bytes[...])
        while true {
            let place = bytes.count - reader.rest.count
            guard let box = reader.header() else { return }
            let contents = reader.rest.prefix(box.size - 8)
            let isWhole = contents.count == box.size - 8
            if box.type == BoxType.fragment {
                tracks = Self.tracks(in: contents)
                // Without messages, what is known of the tracks is enough.
                if !isWhole, !messages.isEmpty { missing = place + box.size }
                return
            }
            guard box.type == BoxType.message || BoxType.others.contains(box.type) else { return }
            guard isWhole, reader.rest.count >= contents.count + 8 else {
                // The header of the next box is needed too.
                missing = place + box.size + 8
                return
            }
            if box.type == BoxType.message, messages.count < Self.countLimit,
                let message = EventMessage(contents)
            {
                messages.append(message)
            }
            reader.skip(contents.count)
        }
    }

    private static func tracks(in fragment: ArraySlice<UInt8>) -> [FragmentTrack] {
        var reader = BoxReader(fragment)
        var tracks: [FragmentTrack] = []
        while let box = reader.header(), tracks.count < trackLimit {
            let contents = reader.rest.prefix(box.size - 8)
            if box.type == BoxType.track, let track = FragmentTrack(contents) {
                tracks.append(track)
            }
            reader.skip(contents.count)
        }
        return tracks
    }

    /// The approximate size of the messages in memory, in bytes.
    package var byteCount: Int { messages.reduce(0) { $0 + $1.byteCount } }

    /// Moves the messages, as the timestamps of the segment were moved.
    package mutating func shiftMessages(by shift: MediaTime) {
        guard shift != .zero else { return }
        for index in messages.indices { messages[index].shift(by: shift) }
    }

    /// Drops the messages, and keeps the tracks.
    package mutating func removeMessages() { messages = [] }
}
