// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadTime

/// The options for reading a timeline.
///
/// - Concurrency: a value; any thread.
public struct TimelineOptions: Sendable {
    /// The rules for the media that the timeline may name, which are those of any file: media in
    /// the timeline's own folder or below, and no network. `folder` names another folder.
    public var rules: AssetAccessRules
    /// Folders that may contain media too, directly or in subfolders. Media that is not where the
    /// timeline says is looked for here, by its file name.
    public var mediaFolders: [String]
    /// The duration of a frame of an edit decision list, which does not state its frame rate.
    public var editListFrameDuration: MediaTime

    /// Returns the duration of a frame at a rate; nil if it is not one. 29.97 means 30000/1001.
    package static func frameDuration(rate: Double) -> MediaTime? {
        rate <= 1000 ? TimelineTime.frameDuration(rate: rate) : nil
    }

    /// Creates options from the values of their properties.
    public init(
        rules: AssetAccessRules = AssetAccessRules(), mediaFolders: [String] = [],
        editListFrameDuration: MediaTime = MediaTime(value: 1, timescale: 24)
    ) {
        self.rules = rules
        self.mediaFolders = mediaFolders
        self.editListFrameDuration = editListFrameDuration
    }
}
