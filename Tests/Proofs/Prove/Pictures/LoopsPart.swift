// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadUI

extension LoopsRun {
    /// A video that is played, and its expected frames and audio: the result of decoding it by
    /// itself, from time zero to the end of the longer track.
    struct Part {
        let asset: Asset
        private var starts: [MediaTime] = []
        private(set) var samples: [Float] = []

        init(_ asset: Asset, _ film: SyntheticMedia) throws {
            self.asset = asset
            let end = try readPictures(film)
            try readSound()
            let count = Int(end.converted(toTimescale: 48_000).value)
            samples += Array(repeating: 0, count: max(0, count - samples.count))
        }

        var duration: MediaTime { MediaTime(value: Int64(samples.count), timescale: 48_000) }

        /// The expected frame at a time: the first one before the start, the last one past the end.
        func frame(at time: MediaTime) -> Int {
            let limit = time + MediaTime(value: 1, timescale: 1_000_000)
            return starts.lastIndex { $0 <= limit } ?? 0
        }

        /// Reads the frames, and returns the end of the last one.
        private mutating func readPictures(_ film: SyntheticMedia) throws -> MediaTime {
            let pictures = try AssetReader(asset: asset).addVideoOutput()
            var duration = MediaTime.zero
            while let frame = try pictures.copyNextSampleBuffer() {
                guard FrameNumberStrip.read(from: frame.pixelBuffer) == starts.count else {
                    throw CannotProve("\(asset.displayName): a frame is missing")
                }
                starts.append(frame.presentationTime)
                duration = frame.duration
            }
            guard let last = starts.last, let times = film.frameTimes, starts.count == times.count
            else { throw CannotProve("\(asset.displayName): frames are missing") }
            return last + (duration.isNumeric ? duration : times.duration(of: times.count - 1))
        }

        private mutating func readSound() throws {
            let sound = try AssetReader(asset: asset)
                .addAudioOutput(format: .mono(sampleRate: 48_000))
            while let buffer = try sound.copyNextSampleBuffer() {
                let start = buffer.presentationTime.converted(toTimescale: 48_000)
                let place = start.isNumeric ? Int(start.value) : samples.count
                let gap = place - samples.count
                if gap > 0 { samples += Array(repeating: 0, count: gap) }
                buffer.withSamples { samples += $0.dropFirst(max(0, -gap)) }
            }
        }
    }
}
