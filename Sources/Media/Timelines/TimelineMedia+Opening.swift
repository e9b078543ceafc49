// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadTime

extension TimelineMedia {
    /// The duration of a still.
    static let stillDuration = MediaTime(value: 5, timescale: 1)

    /// Returns the asset of the media.
    ///
    /// - Parameters:
    ///   - archives: The archives of the timeline.
    ///   - makeOpener: A function that creates the opener for a source of bytes.
    package func makeAsset(
        options: AssetOptions, archives: OpenArchives,
        makeOpener: (AssetSource, AssetOptions) -> any AssetOpener
    ) throws(MediaError) -> Asset {
        var options = options
        switch self {
        case .location(let location):
            options.stillDuration = options.stillDuration ?? Self.stillDuration
            return URLAsset(
                location: location, opener: makeOpener(.location(location), options))
        case .archive(let path, let entry):
            options.stillDuration = options.stillDuration ?? Self.stillDuration
            let source = try archives.archive(at: path).dataSource(of: entry)
            return DataAsset(name: entry, opener: makeOpener(.data(source, name: entry), options))
        case .images(let files):
            let name = files.first ?? ""
            guard let source = ImageSequenceSource(files) else {
                throw MediaError(
                    .cannotOpen, subject: name,
                    cause: "an image of the sequence does not exist or is not a regular file",
                    remedy: "check the paths of its images")
            }
            // Each image is one frame here, and not a still.
            options.stillDuration = nil
            return DataAsset(name: name, opener: makeOpener(.data(source, name: name), options))
        case .generator, .missing:
            throw MediaError(
                .cannotOpen, subject: "timeline", cause: "the clip has no media to open")
        }
    }
}
