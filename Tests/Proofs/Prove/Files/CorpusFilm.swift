// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI

/// A film of the collection, and how its frames are compared with what others say of them.
struct CorpusFilm: Sendable {
    let path: String
    private let format: String?

    enum Outcome {
        case equal(frames: Int, hasList: Bool)
        /// The tool's own line of error.
        case refused(String)
        case differs(String)
    }

    /// Formats that are refused on purpose: text shown as a film, and a manifest, which names other
    /// files.
    private static let refusedFormats: Set<String> = ["tty", "dash"]
    private static let deadline = Duration.seconds(300)

    /// All films of the manifest that FFmpeg decodes without an error.
    static func all() throws -> [CorpusFilm] {
        try CorpusFile.all().filter { $0.baseline == "clean" && $0.has("video") }.map {
            CorpusFilm(path: $0.path, format: $0.format)
        }
    }

    /// A line of `playhead frames`.
    private struct FrameLine: Decodable {
        let index: Int
        let time: String
        enum CodingKeys: String, CodingKey {
            case index
            case time = "pts_exact"
        }
    }

    /// Compares what the tool lists with what ffprobe does.
    func check(with tool: String) -> Outcome {
        guard let file = Corpus.url(path)?.path else { return .differs("is not there") }
        do {
            let result = try ProcessRunner.run([tool, "frames", file], deadline: Self.deadline)
            let errors = result.standardError.trimmingCharacters(in: .whitespacesAndNewlines)
            if Self.refusedFormats.contains(format ?? "") {
                let isRefusal = result.status == 2 && result.standardOutput.isEmpty
                return isRefusal && !errors.isEmpty && !errors.contains("\n")
                    ? .refused(errors) : .differs("should be refused in one line of error")
            }
            guard result.status == 0, errors.isEmpty else {
                return .differs("status \(result.status): \(errors)")
            }
            let times = try Self.times(in: result.standardOutput)
            let track = try AssetReader(asset: URLAsset(file)).addVideoOutput().track.id
            if let reason = try difference(of: times, fromTrack: track, of: file) {
                return .differs(reason)
            }
            let list = URL(filePath: "\(file).stream\(track).all_frames_info.json")
            let hasList = FileManager.default.fileExists(atPath: list.path)
            if hasList, let reason = try difference(of: times, from: list) {
                return .differs(reason)
            }
            return .equal(frames: times.count, hasList: hasList)
        } catch {
            return .differs("\(error)")
        }
    }

    private static func times(in output: [UInt8]) throws -> [MediaTime] {
        let decoder = JSONDecoder()
        return try output.split(separator: UInt8(ascii: "\n")).enumerated().map { index, bytes in
            let line = try decoder.decode(FrameLine.self, from: Data(bytes))
            guard line.index == index, let time = MediaTime(rational: line.time) else {
                throw CannotProve("line \(index + 1) is frame \(line.index) at \(line.time)")
            }
            return time
        }
    }

    /// What ffprobe says otherwise about a track; nil where both say the same.
    private func difference(
        of times: [MediaTime], fromTrack track: Int, of file: String
    ) throws -> String? {
        let text = try ProcessRunner.check(
            [
                "ffprobe", "-v", "quiet", "-select_streams", "\(track)", "-show_entries",
                "stream=time_base:frame=best_effort_timestamp", "-of", "compact=p=0", file,
            ], deadline: Self.deadline
        ).text
        let lines = text.split(separator: "\n")
        guard let unit = lines.lazy.compactMap({ Self.value(of: "time_base", in: $0) }).first,
            let unit = MediaTime(rational: unit)
        else { return "ffprobe tells no time base" }
        let stamps = lines.compactMap { Self.value(of: "best_effort_timestamp", in: $0) }
        guard times.count == stamps.count else {
            return "\(times.count) frames, not ffprobe's \(stamps.count)"
        }
        for (index, (time, stamp)) in zip(times, stamps).enumerated() {
            guard let ticks = Int64(stamp) else { continue }
            let expected = MediaTime(value: ticks * unit.value, timescale: unit.timescale)
            if time != expected { return "frame \(index) is at \(time), not \(expected)" }
        }
        return nil
    }

    /// The value after `name=` in one of ffprobe's lines.
    private static func value(of name: String, in line: Substring) -> Substring? {
        for field in line.split(separator: "|") where field.hasPrefix("\(name)=") {
            return field.dropFirst(name.count + 1)
        }
        return nil
    }

    /// What torchcodec's list, which has times in microseconds, says otherwise.
    private func difference(of times: [MediaTime], from list: URL) throws -> String? {
        struct Frame: Decodable {
            let time: String
            enum CodingKeys: String, CodingKey { case time = "pts_time" }
        }
        let frames = try JSONDecoder().decode([Frame].self, from: Data(contentsOf: list))
        let texts = times.map { String(format: "%.6f", $0.seconds) }
        guard texts != frames.map(\.time) else { return nil }
        let index = zip(texts, frames).enumerated().first { $1.0 != $1.1.time }?.offset
        return "not the times of \(list.lastPathComponent), from frame \(index ?? frames.count) on"
    }
}
