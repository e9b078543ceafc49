// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadEditing
import PlayheadPlayback
import PlayheadThreads
import PlayheadUI

/// `prove clip-counts`: the cost of a composition of many clips from many files, compared with a
/// single file.
struct ClipCountsProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clip-counts",
        abstract: "Many clips cost little more than one file: seeks, memory, open files, edits.")

    @Flag(help: "Less of each: 60 seeks, 100 edits, 10 seconds of playing.")
    var short = false

    @Option(help: "The seed of the clips.")
    var seed: UInt64 = 1

    private static let fileCount = 100
    private static let frame = MediaTime(value: 1, timescale: 30)
    private static let seconds: Int64 = 4
    /// The duration of a composition of 1,000 clips, and of the single file that is compared with
    /// compositions. The frames that a player keeps while it is sought depend on the duration.
    private static let longSeconds: Int64 = 500

    private typealias Source = (asset: URLAsset, description: AssetDescription)

    /// The maximum number of open sources: those of `SourcePool`, and as many files of decoders.
    private static let openLimit = 16
    private static let memoryLimit = 64 << 10

    func run() throws {
        guard ProcessRunner.has("ffmpeg") else { throw CannotProve("ffmpeg is not installed") }
        var report = Report("clip-counts")
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "playhead-clip-counts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        Progress.show("encoding")
        let files = try makeFiles(in: folder)
        let long = try makeLongFiles(in: folder)
        try report.measure(attempts: 3) { report in
            let start = Machine.usage
            try measureSeeks(files, long, in: folder.path, &report)
            return Machine.others(since: start)
        }
        try measureMemory(files, long, &report)
        try report.measure(attempts: 3) { report in
            let start = Machine.usage
            try measureEdits(files, &report)
            return Machine.others(since: start)
        }
        try report.measure(attempts: 3) { report in
            let start = Machine.usage
            try measureEditsWhilePaused(files, &report)
            return Machine.others(since: start)
        }
        try report.measure(attempts: 2) { report in
            let start = Machine.usage
            try measurePlaying(in: folder, &report)
            return Machine.others(since: start)
        }
        try report.finish()
    }

    // MARK: - Media

    /// Encodes a moving test picture and a tone.
    private func encode(size: String, keyframeInterval: Int, to file: URL) throws {
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
            "testsrc2=size=\(size):rate=30:duration=\(Self.seconds)", "-f", "lavfi", "-i",
            "sine=frequency=440:sample_rate=48000:duration=\(Self.seconds)", "-c:v", "libx264",
            "-preset", "ultrafast", "-sc_threshold", "0", "-g", "\(keyframeInterval)", "-bf", "2",
            "-pix_fmt", "yuv420p", "-c:a", "aac", file.path,
        ])
    }

    private func original(in folder: URL) -> URL { folder.appending(path: "original.mp4") }

    private func makeFiles(in folder: URL) throws -> [Source] {
        let original = original(in: folder)
        try encode(size: "640x360", keyframeInterval: 30, to: original)
        return try (0..<Self.fileCount).map { index in
            let copy = folder.appending(path: "\(index).mp4")
            try FileManager.default.copyItem(at: original, to: copy)
            let asset = URLAsset(copy.path)
            return (asset, try AssetReader(asset: asset).description)
        }
    }

    /// Repeats the original file. The result counts as ten files.
    private func makeLongFiles(in folder: URL) throws -> [Source] {
        let file = folder.appending(path: "long.mp4")
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-stream_loop",
            "\(Self.longSeconds / Self.seconds)", "-i", original(in: folder).path, "-c", "copy",
            file.path,
        ])
        let description = try AssetReader(asset: URLAsset(file.path)).description
        return (0..<10).map { _ in (URLAsset(file.path), description) }
    }

    /// Returns a composition of clips of half a second, or of another number of frames.
    private func composition(
        clips: Int, of files: [Source], seconds: Int64 = Self.seconds, frames: Int32 = 15,
        _ random: inout SplitMix64
    ) throws -> MutableComposition {
        let composition = MutableComposition()
        for index in 0..<clips {
            let (asset, description) = files[(index * 37) % files.count]
            let start = Int32.random(in: 0..<(Int32(seconds) * 30 - frames), using: &random)
            try composition.insertTimeRange(
                MediaTimeRange(start: Self.frame * start, duration: Self.frame * frames),
                of: asset, describedBy: description, at: .invalid)
        }
        return composition
    }

    private func player(_ asset: Asset) throws -> (Player, PlayerItem) {
        let item = PlayerItem(asset: asset)
        let player = Player(
            playerItem: item, audioSink: NullAudioSink(format: .stereo(sampleRate: 48_000)))
        let deadline = Date() + 30
        while item.status == .unknown, Date() < deadline { usleep(500) }
        if let error = item.error { throw CannotProve("\(error)") }
        return (player, item)
    }

    private func seek(_ item: PlayerItem, to time: MediaTime) -> Double {
        let landed = Monitor<Bool?>(nil)
        let start = HostClock.nanoseconds
        item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { done in
            landed.change { $0 = done }
        }
        _ = landed.wait { $0 }
        return Double(HostClock.nanoseconds - start) / 1e6
    }

    /// Returns the number of descriptors of each open file in a folder, except one file.
    ///
    /// The descriptors are read one after another. If a file is closed and another one is opened in
    /// the meantime, both may be counted, so they are read until two readings are equal.
    private func openFiles(below folder: String, except file: String) -> [String: Int] {
        var last: [String: Int] = [:]
        while true {
            let files = Resources.holdings(ofProcess: "self").filter { holding in
                holding.key.hasPrefix("descriptor \(folder)") && !holding.key.hasSuffix(file)
            }
            if files == last { return files }
            last = files
        }
    }

    // MARK: - Measurements

    private func measureSeeks(
        _ files: [Source], _ long: [Source], in folder: String, _ report: inout Report
    ) throws {
        Progress.show("seeks")
        var random = SplitMix64(seed: seed)
        let count = short ? 60 : 400
        let single = try player(long[0].asset)
        let many = try player(try composition(clips: 500, of: files, &random).makeAsset())
        var (alone, among): ([Double], [Double]) = ([], [])
        var open: [String: Int] = [:]
        for _ in 0..<count {
            let first = Int32.random(in: 0..<(500 * 15), using: &random)
            alone.append(seek(single.1, to: Self.frame * first))
            let second = Int32.random(in: 0..<(500 * 15), using: &random)
            among.append(seek(many.1, to: Self.frame * second))
            let now = openFiles(below: folder, except: "/long.mp4")
            if now.values.reduce(0, +) > open.values.reduce(0, +) { open = now }
        }
        let (one, other) = (Sample(alone), Sample(among))
        let limit = one.magnitude(ofShare: 0.5) * 1.2 + 5
        report.add("seeks in one file", one)
        report.add("seeks in 500 clips of \(Self.fileCount) files", other)
        let openCount = open.values.reduce(0, +)
        report.add("open files of the composition, at most", openCount)
        report.require(
            other.magnitude(ofShare: 0.5) <= limit, "the median of seeks exceeds \(limit) ms")
        report.require(
            openCount <= Self.openLimit,
            "\(openCount) files are open: "
                + open.map { "\($0.key.split(separator: "/").last ?? ""): \($0.value)" }.sorted()
                .joined(separator: ", "))
        single.0.replaceCurrentItem(with: nil)
        many.0.replaceCurrentItem(with: nil)
    }

    /// Resident memory after reading and seeking, in KiB.
    private func memory(of composition: Composition) throws -> Int {
        var random = SplitMix64(seed: seed)
        let (player, item) = try player(composition.makeAsset())
        defer { player.replaceCurrentItem(with: nil) }
        var most = 0
        for _ in 0..<(short ? 40 : 200) {
            let target = Int32.random(in: 0..<(Int32(Self.longSeconds) * 30), using: &random)
            _ = seek(item, to: Self.frame * target)
            most = max(most, Resources.now.memory)
        }
        return most
    }

    private func measureMemory(
        _ files: [Source], _ long: [Source], _ report: inout Report
    ) throws {
        Progress.show("memory")
        var random = SplitMix64(seed: seed)
        let ten = try composition(
            clips: 10, of: long, seconds: Self.longSeconds,
            frames: Int32(Self.longSeconds) * 3, &random)
        let thousand = try composition(clips: 1000, of: files, &random)
        _ = try memory(of: ten)
        let few = try memory(of: ten)
        let many = try memory(of: thousand)
        report.add(
            "memory with 10 and 1,000 clips", "\(few / 1024) and \(many / 1024) MiB")
        report.require(many - few < Self.memoryLimit, "memory grows by \((many - few) / 1024) MiB")
    }

    /// Removes a frame before the playhead while a composition plays, so that everything from the
    /// playhead on moves. Measures the time until the first frame of the edited composition is
    /// taken, and the time until its audio follows.
    private func measureEdits(
        _ files: [Source], _ report: inout Report
    ) throws {
        Progress.show("edits")
        var random = SplitMix64(seed: seed)
        let composition = try composition(clips: 500, of: files, &random)
        let (player, first) = try player(composition.makeAsset())
        let output = PlayerVideoOutput(player: player)
        defer { player.replaceCurrentItem(with: nil) }
        // Frames are removed between here and the playhead.
        _ = seek(first, to: Self.frame * Int32(60 * 30))
        player.play()
        let begun = Date() + 30
        while player.timeControlStatus != .playing, Date() < begun { usleep(500) }
        var (seen, heard): ([Double], [Double]) = ([], [])
        var (black, underruns) = (0, 0)
        for _ in 0..<(short ? 100 : 1000) {
            guard let item = player.currentItem else { break }
            let playhead = Int32(player.currentTime.seconds * 30)
            try composition.removeTimeRange(
                MediaTimeRange(
                    start: Self.frame * (playhead - Int32.random(in: 1...30, using: &random)),
                    duration: Self.frame * Int32(1)))
            let start = HostClock.nanoseconds
            var sight: Int64?
            player.continueCurrentItem(with: composition)
            let deadline = start + 5_000_000_000
            while player.currentItem === item {
                guard HostClock.nanoseconds < deadline else {
                    throw CannotProve("an edit is not taken over")
                }
                let time = output.itemTime(forHostTime: HostClock.shared.time)
                if output.isAwaitingPixelBuffer(forItemTime: time) { black += 1 }
                let isTaken = output.copyPixelBuffer(forItemTime: time) != nil
                if isTaken, sight == nil, output.item !== item { sight = HostClock.nanoseconds }
                usleep(500)
            }
            let end = HostClock.nanoseconds
            seen.append(Double((sight ?? end) - start) / 1e6)
            heard.append(Double(end - start) / 1e6)
            underruns += item.statistics.audioUnderruns
        }
        let sample = Sample(seen)
        report.add("from edit to picture, while playing", sample)
        report.add("from edit to its audio, with a device of 40 ms", Sample(heard))
        report.add("without a picture, underruns", "\(black), \(underruns)")
        report.require(
            sample.magnitude(ofShare: 0.5) < 50,
            "the median from edit to picture is not below 50 ms")
        report.require(black == 0 && underruns == 0, "an edit was seen or heard while it came")
    }

    /// Removes the frame at the playhead while paused, and measures the time until the frame after
    /// it is seen.
    private func measureEditsWhilePaused(
        _ files: [Source], _ report: inout Report
    ) throws {
        Progress.show("edits while paused")
        var random = SplitMix64(seed: seed)
        let composition = try composition(clips: 500, of: files, &random)
        let (player, _) = try player(composition.makeAsset())
        let output = PlayerVideoOutput(player: player)
        defer { player.replaceCurrentItem(with: nil) }
        var times: [Double] = []
        for _ in 0..<(short ? 30 : 300) {
            guard let item = player.currentItem else { break }
            let place = Int32.random(in: 0..<Int32(400 * 15), using: &random)
            _ = seek(item, to: Self.frame * place)
            let time = Self.frame * place
            _ = output.copyPixelBuffer(forItemTime: time)
            try composition.removeTimeRange(
                MediaTimeRange(start: time, duration: Self.frame * Int32(1)))
            let start = HostClock.nanoseconds
            player.continueCurrentItem(with: composition)
            let deadline = start + 5_000_000_000
            // The host time selects the item whose frame is taken.
            func shown() -> PixelBuffer? {
                let time = output.itemTime(forHostTime: HostClock.shared.time)
                return output.copyPixelBuffer(forItemTime: time)?.0
            }
            while player.currentItem === item || shown() == nil {
                guard HostClock.nanoseconds < deadline else {
                    throw CannotProve("an edit while paused is not shown")
                }
                usleep(200)
            }
            times.append(Double(HostClock.nanoseconds - start) / 1e6)
        }
        let sample = Sample(times)
        report.add("from edit to picture, while paused", sample)
        report.require(
            sample.magnitude(ofShare: 0.5) < 50,
            "the median from edit to picture is not below 50 ms while paused")
    }

    /// Plays cuts every 0.3 s of 1080p30 with a keyframe every 15 frames, on the real clock, and
    /// takes frames of 1280x720.
    private func measurePlaying(in folder: URL, _ report: inout Report) throws {
        Progress.show("encoding 1080p")
        let file = folder.appending(path: "1080p.mp4")
        try encode(size: "1920x1080", keyframeInterval: 15, to: file)
        let asset = URLAsset(file.path)
        let description = try AssetReader(asset: asset).description
        var random = SplitMix64(seed: seed)
        let composition = MutableComposition()
        let seconds = short ? 10 : 600
        for _ in 0..<(seconds * 10 / 3 + 1) {
            let start = Int32.random(in: 0..<(Int32(Self.seconds) * 30 - 9), using: &random)
            try composition.insertTimeRange(
                MediaTimeRange(start: Self.frame * start, duration: Self.frame * Int32(9)),
                of: asset, describedBy: description, at: .invalid)
        }
        Progress.show("playing cuts every 0.3 s")
        let (player, item) = try player(composition.makeAsset())
        let output = try PlayerItemVideoOutput(
            pixelBufferAttributes: PixelBufferAttributes(
                pixelFormat: .bgra, width: 1280, height: 720))
        item.add(output)
        defer { player.replaceCurrentItem(with: nil) }
        player.play()
        let end = HostClock.nanoseconds + Int64(seconds) * 1_000_000_000
        var (taken, missed, waits) = (0, 0, 0)
        var last: MediaTime?
        while HostClock.nanoseconds < end, !item.hasPlayedToEnd {
            let time = item.currentTime
            // The output returns a frame again until the next one is due.
            if let (_, start) = output.copyPixelBuffer(forItemTime: time), start != last {
                taken += 1
                if let last, start != last + Self.frame { missed += 1 }
                last = start
            }
            if taken > 0, player.timeControlStatus != .playing { waits += 1 }
            usleep(4000)
        }
        let statistics = item.statistics
        let expected = seconds * 30
        report.add(
            "cuts every 0.3 s of 1080p30, \(seconds) s",
            "\(taken) frames, \(missed) missed, \(statistics.droppedFrames) late, "
                + "\(statistics.audioUnderruns) underruns, \(statistics.stalls) stalls")
        report.require(
            missed == 0 && statistics.droppedFrames == 0 && statistics.audioUnderruns == 0
                && waits == 0, "frames were missed or late, or playback waited")
        // Playback begins a little after the measurement.
        report.require(
            (expected - 30...expected + 1).contains(taken), "\(taken) frames, not \(expected)")
    }
}
