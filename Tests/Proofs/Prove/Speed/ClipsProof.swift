// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI

/// `prove clips`: eight clips of six codecs, drawn into a framebuffer of 1280 x 720 as fast as
/// possible by our shaders, by our processor path and by libmpv's render API, and decoded alone by
/// FFmpeg. Then two clips of high dynamic range, which are tone-mapped for a display of standard
/// range: with them the processor must reach 1.5 times the shader's rate.
///
/// Each run is a process of its own, and the variants alternate. Figures are medians over the
/// rounds, and comparisons are medians of each round's ratio, since only that is meaningful on a
/// shared machine.
struct ClipsProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clips", abstract: "Eight clips compared with libmpv and with decoding alone.")

    @Flag(help: "Runs one round of shorter clips.")
    var short = false

    @Option(help: ArgumentHelp("For the proof itself: draws one video.", visibility: .private))
    var way: String?

    @Argument(help: ArgumentHelp("For the proof itself: the video.", visibility: .private))
    var film: String?

    private enum Way: String, CaseIterable {
        case shader, processor, libmpv
    }

    private struct Clip {
        var name: String
        var size: String
        var rate: Int
        var encoding: [String]
    }

    private static let clips = [
        Clip(name: "h264-720p60", size: "1280x720", rate: 60, encoding: h264),
        Clip(name: "h264-1080p30", size: "1920x1080", rate: 30, encoding: h264),
        Clip(name: "h264-1080p60", size: "1920x1080", rate: 60, encoding: h264),
        Clip(
            name: "hevc-10bit", size: "1920x1080", rate: 30,
            encoding: [
                "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none",
                "-pix_fmt", "yuv420p10le",
            ]),
        Clip(
            name: "vp9", size: "1920x1080", rate: 30,
            encoding: [
                "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "4M",
                "-pix_fmt", "yuv420p",
            ]),
        Clip(
            name: "av1", size: "1920x1080", rate: 30,
            encoding: ["-c:v", "libsvtav1", "-preset", "12", "-pix_fmt", "yuv420p"]),
        Clip(
            name: "mjpeg-422", size: "1920x1080", rate: 30,
            encoding: ["-c:v", "mjpeg", "-q:v", "4", "-pix_fmt", "yuvj422p"]),
        Clip(
            name: "prores-10bit", size: "1920x1080", rate: 30,
            encoding: ["-c:v", "prores_ks", "-pix_fmt", "yuv422p10le"]),
    ]
    private static let lightClips = [
        Clip(
            name: "hevc-pq", size: "1920x1080", rate: 30,
            encoding: highRange(
                "smpte2084",
                ":master-display=G(13250,34500)B(7500,3000)R(34000,16000)"
                    + "WP(15635,16450)L(10000000,1):max-cll=1000,400")),
        Clip(
            name: "hevc-hlg", size: "1920x1080", rate: 30,
            encoding: highRange("arib-std-b67", "")),
    ]

    private static func highRange(_ transfer: String, _ parameters: String) -> [String] {
        [
            "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
            "log-level=none:colorprim=bt2020:transfer=\(transfer):colormatrix=bt2020nc\(parameters)",
            "-pix_fmt", "yuv420p10le", "-color_primaries", "bt2020", "-color_trc", transfer,
            "-colorspace", "bt2020nc",
        ]
    }

    private static let h264 = ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p"]

    func run() throws {
        if let film, let way = way.flatMap(Way.init) {
            let result = way == .libmpv ? try ClipRun.libmpv(film) : try ClipRun.ours(film)
            return try result.printed()
        }
        guard ProcessRunner.has("ffmpeg") else {
            throw CannotProve("clips: ffmpeg is missing; apt-get install ffmpeg")
        }
        var report = Report("clips")
        let folder = TemporaryFolder()
        let frames = short ? 60 : 150
        Progress.show(Machine.waitUntilQuiet(seconds: 60))
        let usage = Machine.usage
        func comparison(of clip: Clip) throws -> Comparison {
            Progress.show("\(clip.name)")
            let file = folder.appending("\(clip.name).mkv").path
            try ProcessRunner.check(
                [
                    "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
                    "testsrc2=size=\(clip.size):rate=\(clip.rate),noise=alls=4:allf=t",
                    "-frames:v", "\(frames)",
                ] + clip.encoding + [file], deadline: .seconds(300))
            let comparison = try compare(file, frames: frames)
            report.add(clip.name, comparison.line)
            return comparison
        }
        let totals = try Self.clips.map(comparison)
        for clip in Self.lightClips {
            let ratio = try comparison(of: clip).processorByShader
            report.add(
                "\(clip.name), processor", "\(Machine.hundredths(ratio)) times the shader's rate")
            report.require(
                ratio >= 1.5, "\(clip.name): the processor reaches \(ratio) of the shader's rate")
        }
        report.add("others used", Machine.others(since: usage))
        judge(totals, &report)
        Progress.clear()
        try report.finish()
    }

    /// The results of all variants on one clip, each compared within its round.
    private struct Comparison {
        /// The shader's frame rate and processor time, relative to libmpv's.
        var shaderRate = 0.0
        var shaderCost = 0.0
        var processorRate = 0.0
        /// Relative to the shader's rate.
        var processorByShader = 0.0
        /// Relative to the rate of decoding alone.
        var ofDecoding = 0.0
        /// Milliseconds per frame in addition to decoding.
        var shaderAbove = 0.0
        var processorAbove = 0.0
        /// The time to the first frame, relative to libmpv's.
        var start = 0.0
        /// Megabytes of the processor path, of the shader and of libmpv.
        var memory: [Int] = []
        var upload = 0.0

        var line: String {
            let text = [shaderRate, shaderCost, processorRate, ofDecoding].map(Machine.hundredths)
            return
                "shader \(text[0]) of libmpv's rate, \(text[1]) of its processor time; processor "
                + "\(text[2]) of libmpv's rate, \(text[3]) of decoding's; above decoding "
                + "\(Machine.hundredths(shaderAbove)), \(Machine.hundredths(processorAbove)) ms; "
                + "first frame \(Machine.hundredths(start)); upload "
                + "\(Machine.hundredths(upload)) ms; memory \(memory) MB"
        }
    }

    private func compare(_ file: String, frames: Int) throws -> Comparison {
        var rounds: [(decoding: (wall: Double, processor: Double), ways: [Way: ClipRun])] = []
        for _ in 0..<(short ? 1 : 3) {
            let (began, before) = (Machine.usage.wall, Machine.childSeconds)
            try ProcessRunner.check(
                [
                    "ffmpeg", "-v", "error", "-nostdin", "-threads", "2", "-i", file, "-f", "null",
                    "-",
                ],
                deadline: .seconds(120))
            let decoding = (Machine.usage.wall - began, Machine.childSeconds - before)
            var ways: [Way: ClipRun] = [:]
            for way in Way.allCases {
                ways[way] = try ClipRun.inProcess(
                    ["clips", "--way", way.rawValue, file],
                    conversion: way == .processor ? "cpu" : "gpu")
            }
            rounds.append((decoding, ways))
        }
        func median(
            _ value: ((wall: Double, processor: Double), ClipRun, ClipRun, ClipRun) -> Double
        ) -> Double {
            let values = rounds.compactMap { round -> Double? in
                guard let shader = round.ways[.shader], let processor = round.ways[.processor],
                    let libmpv = round.ways[.libmpv]
                else { return nil }
                return value(round.decoding, shader, processor, libmpv)
            }.sorted()
            return values.isEmpty ? .nan : values[values.count / 2]
        }
        func rate(_ run: ClipRun) -> Double { Double(run.frames) / run.wall }
        func cost(_ run: ClipRun) -> Double { run.processor / Double(max(1, run.frames)) }
        let each = Double(frames)
        var result = Comparison()
        result.shaderRate = median { _, shader, _, mpv in rate(shader) / rate(mpv) }
        result.shaderCost = median { _, shader, _, mpv in cost(shader) / cost(mpv) }
        result.processorRate = median { _, _, processor, mpv in rate(processor) / rate(mpv) }
        result.processorByShader = median { _, shader, processor, _ in
            rate(processor) / rate(shader)
        }
        result.ofDecoding = median { decoding, _, processor, _ in
            rate(processor) / (each / decoding.wall)
        }
        result.shaderAbove = median { decoding, shader, _, _ in
            (cost(shader) - decoding.processor / each) * 1000
        }
        result.processorAbove = median { decoding, _, processor, _ in
            (cost(processor) - decoding.processor / each) * 1000
        }
        result.start = median { _, _, processor, mpv in processor.firstPicture / mpv.firstPicture }
        result.upload = median { _, shader, _, _ in shader.upload ?? 0 }
        result.memory = [
            Int(median { _, _, processor, _ in Double(processor.memory) }),
            Int(median { _, shader, _, _ in Double(shader.memory) }),
            Int(median { _, _, _, mpv in Double(mpv.memory) }),
        ]
        return result
    }

    private func judge(_ totals: [Comparison], _ report: inout Report) {
        func mean(_ value: (Comparison) -> Double) -> Double {
            exp(totals.reduce(0) { $0 + log(value($1)) } / Double(totals.count))
        }
        let (rate, cost) = (mean(\.shaderRate), mean(\.shaderCost))
        let (quick, share) = (mean(\.processorRate), mean(\.ofDecoding))
        report.add(
            "geometric means",
            "shader \(Machine.hundredths(rate)) of libmpv's rate, \(Machine.hundredths(cost)) of its "
                + "processor time; processor \(Machine.hundredths(quick)), "
                + "\(Machine.hundredths(share)) of decoding")
        report.require(rate >= 1.2, "the shader reaches \(rate) of libmpv's rate, not 1.2")
        report.require(cost <= 0.8, "the shader takes \(cost) of libmpv's processor time")
        report.require(
            totals.allSatisfy { $0.shaderRate >= 1 }, "libmpv is faster on one of the clips")
        report.require(quick >= 2.5, "the processor reaches \(quick) of libmpv's rate, not 2.5")
        report.require(share >= 0.6, "the processor reaches \(share) of decoding alone")
        report.require(
            mean(\.start) <= 0.95, "the first frame comes after \(mean(\.start)) of libmpv's time"
        )
    }
}
