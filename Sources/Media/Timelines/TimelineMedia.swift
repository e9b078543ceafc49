// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets

/// The media of a clip.
public enum TimelineMedia: Sendable, Hashable {
    /// A file or an address.
    case location(AssetLocation)
    /// An entry of an archive. The path is that of an `.otioz` file.
    case archive(path: String, entry: String)
    /// A sequence of images, given by their paths. Each image is one frame.
    case images([String])
    /// An image that is computed, given by OpenTimelineIO's name for it, such as `SMPTEBars` or
    /// `black`.
    case generator(kind: String)
    /// No media: the timeline names none, or the media that it names does not exist or may not be
    /// opened.
    case missing
}
