// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadEditing

/// The files that remain when writing ends early.
struct WritingEnds {
    let folder: TemporaryFolder
    var random: SplitMix64

    private static let old = Data("the old file".utf8)
    private static let limit = 200.0

    private static func ownPath() throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    }

    private func emptyFolder(_ name: String) throws -> URL {
        let url = folder.appending(name)
        try? FileManager.default.removeItem(at: url)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        return url
    }

    /// Kills a writing process at random moments.
    mutating func kill(_ count: Int, _ report: inout Report) async throws {
        var (played, frames, early) = (0, 0, 0)
        for index in 0..<count {
            Progress.show("kill \(index + 1) of \(count)")
            let inner = try emptyFolder("killed")
            let file = inner.appending(path: "film.mp4")
            try Self.old.write(to: file)
            let child = try ChildProcess([try Self.ownPath(), "writing", "--endless", file.path])
            // From before the file is created to some seconds of it.
            usleep(UInt32.random(in: 0...1_200_000, using: &random))
            child.signal(SIGKILL)
            _ = child.wait()
            report.require(
                (try? Data(contentsOf: file)) == Self.old, "kill \(index): the old file changed")
            let written =
                String(decoding: child.standardOutput, as: UTF8.self)
                .split(separator: "\n").last.flatMap { Int($0) } ?? 0
            // A frame that begins a fragment completes the previous fragment.
            let whole = max(0, (written - 1) / WritingChild.fragment) * WritingChild.fragment
            guard whole > 0 else {
                early += 1
                continue
            }
            let part = inner.appending(path: "film.mp4.part")
            let numbers = (try? WritingFilm.numbers(part)) ?? []
            let expected = (0..<numbers.count).map { $0 % 200 }
            report.require(
                numbers.count >= whole && numbers == expected,
                "kill \(index): \(numbers.count) frames play of at least \(whole)")
            played += 1
            frames += numbers.count
        }
        report.add("processes killed", "\(count), \(early) before the first fragment")
        report.add("files that play to their last fragment", "\(played), \(frames) frames")
        report.require(played > count / 4, "only \(played) processes were killed while writing")
    }

    /// Cancels exports at random moments.
    mutating func cancel(_ count: Int, _ report: inout Report) async throws {
        let source = folder.appending("long.mkv")
        let settings = VideoOutputSettings(
            codec: .ffv1, width: 640, height: 360, sampleFormat: VideoSampleFormat(.yuv420),
            frameDuration: WritingFilm.period)
        let frames = (0..<8).map { WritingFilm.gray($0 * 20, width: 640, height: 360) }
        try await WritingFilm.write(
            source, settings, frames: (0..<1500).map { frames[$0 % frames.count] })
        // Measured again if other programs keep the processors from answering.
        for attempt in 1...3 {
            var trial = report
            let before = Machine.usage
            let (slowest, cancelled) = try await cancel(source, count, &trial)
            trial.add("exports cancelled", "\(cancelled) of \(count)")
            trial.add("slowest cancellation", String(format: "%.1f ms", slowest))
            trial.require(slowest <= Self.limit, "a cancellation took longer than 200 ms")
            trial.require(cancelled > 0, "no export was cancelled in time")
            let others = Machine.others(since: before)
            if slowest <= Self.limit || !others.isDisturbing || attempt == 3 {
                report = trial
                return
            }
            report.add("disturbed", "others used \(others); measured again")
        }
    }

    /// Cancels exports of a film. Returns the duration of the slowest cancellation, in
    /// milliseconds, and the number of exports that were cancelled before they were complete.
    private mutating func cancel(
        _ source: URL, _ count: Int, _ report: inout Report
    ) async throws -> (slowest: Double, cancelled: Int) {
        var (slowest, cancelled) = (0.0, 0)
        for index in 0..<count {
            Progress.show("cancellation \(index + 1) of \(count)")
            let inner = try emptyFolder("cancelled")
            let file = inner.appending(path: "film.mp4")
            try Self.old.write(to: file)
            let session = AssetExportSession(
                asset: URLAsset(url: source), preset: .highestQuality)
            session.replacesExistingFile = true
            let export = Task { try await session.export(to: file.path) }
            try await Task.sleep(
                for: .milliseconds(Int.random(in: 0...600, using: &random)))
            let start = ContinuousClock.now
            if index % 2 == 0 { session.cancelExport() } else { export.cancel() }
            var error: (any Error)?
            do { try await export.value } catch let thrown { error = thrown }
            let time = (ContinuousClock.now - start) / .milliseconds(1)
            guard let error else { continue }
            cancelled += 1
            slowest = max(slowest, time)
            report.require(
                (error as? MediaWritingError)?.code == .cancelled,
                "cancellation \(index): \(error)")
            let left = try FileManager.default.contentsOfDirectory(atPath: inner.path)
            report.require(
                left == ["film.mp4"] && (try? Data(contentsOf: file)) == Self.old,
                "cancellation \(index): \(left.sorted().joined(separator: ", ")) are left")
        }
        return (slowest, cancelled)
    }

    /// Writes a file that exceeds the system's limit. This must throw a typed error, keep the old
    /// file, and leave no other file.
    func exceedLimit(_ report: inout Report) async throws {
        let inner = try emptyFolder("limited")
        let file = inner.appending(path: "film.mov")
        try Self.old.write(to: file)
        // In units of 512 bytes: POSIX, ulimit -f.
        let result = try ProcessRunner.run([
            "sh", "-c", "ulimit -f 400; exec \"$0\" writing --limited \"$1\"", try Self.ownPath(),
            file.path,
        ])
        let last = result.text.split(separator: "\n").last.map(String.init) ?? ""
        report.add("a file beyond the limit of its size", last)
        report.require(
            last.hasPrefix("refused writeFailed") || last.hasPrefix("refused diskFull"),
            "a file beyond its limit: \(last), status \(result.status)")
        let left = try FileManager.default.contentsOfDirectory(atPath: inner.path)
        report.require(
            left == ["film.mov"] && (try? Data(contentsOf: file)) == Self.old,
            "a file beyond its limit leaves \(left.sorted().joined(separator: ", "))")
    }

    /// Writes to a file system of 256 KiB until it is full.
    func fillDisk(_ report: inout Report) async throws {
        let inner = try emptyFolder("full")
        // In a namespace of its own, so that the mount is seen by these processes only.
        let script = """
            mount -t tmpfs -o size=256k none "$1" || exit 77
            printf old >"$1/film.mp4"
            "$0" writing --limited "$1/film.mp4"
            [ "$(cat "$1/film.mp4")" = old ] || echo "the old file is gone"
            [ "$(ls -A "$1")" = film.mp4 ] || echo "left: $(ls -A "$1")"
            """
        let result = try ProcessRunner.run([
            "unshare", "-m", "sh", "-c", script, try Self.ownPath(), inner.path,
        ])
        let lines = result.text.split(separator: "\n").filter { Int($0) == nil }
        guard result.status != 77, !lines.isEmpty else {
            report.add("a full disk", "not tried: no right to mount a file system")
            return
        }
        report.add("a full disk", lines.joined(separator: "; "))
        report.require(
            lines.count == 1 && lines[0].hasPrefix("refused diskFull"),
            "a full disk: \(lines.joined(separator: "; "))")
    }

    /// Removes a folder while a file in it is written.
    func removeFolder(_ report: inout Report) async throws {
        let inner = try emptyFolder("vanishing")
        let writer = try AssetWriter(path: inner.appending(path: "film.mkv").path)
        let input = AssetWriterInput(
            video: VideoOutputSettings(
                codec: .ffv1, width: 320, height: 240, sampleFormat: VideoSampleFormat(.yuv420),
                frameDuration: WritingFilm.period))
        try writer.add(input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: MediaTime.zero)
        var code: MediaWritingError.Code?
        do {
            for number in 0..<50 {
                if number == 25 { try FileManager.default.removeItem(at: inner) }
                try await input.append(WritingFilm.gray(number), at: WritingFilm.time(number))
            }
            try await writer.finishWriting()
        } catch let error as MediaWritingError {
            code = error.code
        }
        report.add("a folder that vanishes", code.map { "\($0)" } ?? "no error")
        report.require(
            code == .writeFailed, "a folder that vanishes: \(code.map { "\($0)" } ?? "no error")")
    }
}
