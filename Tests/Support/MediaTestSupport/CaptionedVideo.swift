// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Makes videos with captions in the user data of their frames.
public enum CaptionedVideo {
    /// Writes a video of MPEG-2, one keyframe after another, in an elementary stream.
    ///
    /// - Parameters:
    ///   - size: The size, such as `320x240`.
    ///   - frames: For each frame, the bytes of `user_data` (ATSC A/53 Part 4, 6.2.2), without its
    ///     start code.
    public static func writeMPEG2(
        to url: URL, size: String = "320x240", source: String = "testsrc2",
        rate: String = "30000/1001",
        frames: [[UInt8]]
    ) throws {
        let plain = url.path + ".plain.m2v"
        defer { try? FileManager.default.removeItem(atPath: plain) }
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
            "\(source)=s=\(size):r=\(rate)", "-frames:v", "\(frames.count)", "-c:v", "mpeg2video",
            "-g", "1", "-bf", "0", "-q:v", "6", "-f", "mpeg2video", plain,
        ])
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: plain)))
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + frames.count * 128)
        var (frame, start, needsData) = (0, 0, false)
        var index = 0
        while index + 3 < bytes.count {
            guard bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 else {
                index += 1
                continue
            }
            let code = bytes[index + 3]
            if code == 0 { needsData = true }
            // Before the first slice of a picture.
            if (0x01...0xAF).contains(code), needsData, frame < frames.count {
                result += bytes[start..<index]
                if !frames[frame].isEmpty { result += [0, 0, 1, 0xB2] + frames[frame] }
                (start, needsData, frame) = (index, false, frame + 1)
            }
            index += 4
        }
        result += bytes[start...]
        try Data(result).write(to: url)
    }

    /// Returns the user data of ATSC for caption data of three bytes each.
    public static func userData(_ triples: [UInt8]) -> [UInt8] {
        Array("GA94".utf8) + [0x03, 0x40 | UInt8(triples.count / 3), 0xFF] + triples + [0xFF]
    }

    /// Returns the user data of frames with one pair of each field, or padding.
    public static func userData(
        frameCount: Int, first: [LineTwentyOne.Pair], second: [LineTwentyOne.Pair] = []
    ) -> [[UInt8]] {
        (0..<frameCount).map { frame in
            let first = frame < first.count ? first[frame] : (0x80, 0x80)
            let second = frame < second.count ? second[frame] : (0x80, 0x80)
            return userData([0xFC, first.0, first.1, 0xFD, second.0, second.1])
        }
    }
}
