// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport

/// A file of the collection, as its manifest lists it.
struct CorpusFile: Decodable, Sendable {
    struct Stream: Decodable, Sendable {
        let type: String?
        enum CodingKeys: String, CodingKey { case type = "codec_type" }
    }

    let path: String
    let format: String?
    let streams: [Stream]?
    /// How FFmpeg itself fares with it, such as `clean`.
    let baseline: String

    enum CodingKeys: String, CodingKey {
        case path, format, streams
        case baseline = "baseline_ffmpeg_5_1_9"
    }

    /// Whether it has a picture or sound that FFmpeg decodes without a complaint. Text drawn as a picture
    /// and DASH, which FFmpeg opens too, are refused on purpose.
    var isPlayable: Bool {
        baseline == "clean" && (has("video") || has("audio")) && !["tty", "dash"].contains(format)
    }

    func has(_ type: String) -> Bool { streams?.contains { $0.type == type } ?? false }

    /// All files of the manifest.
    static func all() throws -> [CorpusFile] {
        guard let url = Corpus.url("MANIFEST.jsonl") else { return [] }
        return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(CorpusFile.self, from: Data($0.utf8))
        }
    }
}
