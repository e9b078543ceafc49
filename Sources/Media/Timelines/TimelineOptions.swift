// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadTime

/// The options for reading a timeline.
///
/// - Concurrency: a value; any thread.
public struct TimelineOptions: Sendable {
    /// The rules for the media to which the timeline may refer. By default, a timeline may refer to
    /// media in its own folder or below, and not to a network, like any other file. `folder`
    /// selects a different folder.
    public var rules: AssetAccessRules
    /// Further folders that may contain media, directly or in subfolders. If media is not at the
    /// location that the timeline states, a file with the same name is searched for here.
    public var mediaFolders: [String]
    /// The duration of a frame in edit decision lists, which do not state their frame rate.
    public var editListFrameDuration: MediaTime

    /// Returns the duration of a frame at a rate; nil if the rate is invalid. 29.97 means
    /// 30000/1001.
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
