// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadUI

extension LoopsRun {
    /// A film that is played, and what it is to look and sound like: as decoding it by itself gives
    /// it, from time zero to where the longer of pictures and sound ends.
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

        /// The frame that is due at a time: before the first that one, past the last this.
        func frame(at time: MediaTime) -> Int {
            let limit = time + MediaTime(value: 1, timescale: 1_000_000)
            return starts.lastIndex { $0 <= limit } ?? 0
        }

        /// Gives where the pictures end.
        private mutating func readPictures(_ film: SyntheticMedia) throws -> MediaTime {
            let pictures = try AssetReader(asset: asset).addVideoOutput()
            var duration = MediaTime.zero
            while let frame = try pictures.copyNextSampleBuffer() {
                guard FrameNumberStrip.read(from: frame.pixelBuffer) == starts.count else {
                    throw CannotProve("\(asset.displayName): a picture is missing")
                }
                starts.append(frame.presentationTime)
                duration = frame.duration
            }
            guard let last = starts.last, let times = film.frameTimes, starts.count == times.count
            else { throw CannotProve("\(asset.displayName): pictures are missing") }
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
