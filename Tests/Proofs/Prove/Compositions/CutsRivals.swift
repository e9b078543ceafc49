// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI

/// Other programs that join cuts of one file.
enum CutsRivals {
    /// Returns the number of wrong frames of FFmpeg's concat demuxer on cuts of a single file.
    static func wrongOfConcat(_ run: CutsRun) throws -> Int {
        guard let film = run.films.first else { return 0 }
        // FFmpeg's times are those of the packets, which begin later in some containers.
        let probe = try ProcessRunner.check([
            "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
            "stream=start_time", "-of", "csv=p=0", film.path,
        ])
        let text = String(decoding: probe.standardOutput, as: UTF8.self)
        let start = Double(text.prefix { $0 != "," && $0 != "\n" }) ?? 0
        var lines: [String] = []
        for cut in run.cuts {
            let first = film.edges[cut.frames.lowerBound] - film.edges[0]
            let end = film.edges[cut.frames.upperBound] - film.edges[0]
            lines += [
                "file '\(film.path)'", "inpoint \(start + first.seconds)",
                "outpoint \(start + end.seconds)",
            ]
        }
        let list = FileManager.default.temporaryDirectory
            .appending(path: "playhead-cuts-\(UUID().uuidString).txt")
        try lines.joined(separator: "\n").write(to: list, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: list) }
        return try wrong(
            in: ["ffmpeg", "-v", "quiet", "-nostdin", "-y", "-f", "concat", "-safe", "0", "-i"]
                + [list.path, "-map", "0:v", "-fps_mode", "passthrough", "-pix_fmt", "rgba"]
                + ["-f", "rawvideo"], comparedWith: run.numbers)
    }

    /// Returns the number of wrong frames of MLT's `melt` on cuts of a single file with a constant
    /// rate.
    static func wrongOfMelt(_ run: CutsRun) throws -> Int {
        guard let film = run.films.first else { return 0 }
        let profile = FileManager.default.temporaryDirectory
            .appending(path: "playhead-cuts-\(UUID().uuidString).profile")
        try """
        description=cuts
        frame_rate_num=30000
        frame_rate_den=1001
        width=\(CutsFilm.width)
        height=\(CutsFilm.height)
        progressive=1
        sample_aspect_num=1
        sample_aspect_den=1
        display_aspect_num=\(CutsFilm.width)
        display_aspect_den=\(CutsFilm.height)
        colorspace=709
        """.write(to: profile, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: profile) }
        var arguments = ["melt", "-silent", "-profile", profile.path]
        for cut in run.cuts {
            arguments += [
                film.path, "in=\(cut.frames.lowerBound)", "out=\(cut.frames.upperBound - 1)",
            ]
        }
        return try wrong(in: arguments, comparedWith: run.numbers) { output in
            ["-consumer", "avformat:\(output)", "f=rawvideo", "vcodec=rawvideo", "pix_fmt=rgba"]
                + ["an=1", "real_time=-1"]
        }
    }

    /// Runs a program that writes raw frames, and returns how many differ from a list.
    private static func wrong(
        in arguments: [String], comparedWith numbers: [Int],
        output options: (String) -> [String] = { [$0] }
    ) throws -> Int {
        let output = FileManager.default.temporaryDirectory
            .appending(path: "playhead-cuts-\(UUID().uuidString).raw")
        defer { try? FileManager.default.removeItem(at: output) }
        // If a program fails, the frames that it has written are compared.
        _ = try ProcessRunner.run(arguments + options(output.path), deadline: .seconds(300))
        let data = (try? Data(contentsOf: output, options: .mappedIfSafe)) ?? Data()
        let size = CutsFilm.width * CutsFilm.height * 4
        let found = data.withUnsafeBytes { bytes in
            (0..<(bytes.count / size)).map { index in
                FrameNumberStrip.read(
                    fromRGBA: UnsafeRawBufferPointer(
                        rebasing: bytes[(index * size)..<((index + 1) * size)]),
                    width: CutsFilm.width, height: CutsFilm.height, sourceWidth: CutsFilm.width,
                    sourceHeight: CutsFilm.height) ?? -1
            }
        }
        return editDistance(found, numbers)
    }

    /// Returns the smallest number of frames that are missing, added or replaced.
    private static func editDistance(_ first: [Int], _ second: [Int]) -> Int {
        var row = Array(0...second.count)
        for (index, element) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (place, other) in second.enumerated() {
                let cost = min(
                    diagonal + (element == other ? 0 : 1), row[place] + 1, row[place + 1] + 1)
                diagonal = row[place + 1]
                row[place + 1] = cost
            }
        }
        return row[second.count]
    }
}
