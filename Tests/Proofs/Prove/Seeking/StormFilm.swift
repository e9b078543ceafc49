// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI

/// A video of the collection, and all its decoded frames.
struct StormFilm {
    struct Frame {
        var time: MediaTime
        /// The hash of its samples.
        var hash: UInt64
    }

    let path: String
    /// Container and codec.
    let kind: String
    let frames: [Frame]
    let startTime: MediaTime

    private static let frameLimit = 400
    private static let pixelLimit = 1280 * 720

    /// Chooses videos of as many kinds as possible. Videos with more frames come first.
    static func choose(_ count: Int, only: String?) throws -> [StormFilm] {
        struct Line: Decodable {
            struct Stream: Decodable {
                let type: String?
                let codec: String?
                let width: Int?
                let height: Int?
                let frames: String?
                enum CodingKeys: String, CodingKey {
                    case width, height
                    case type = "codec_type"
                    case codec = "codec_name"
                    case frames = "nb_frames"
                }
            }
            let path: String
            let format: String?
            let streams: [Stream]?
            let baseline: String
            enum CodingKeys: String, CodingKey {
                case path, format, streams
                case baseline = "baseline_ffmpeg_5_1_9"
            }
        }
        guard let url = Corpus.url("MANIFEST.jsonl") else { return [] }
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        var kinds: [String: Int] = [:]
        let candidates = lines.compactMap { line -> (path: String, kind: String, rank: Int)? in
            guard line.baseline == "clean", let format = line.format,
                !["dash", "tty", "hls", "concat"].contains(format),
                let video = line.streams?.first(where: { $0.type == "video" }),
                let width = video.width, let height = video.height, width * height > 0,
                width * height <= pixelLimit, only.map({ line.path.contains($0) }) ?? true
            else { return nil }
            let kind = "\(format) \(video.codec ?? "")"
            kinds[kind, default: 0] += 1
            return (line.path, kind, kinds[kind, default: 1])
        }.sorted { $0.rank < $1.rank }
        var films: [StormFilm] = []
        for candidate in candidates where films.count < count {
            Progress.show("reading \(candidate.path)")
            if let film = try? StormFilm(candidate.path, kind: candidate.kind) {
                films.append(film)
            }
        }
        return films
    }

    /// Returns nil for a video whose frames have no times of their own, or that is too short or too
    /// long.
    private init?(_ path: String, kind: String) throws {
        guard let file = Corpus.url(path)?.path else { return nil }
        self.path = path
        self.kind = kind
        let reader = try AssetReader(asset: URLAsset(file))
        let pictures = try reader.addVideoOutput()
        startTime = reader.description.startTime
        var frames: [Frame] = []
        while let frame = try pictures.copyNextSampleBuffer() {
            if let last = frames.last, frame.presentationTime <= last.time { return nil }
            frames.append(
                Frame(time: frame.presentationTime, hash: Self.hash(frame.pixelBuffer)))
            if frames.count > Self.frameLimit { return nil }
        }
        guard frames.count >= 10, pictures.decodeErrorCount == 0 else { return nil }
        self.frames = frames
    }

    /// Returns the number of the frame that is visible at a time.
    func index(at time: MediaTime) -> Int {
        frames.lastIndex { $0.time <= time + VideoFrame.timeTolerance } ?? 0
    }

    /// Returns the number of the frame that begins at a time; nil if none does.
    func index(ofFrameAt time: MediaTime) -> Int? { frames.firstIndex { $0.time == time } }

    /// Returns the FNV-1a hash of every word of every plane's rows.
    static func hash(_ picture: PixelBuffer) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for (index, plane) in picture.planes.enumerated() {
            let steps = picture.format.components.filter { $0.plane == index }.map(\.step)
            let bytes = min(plane.width * (steps.max() ?? 1), abs(plane.bytesPerRow))
            for row in 0..<plane.height {
                let line = UnsafeRawBufferPointer(
                    start: plane.baseAddress + row * plane.bytesPerRow, count: bytes)
                var offset = 0
                while offset + 8 <= bytes {
                    let word = line.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    hash = (hash ^ word) &* 0x100_0000_01B3
                    offset += 8
                }
            }
        }
        return hash
    }
}
