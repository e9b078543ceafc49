// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI

/// `prove thumbnails`: a hundred thumbnails of a minute of 1080p take no more processor time than
/// the ffmpeg command for the same hundred.
///
/// Both write the same images, every eighteenth frame of a video of 30 frames a second, 320 x 180,
/// as PNG files, whose pixels are compared. Times are those of whole processes, user and system,
/// all threads.
struct ThumbnailsProof: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbnails", abstract: "100 thumbnails, compared with ffmpeg.")

    @Flag(help: "Uses a video of 18 seconds and 30 thumbnails, once.")
    var short = false

    /// Makes the thumbnails of a video; the proof runs this as a process of its own.
    @Option(help: .hidden)
    var film: String?
    @Option(help: .hidden)
    var folder = "."
    @Option(help: .hidden)
    var count = 0

    private static let size = (width: 320, height: 180)
    /// The interval between thumbnails: 18 frames.
    private static let step = MediaTime(value: 3, timescale: 5)
    /// The maximum RMS difference, of 255. Both filters average, but weight the samples at the
    /// edges in their own ways.
    private static let largestDifference = 4.0

    func run() async throws {
        if let film { return try await make(film) }
        guard SyntheticClip.isAvailable else {
            throw CannotProve("thumbnails: ffmpeg is missing; apt-get install ffmpeg")
        }
        let seconds = short ? 18 : 60
        let pictures = seconds * 5 / 3
        Progress.show("making the video")
        let path = try Self.makeFilm(seconds: seconds)
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var report = Report("thumbnails")
        report.add("video", "1920 x 1080, 30 fps, H.264, \(seconds) s, a keyframe every 250 frames")
        var ratios: [Double] = []
        for round in 1...(short ? 1 : 3) {
            Progress.show("round \(round)")
            let (ours, theirs) = (TemporaryFolder(), TemporaryFolder())
            let ourTime = try Self.processorTime([
                own, "thumbnails", "--film", path, "--folder", ours.url.path, "--count",
                "\(pictures)",
            ])
            let theirTime = try Self.processorTime([
                "ffmpeg", "-v", "error", "-nostdin", "-i", path, "-vf",
                "select=not(mod(n\\,18)),scale=\(Self.size.width):\(Self.size.height):"
                    + "flags=area+full_chroma_int+full_chroma_inp+accurate_rnd",
                "-fps_mode", "passthrough", theirs.url.appending(path: "%03d.png").path,
            ])
            ratios.append(ourTime / theirTime)
            report.add(
                "round \(round)", String(format: "%.2f s, ffmpeg %.2f s", ourTime, theirTime))
            if round == 1 { try compare(ours.url, theirs.url, pictures, &report) }
        }
        let median = ratios.sorted()[ratios.count / 2]
        report.add("processor time, ours to ffmpeg's", String(format: "%.2f", median))
        report.require(median <= 1, "more processor time than ffmpeg")
        try report.finish()
    }

    private func make(_ film: String) async throws {
        let generator = ImageGenerator(
            asset: URLAsset(film),
            options: .init(maximumSize: Self.size, requestedTimeToleranceBefore: .zero))
        var index = 0
        let times = (0..<Int32(count)).map { Self.step * $0 }
        for await element in generator.images(for: times, order: .asReady) {
            let made = try element.result.get()
            guard made.actualTime == element.requestedTime else {
                throw CannotProve("the image at \(element.requestedTime) has another time")
            }
            index += 1
            let name = String(format: "%03d.png", index)
            try ImageFile.writePNG(made.image, to: "\(folder)/\(name)")
        }
    }

    private func compare(
        _ ours: URL, _ theirs: URL, _ count: Int, _ report: inout Report
    ) throws {
        var largest = 0.0
        for index in 1...count {
            let name = String(format: "%03d.png", index)
            let picture = try TestImage(contentsOf: ours.appending(path: name))
            let other = try TestImage(contentsOf: theirs.appending(path: name))
            guard let difference = picture.difference(from: other) else {
                throw CannotProve("\(name) has another size than ffmpeg's")
            }
            largest = max(largest, difference.rootMeanSquare)
        }
        report.add(
            "same images",
            "\(count), at most \(String(format: "%.2f", largest)) of 255 apart (RMS)")
        report.require(largest <= Self.largestDifference, "the images differ from ffmpeg's")
    }

    private static func processorTime(_ arguments: [String]) throws -> Double {
        let before = Machine.childSeconds
        try ProcessRunner.check(arguments, deadline: .seconds(600))
        return Machine.childSeconds - before
    }

    /// Encodes the video unless it exists.
    private static func makeFilm(seconds: Int) throws -> String {
        let folder = URL(filePath: TemporaryFolder.base).appending(path: "playhead-thumbnails")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let film = folder.appending(path: "\(seconds).mp4")
        if FileManager.default.fileExists(atPath: film.path) { return film.path }
        let part = folder.appending(path: "\(seconds)-part.mp4")
        try ProcessRunner.check(
            [
                "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
                "testsrc2=s=1920x1080:r=30:d=\(seconds)", "-vf",
                "noise=alls=6:allf=t,format=yuv420p",
                // ffmpeg would interpret an untagged file as BT.601.
                "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
                "-c:v", "libx264", "-preset", "veryfast", "-bf", "3", part.path,
            ], deadline: .seconds(900))
        try FileManager.default.moveItem(at: part, to: film)
        return film.path
    }
}
