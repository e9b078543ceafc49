// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI

/// A video of the collection, whose frames are compared with those that other programs list.
struct CorpusFilm: Sendable {
    let path: String
    private let format: String?

    enum Outcome {
        case equal(frames: Int, hasList: Bool)
        /// The tool's error message.
        case refused(String)
        case differs(String)
    }

    /// Formats that are refused on purpose: text shown as video.
    private static let refusedFormats: Set<String> = ["tty"]
    private static let deadline = Duration.seconds(300)

    /// All videos of the manifest that FFmpeg decodes without an error.
    static func all() throws -> [CorpusFilm] {
        // The collection has only some of the segments to which its MPDs refer.
        try CorpusFile.all().filter {
            $0.baseline == "clean" && $0.has("video") && $0.format != "dash"
        }.map { CorpusFilm(path: $0.path, format: $0.format) }
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

    /// Compares the frames that the tool lists with those of ffprobe.
    func check(with tool: String) -> Outcome {
        guard let file = Corpus.url(path)?.path else { return .differs("is not there") }
        do {
            let result = try ProcessRunner.run([tool, "frames", file], deadline: Self.deadline)
            let errors = result.standardError.trimmingCharacters(in: .whitespacesAndNewlines)
            if Self.refusedFormats.contains(format ?? "") {
                let isRefusal = result.status == 2 && result.standardOutput.isEmpty
                return isRefusal && !errors.isEmpty && !errors.contains("\n")
                    ? .refused(errors) : .differs("expected an error of one line")
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

    /// The difference between a track's frames and those that ffprobe lists; nil if they are equal.
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
        else { return "ffprobe reports no time base" }
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

    /// The difference from torchcodec's list, whose times are in microseconds.
    private func difference(of times: [MediaTime], from list: URL) throws -> String? {
        struct Frame: Decodable {
            let time: String
            enum CodingKeys: String, CodingKey { case time = "pts_time" }
        }
        let frames = try JSONDecoder().decode([Frame].self, from: Data(contentsOf: list))
        let texts = times.map { String(format: "%.6f", $0.seconds) }
        guard texts != frames.map(\.time) else { return nil }
        let index = zip(texts, frames).enumerated().first { $1.0 != $1.1.time }?.offset
        return "times differ from \(list.lastPathComponent) from frame \(index ?? frames.count) on"
    }
}
