// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct SyntheticClipTests {
    /// Returns the frame numbers that another decoder sees, at any size.
    private func numbers(
        in file: URL, of media: SyntheticMedia, scaledTo width: Int? = nil
    ) throws -> [Int?] {
        let width = width ?? media.width
        let height = media.height * width / media.width
        let raw = try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", file.path, "-fps_mode", "passthrough", "-an", "-vf",
            "scale=\(width):\(height)", "-f", "rawvideo", "-pix_fmt", "rgba", "-",
        ]).standardOutput
        let size = width * height * 4
        return (0..<(raw.count / size)).map { index in
            TestImage(
                width: width, height: height,
                pixels: Array(raw[(index * size)..<((index + 1) * size)])
            ).frameNumber(sourceWidth: media.width, sourceHeight: media.height)
        }
    }

    /// Returns the times of the frames in the container, in its own units.
    private func times(in file: URL, stream: String = "v:0") throws -> [MediaTime] {
        let lines = try ProcessRunner.check([
            "ffprobe", "-v", "error", "-select_streams", stream, "-show_entries",
            "stream=time_base:packet=pts", "-of", "default=nokey=1:noprint_wrappers=1", file.path,
        ]).text.split(separator: "\n")
        let unit = lines.last?.split(separator: "/").compactMap { Int32($0) } ?? []
        guard unit.count == 2 else { return [] }
        return lines.compactMap { Int64($0) }.sorted().map {
            MediaTime(value: $0 * Int64(unit[0]), timescale: unit[1])
        }
    }

    @Test(arguments: [
        SyntheticClip(),
        SyntheticClip(pixelFormat: "yuv444p", container: "mkv"),
        SyntheticClip(videoCodec: "libx265", pixelFormat: "yuv420p10le"),
        SyntheticClip(videoCodec: "libvpx-vp9", audioCodec: "libopus", container: "webm"),
        SyntheticClip(videoCodec: "mpeg2video", audioCodec: "mp2", container: "ts"),
        SyntheticClip(
            videoCodec: "prores_ks", audioCodec: "pcm_s16le", pixelFormat: "yuv422p10le",
            container: "mov"),
    ])
    func `every frame of an encoded clip shows its number`(clip: SyntheticClip) throws {
        var clip = clip
        clip.media.keyframeInterval = 12
        let file = try clip.url()
        #expect(try numbers(in: file, of: clip.media) == Array(0..<60))
        #expect(try clip.url() == file)
    }

    @Test(arguments: [160, 256, 500, 960])
    func `the number survives scaling`(width: Int) throws {
        let clip = SyntheticClip()
        #expect(try numbers(in: try clip.url(), of: clip.media, scaledTo: width) == Array(0..<60))
    }

    @Test(arguments: [(1001, 30000), (1001, 24000), (1, 25), (1, 120)])
    func `a constant rate is exact`(value: Int64, timescale: Int32) throws {
        let frame = MediaTime(value: value, timescale: timescale)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(frameDuration: frame, count: 40), sounds: [])
        media.keyframeInterval = 10
        media.bidirectionalFrames = 2
        let clip = SyntheticClip(media)
        #expect(try times(in: try clip.url()) == (0..<40).map { frame * $0 })
        #expect(try numbers(in: try clip.url(), of: media) == Array(0..<40))
    }

    @Test
    func `the last frame is within the edit list, and audio has its own timescale`()
        throws
    {
        let duration = MediaTime(value: 10, timescale: 1)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration))
        media.keyframeInterval = 60
        media.bidirectionalFrames = 2
        let file = try SyntheticClip(media).url()
        #expect(try numbers(in: file, of: media) == Array(0..<300))
        let sound = try times(in: file, stream: "a:0")
        let gaps = zip(sound, sound.dropFirst()).map { $1 - $0 }
        #expect(gaps.dropLast().allSatisfy { $0 == MediaTime(value: 1024, timescale: 48000) })
    }

    @Test func `a variable rate is kept`() throws {
        let times = [0, 1, 5, 6, 40, 41, 90].map { MediaTime(value: $0, timescale: 90) }
        let media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(times: times, end: MediaTime(value: 2, timescale: 1)))
        let clip = SyntheticClip(media)
        #expect(try self.times(in: try clip.url()) == times)
        #expect(try numbers(in: try clip.url(), of: media) == Array(0..<7))
    }

    @Test func `ticks are at whole seconds`() throws {
        let media = SyntheticMedia(
            frameTimes: nil, sounds: [SyntheticSound(duration: MediaTime(value: 3, timescale: 1))])
        let clip = SyntheticClip(media, audioCodec: "flac", container: "flac")
        let raw = try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try clip.url().path, "-f", "s16le", "-ac", "1", "-",
        ]).standardOutput
        let loud = (0..<(raw.count / 2)).filter { abs(Int8(bitPattern: raw[$0 * 2 + 1])) > 80 }
        let onsets = loud.filter { index in !loud.contains { $0 < index && $0 > index - 1000 } }
        #expect(onsets == [0, 48000, 96000])
        #expect(raw.count == 3 * 48000 * 2)
    }
}
