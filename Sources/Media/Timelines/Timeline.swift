// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// An edit that was written by another program. It has tracks of clips, each of which is a part of
/// a media file.
///
/// Reading a timeline flattens it. All video tracks become one track, which shows the topmost
/// enabled clip at each moment, and nested stacks become clips. Audio tracks stay separate, because
/// they are mixed.
///
///     let timeline = try Timeline(path: "cut.otio")
///     for note in timeline.notes { print(note) }
///     let (composition, transitions, mix, problems) = await timeline.makeComposition()
///
/// All times are exact. Frame rates close to those of NTSC, such as 23.98, are read as n *
/// 1000/1001.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: OpenTimelineIO's `Timeline`; nothing in AVFoundation.
public struct Timeline: Sendable {
    /// The name that the file states; empty if it states no name.
    public var name: String
    /// The video track, if there is one, and the audio tracks.
    public var tracks: [TimelineTrack]
    /// The timecode that corresponds to time 0.
    public var startTimecode: MediaTime
    /// The features in the file that are not supported, each listed once.
    public var notes: [TimelineNote]

    init(
        name: String, tracks: [TimelineTrack] = [], startTimecode: MediaTime = .zero,
        notes: [TimelineNote] = []
    ) {
        self.name = name
        self.tracks = tracks
        self.startTimecode = startTimecode
        self.notes = notes
    }

    /// The duration of the longest track.
    public var duration: MediaTime { tracks.map(\.duration).max() ?? .zero }
}
