// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The real media for tests: beside a checkout, or where `PLAYHEAD_CORPUS` says.
enum Corpus {
    static let directory: String? = {
        let beside = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../shared/media").standardized.path
        let candidates = [ProcessInfo.processInfo.environment["PLAYHEAD_CORPUS"], beside]
        return candidates.compactMap { $0 }.first {
            FileManager.default.fileExists(atPath: $0 + "/MANIFEST.jsonl")
        }
    }()

    static var isPresent: Bool { directory != nil }
    static func path(_ name: String) -> String { (directory ?? "") + "/" + name }

    /// One line of the manifest.
    struct Entry: Decodable, Sendable, CustomStringConvertible {
        struct Stream: Decodable, Sendable {
            let codecType: String?
            enum CodingKeys: String, CodingKey { case codecType = "codec_type" }
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
        var hasVideo: Bool { streams?.contains { $0.codecType == "video" } ?? false }
    }

    static let entries: [Entry] = {
        guard let directory,
            let text = try? String(contentsOfFile: directory + "/MANIFEST.jsonl", encoding: .utf8)
        else { return [] }
        return text.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Entry.self, from: Data($0.utf8))
        }
    }()

    /// Runs a program and returns what it printed.
    static func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
