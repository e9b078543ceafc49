// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI

/// A file, and all its frames, decoded in sequence.
struct SeekLawFilm: Sendable {
    struct Frame: Equatable, Sendable {
        var time: MediaTime
        /// The hash of its samples.
        var hash: UInt64
    }

    enum Outcome {
        case film(SeekLawFilm)
        /// The file is exempt from the law, for this reason.
        case refused(String)
        /// Decoding it twice in sequence gives different results, from this frame on.
        case unrepeatable(Int)
    }

    let path: String
    let frames: [Frame]
    /// The end of the asset, if it is later than the last frame.
    let end: MediaTime

    /// The maximum number of frames to compare: long files take too long.
    private static let frameLimit = 600
    /// The maximum number of bytes of samples to decode.
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
            // If two frames begin at the same time, or one begins before its predecessor, a time
            // does not identify a frame.
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

    /// Returns all frames; nil if there are too many.
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

    /// Returns a time at which a frame is displayed: the middle between its start and the next
    /// one's.
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
