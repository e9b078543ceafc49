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
    /// The result of decoding it with FFmpeg, such as `clean`.
    let baseline: String

    enum CodingKeys: String, CodingKey {
        case path, format, streams
        case baseline = "baseline_ffmpeg_5_1_9"
    }

    /// A Boolean value that indicates whether it has video or audio that FFmpeg decodes without an
    /// error. Text drawn as video, which FFmpeg also opens, is refused on purpose, and the
    /// collection has only some of the segments to which its MPDs refer.
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
