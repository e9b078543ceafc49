// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI

/// A file, and all its frames by decoding it in a row.
struct SeekLawFilm: Sendable {
    struct Frame: Equatable, Sendable {
        var time: MediaTime
        /// Of its samples.
        var hash: UInt64
    }

    enum Outcome {
        case film(SeekLawFilm)
        /// The file is not held to the law, for this reason.
        case refused(String)
        /// Decoding it twice in a row gives two results, from this frame on.
        case unrepeatable(Int)
    }

    let path: String
    let frames: [Frame]
    /// Where the asset ends, if that is later than the last frame.
    let end: MediaTime

    /// More frames than this are not compared: long files take too long.
    private static let frameLimit = 600
    /// Bytes of samples that are decoded at most.
    private static let byteLimit = 1 << 31

    static func read(_ path: String) -> Outcome {
        do {
            guard let first = try list(path) else { return .refused("too long") }
            guard first.count > 1 else { return .refused("fewer than two frames") }
            guard let second = try list(path) else { return .refused("too long") }
            if first != second {
                let index = zip(first, second).enumerated().first { $0.1.0 != $0.1.1 }?.offset
                return .unrepeatable(index ?? min(first.count, second.count))
            }
            // Where two frames begin at once, or one before its predecessor, a time does not name a
            // frame.
            for (one, next) in zip(first, first.dropFirst()) where one.time >= next.time {
                return .refused("frame times do not rise, at \(one.time)")
            }
            let description = try AssetReader(asset: URLAsset(path)).description
            return .film(
                SeekLawFilm(path: path, frames: first, end: description.end))
        } catch {
            return .refused("\(error)")
        }
    }

    /// All frames; nil if there are too many.
    private static func list(_ path: String) throws -> [Frame]? {
        let pictures = try AssetReader(asset: URLAsset(path)).addVideoOutput()
        guard !pictures.track.isAttachedPicture else { return [] }
        var frames: [Frame] = []
        var bytes = 0
        while let frame = try pictures.copyNextSampleBuffer() {
            frames.append(Frame(frame))
            bytes += frame.pixelBuffer.byteCount
            if frames.count > frameLimit || bytes > byteLimit { return nil }
        }
        return frames
    }

    /// A time at which a frame is on display: the middle between its beginning and the next one's.
    func middle(of index: Int) -> MediaTime {
        let start = frames[index].time
        guard index + 1 < frames.count else { return start }
        return start + (frames[index + 1].time - start).multiplied(by: 1, over: 2)
    }
}

extension SeekLawFilm.Frame {
    init(_ frame: VideoFrame) {
        self.init(time: frame.presentationTime, hash: StormFilm.hash(frame.pixelBuffer))
    }
}
