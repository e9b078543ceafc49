// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The playlists of a live stream in one container: where each of them begins.
///
/// The first playlist with a given address determines the segment with which reading begins. Later
/// versions of that playlist are cut at the same segment. FFmpeg is set to begin with the first
/// segment of a live playlist.
///
/// - Concurrency: a value, on the demuxer's thread.
struct LiveReading {
    /// The place at which reading begins.
    enum Place {
        /// The beginning that the playlist or the distance from the live edge determines.
        case edge
        /// A segment of the stream's timeline.
        case segment(Int64)
    }

    let place: Place
    /// The address of the main variant's playlist; nil if the asset refers to one playlist only.
    var mainAddress: String?
    /// The place at which playback should begin according to the multivariant playlist.
    var statedStart: MediaPlaylist.Start?
    /// The address under which FFmpeg loads the main playlist.
    private(set) var loadedAddress: String?
    /// The sequence number with which reading of the main playlist begins, in the numbers of the
    /// stream's timeline, and the time at which that segment begins.
    private(set) var beginning: (sequence: Int64, time: MediaTime)?
    /// The time at which playback should begin, as the playlist states it: on the stream's timeline
    /// or, if the playlist is not live, relative to its beginning.
    private(set) var start: MediaTime?
    private var firstSequences: [String: Int64] = [:]
    /// The difference between the sequence numbers of the stream's timeline and those of the main
    /// playlist, which may be the playlist of another variant.
    private var shift: Int64?

    init(_ place: Place) { self.place = place }

    /// Returns whether a media playlist is that of the main variant.
    func isMain(_ address: String) -> Bool {
        guard let mainAddress else { return true }
        if mainAddress == address { return true }
        if let main = HTTPAddress(mainAddress), let other = HTTPAddress(address) {
            return main.description == other.description
        }
        // FFmpeg completes the names of files.
        return address.hasSuffix("/" + mainAddress)
    }

    /// Cuts a media playlist, and records it if it is the main playlist.
    ///
    /// - Returns: A Boolean value that indicates whether the playlist belongs to a live stream.
    mutating func take(
        _ playlist: inout Playlist, from address: String, of stream: LiveStream
    ) -> Bool {
        let isMain = isMain(address)
        guard playlist.isLive || stream.isKnown else {
            if isMain { noteStart(of: playlist) }
            return false
        }
        var list = MediaPlaylist(playlist)
        if isMain {
            loadedAddress = loadedAddress ?? address
            let shift = shift ?? stream.timeline?.shift(of: list) ?? 0
            self.shift = shift
            list.firstSequence += shift
            stream.take(list)
        }
        guard !list.segments.isEmpty else { return true }
        let first = firstSequences[address] ?? firstSequence(of: list, isMain: isMain, stream)
        // A server may begin to count again.
        let cut = first < list.endSequence ? max(first - list.firstSequence, 0) : 0
        firstSequences[address] = first
        if isMain, beginning == nil {
            let sequence = list.firstSequence + cut
            beginning = stream.timeline?[sequence].map { (sequence, $0.start) }
        }
        playlist.removeFirst(Int(cut))
        return true
    }

    private mutating func noteStart(of playlist: Playlist) {
        guard let stated = playlist.start ?? statedStart else { return }
        start = MediaPlaylist(playlist).beginning(stated: stated).time
    }

    /// Returns the sequence number, in a playlist, of the segment with which reading begins.
    private mutating func firstSequence(
        of list: MediaPlaylist, isMain: Bool, _ stream: LiveStream
    ) -> Int64 {
        let wanted: Int64
        switch place {
        case .edge:
            let (index, time) = list.beginning(stated: statedStart)
            if isMain, list.start ?? statedStart != nil {
                start = (stream.timeline?[list.firstSequence]?.start ?? .zero) + time
            }
            wanted = list.firstSequence + Int64(index)
        case .segment(let sequence):
            wanted =
                isMain ? sequence : stream.timeline?.sequence(like: sequence, in: list) ?? sequence
        }
        return min(max(wanted, list.firstSequence), list.endSequence - 1)
    }
}
