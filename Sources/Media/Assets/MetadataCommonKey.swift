// SPDX-License-Identifier: Apache-2.0

/// A metadata key that is common to all containers.
///
/// - Corresponds to: `AVMetadataKey.commonKey…`.
public enum MetadataCommonKey: String, Sendable, Hashable, CaseIterable {
    /// The title of the work.
    case title
    /// The performer.
    case artist
    /// The author of the text.
    case author
    /// The person or organisation that made the work.
    case creator
    /// A person who contributed to the work.
    case contributor
    /// The publisher.
    case publisher
    /// The album or collection that the work belongs to.
    case albumName
    /// The kind of the work.
    case type
    /// A description of the content.
    case description
    /// The copyright notice.
    case copyrights
    /// The date on which the work was created, in ISO 8601 if the file uses that format.
    case creationDate
    /// The language of the work.
    case language
    /// The program that wrote the file.
    case software
    /// The manufacturer of the recording device.
    case make
    /// The model of the recording device.
    case model
    /// The place of the recording, in ISO 6709 if the file uses that format.
    case location
    /// A cover image.
    case artwork

    /// Creates the common key that corresponds to a container's own key. The known keys are
    /// FFmpeg's generic names (libavformat/avformat.h, "Metadata API") and QuickTime's keys.
    package init?(key: String) {
        var name = key.lowercased()
        if name.hasPrefix("com.apple.quicktime.") { name.removeFirst(20) }
        guard let known = Self.names[name] else { return nil }
        self = known
    }

    private static let names: [String: MetadataCommonKey] = [
        "title": .title, "displayname": .title, "artist": .artist, "author": .author,
        "composer": .creator, "creator": .creator, "director": .creator, "album_artist": .creator,
        "performer": .contributor, "actor": .contributor, "contributor": .contributor,
        "publisher": .publisher, "service_provider": .publisher, "album": .albumName,
        "genre": .type, "comment": .description, "description": .description,
        "synopsis": .description, "information": .description, "copyright": .copyrights,
        "creation_time": .creationDate, "creationdate": .creationDate, "date": .creationDate,
        "year": .creationDate, "date_recorded": .creationDate, "language": .language,
        "encoder": .software, "software": .software, "encoded_by": .software, "make": .make,
        "model": .model, "location": .location, "location.iso6709": .location,
    ]
}
