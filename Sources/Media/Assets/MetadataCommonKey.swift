// SPDX-License-Identifier: Apache-2.0

/// The few facts that all containers have some key for.
///
/// - Corresponds to: `AVMetadataKey.commonKey…`.
public enum MetadataCommonKey: String, Sendable, Hashable, CaseIterable {
    case title, artist, author, creator, contributor, publisher, albumName, type, description
    case copyrights, creationDate, language, software, make, model, location, artwork

    /// The common key of a container's own, by the names that FFmpeg gives to what containers share
    /// (libavformat/avformat.h, "Metadata API"), and QuickTime's.
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
