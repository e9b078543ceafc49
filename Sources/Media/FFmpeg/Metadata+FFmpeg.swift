// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets

extension MetadataKeySpace {
    /// Creates the key space of a container, given by the name of its demuxer.
    init(container name: String) {
        let parts = name.split(separator: ",")
        switch parts.first {
        case "mov": self = .movie
        case "matroska": self = .matroska
        case "ogg", "flac": self = .vorbisComment
        case "mp3", "aac", "aiff", "tta": self = .id3
        case "avi", "wav": self = .riff
        default: self = .unknown
        }
    }
}

extension MetadataItem {
    /// Creates an item from the text that FFmpeg has for a key. A language may follow the key, as
    /// in `title-deu`.
    init(key: String, text: String, container: String) {
        var space = MetadataKeySpace(container: container)
        if space == .movie, key.hasPrefix("com.") { space = .quickTimeMetadata }
        var language: LanguageTag?
        var base = key[...]
        if let dash = key.lastIndex(of: "-"), key[dash...].count == 4,
            MetadataCommonKey(key: String(key[..<dash])) != nil
        {
            language = LanguageTag(String(key[key.index(after: dash)...]))
            if language != nil { base = key[..<dash] }
        }
        self.init(
            keySpace: space, key: key, commonKey: MetadataCommonKey(key: String(base)),
            language: language, value: .text(text))
    }

    /// Returns the items of an FFmpeg dictionary.
    static func items(of dictionary: OpaquePointer?, container: String) -> [MetadataItem] {
        Options.entries(of: dictionary).map {
            MetadataItem(key: $0.key, text: $0.value, container: container)
        }
    }

    /// Creates an item for an attached image, in the format of the file. Fails for other streams
    /// and for data that is larger than any cover.
    init?(artwork stream: UnsafeMutablePointer<AVStream>, container: String) {
        let picture = stream.pointee.attached_pic
        guard stream.isAttachedPicture, let bytes = picture.data, picture.size > 0,
            Int(picture.size) <= Self.maximumArtworkSize
        else { return nil }
        let codec = String(cString: avcodec_get_name(stream.pointee.codecpar.pointee.codec_id))
        let type = codec == "mjpeg" ? "jpeg" : codec
        self.init(
            keySpace: MetadataKeySpace(container: container), key: "artwork", commonKey: .artwork,
            value: .data(
                Array(UnsafeBufferPointer(start: bytes, count: Int(picture.size))),
                type: "image/\(type)"))
    }

    private static var maximumArtworkSize: Int { 32 << 20 }
}
