// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport

/// The manifest of the collection of real media, and queries of a file with ffprobe.
enum Manifest {
    struct Entry: Decodable, Sendable, CustomStringConvertible {
        struct Stream: Decodable, Sendable {
            let type: String?
            enum CodingKeys: String, CodingKey { case type = "codec_type" }
        }
        let path: String
        let format: String?
        let streams: [Stream]?
        let baseline: String
        enum CodingKeys: String, CodingKey {
            case path, format, streams
            case baseline = "baseline_ffmpeg_5_1_9"
        }
        var description: String { path }
        var hasVideo: Bool { streams?.contains { $0.type == "video" } ?? false }
        var hasAudio: Bool { streams?.contains { $0.type == "audio" } ?? false }
    }

    static let entries: [Entry] = {
        guard let url = Corpus.url("MANIFEST.jsonl"),
            let text = try? String(contentsOf: url, encoding: .utf8)
        else { return [] }
        return text.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Entry.self, from: Data($0.utf8))
        }
    }()

    /// Queries a file with ffprobe and returns its output.
    static func probe(_ path: String, _ arguments: [String]) throws -> String {
        try ProcessRunner.run(["ffprobe", "-v", "quiet"] + arguments + [path]).text
    }
}
