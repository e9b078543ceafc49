// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadWriting

/// Output files: there is a complete one, or the old one.
@Suite struct WritingFileTests {
    private let folder = TemporaryFolder()
    private let manager = FileManager.default

    private func contents() throws -> [String] {
        try manager.contentsOfDirectory(atPath: folder.url.path).sorted()
    }

    @Test func `a file has a temporary name until it is finished`() async throws {
        let url = folder.appending("out.mkv")
        let writer = try WritingSupport.writer(url)
        let input = AssetWriterInput(video: WritingSupport.settings())
        try writer.add(input)
        #expect(try contents().isEmpty)
        try writer.startWriting()
        #expect(try contents() == ["out.mkv.part"])
        try writer.startSession(atSourceTime: .zero)
        try await input.append(WritingSupport.gray(0), at: .zero)
        try await writer.finishWriting()
        #expect(try contents() == ["out.mkv"])
        #expect(writer.status == .completed)
    }

    @Test func `an existing file is refused, or replaced with its mode kept`() async throws {
        let url = folder.appending("out.mkv")
        try Data("old".utf8).write(to: url)
        try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: url.path)
        #expect(
            await WritingSupport.code { try await WritingSupport.write(url) } == .fileExists)
        #expect(try Data(contentsOf: url) == Data("old".utf8))
        #expect(try contents() == ["out.mkv"])
        try await WritingSupport.write(url) { writer, _ in writer.replacesExistingFile = true }
        #expect(try WritingSupport.frames(url).count == 10)
        let mode = try manager.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        #expect(mode == 0o640)
    }

    @Test func `a file that appears while another is written is not replaced`() async throws {
        let url = folder.appending("out.mkv")
        let writer = try WritingSupport.writer(url)
        let input = AssetWriterInput(video: WritingSupport.settings())
        try writer.add(input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        try await input.append(WritingSupport.gray(0), at: .zero)
        try Data("new".utf8).write(to: url)
        #expect(await WritingSupport.code { try await writer.finishWriting() } == .fileExists)
        #expect(try Data(contentsOf: url) == Data("new".utf8))
        #expect(try contents() == ["out.mkv"])
    }

    @Test func `an input is never overwritten, whatever its name`() async throws {
        let source = folder.appending("in.mkv")
        try await WritingSupport.write(source)
        let before = try Data(contentsOf: source)
        let other = folder.appending("other.mkv")
        try manager.linkItem(at: source, to: other)
        let link = folder.appending("link.mkv")
        try manager.createSymbolicLink(at: link, withDestinationURL: source)
        for url in [source, other, link] {
            let code = await WritingSupport.code {
                try await WritingSupport.write(url) { writer, _ in
                    writer.replacesExistingFile = true
                    writer.sourcePaths = [source.path]
                }
            }
            #expect(code == .outputIsInput, "\(url.lastPathComponent)")
        }
        #expect(try Data(contentsOf: source) == before)
    }

    @Test(arguments: [true, false])
    func `symbolic links are preserved and their target replaced, even a missing one`(
        exists: Bool
    ) async throws {
        try manager.createDirectory(
            at: folder.appending("films"), withIntermediateDirectories: false)
        if exists { try Data("old".utf8).write(to: folder.appending("films/a.mkv")) }
        let link = folder.appending("link.mkv")
        try manager.createSymbolicLink(
            atPath: folder.appending("films/link.mkv").path, withDestinationPath: "a.mkv")
        try manager.createSymbolicLink(
            atPath: link.path, withDestinationPath: "films/link.mkv")
        try await WritingSupport.write(link) { writer, _ in writer.replacesExistingFile = true }
        #expect(try manager.destinationOfSymbolicLink(atPath: link.path) == "films/link.mkv")
        #expect(try WritingSupport.frames(folder.appending("films/a.mkv")).count == 10)
        #expect(try contents() == ["films", "link.mkv"])
        #expect(
            try manager.contentsOfDirectory(atPath: folder.appending("films").path).sorted()
                == ["a.mkv", "link.mkv"])
    }

    @Test func `a folder, a pipe and a missing folder are refused with a sentence`() async throws {
        let directory = folder.appending("folder.mkv")
        try manager.createDirectory(at: directory, withIntermediateDirectories: false)
        let pipe = folder.appending("pipe.mkv")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        for url in [directory, pipe, folder.appending("missing/out.mkv")] {
            let error = await #expect(throws: MediaWritingError.self) {
                try await WritingSupport.write(url) { writer, _ in
                    writer.replacesExistingFile = true
                }
            }
            #expect(error?.code == .cannotCreate)
            #expect(error?.subject == url.path)
            #expect(error?.remedy.isEmpty == false)
        }
    }

    @Test func `a name that is too long for the ending is written nevertheless`() async throws {
        let name = String(repeating: "n", count: 251) + ".mkv"
        let url = folder.appending(name)
        try await WritingSupport.write(url)
        #expect(try contents() == [name])
        #expect(try WritingSupport.frames(url).count == 10)
    }

    @Test func `a name that is too long for the file system is refused with a remedy`() async {
        let url = folder.appending(String(repeating: "n", count: 256) + ".mkv")
        let error = await #expect(throws: MediaWritingError.self) {
            try await WritingSupport.write(url)
        }
        #expect(error?.code == .cannotCreate)
        #expect(error?.remedy == "use a shorter name")
    }

    @Test func `two writers on one path that is too long for the ending both succeed`()
        async throws
    {
        let name = String(repeating: "n", count: 251) + ".mkv"
        let url = folder.appending(name)
        let writers = try (0..<2).map { _ in
            let writer = try WritingSupport.writer(url)
            writer.replacesExistingFile = true
            return (writer, AssetWriterInput(video: WritingSupport.settings()))
        }
        for (writer, input) in writers {
            try writer.add(input)
            try writer.startWriting()
            try writer.startSession(atSourceTime: .zero)
        }
        #expect(try contents().count == 2)
        for (count, (writer, input)) in writers.enumerated() {
            for number in 0...count {
                try await input.append(WritingSupport.gray(number), at: WritingSupport.time(number))
            }
            try await writer.finishWriting()
            #expect(try WritingSupport.frames(url).count == count + 1)
        }
        #expect(try contents() == [name])
    }

    @Test func `two writers on one path and a stale temporary file do not disturb`() async throws {
        let url = folder.appending("out.mkv")
        let stale = folder.appending("out.mkv.part")
        try Data("stale".utf8).write(to: stale)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    try await WritingSupport.write(url) { writer, _ in
                        writer.replacesExistingFile = true
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try contents() == ["out.mkv", "out.mkv.part"])
        #expect(try Data(contentsOf: stale) == Data("stale".utf8))
        #expect(try WritingSupport.frames(url).count == 10)
    }

    /// The capacities end the file in its header, in the middle, and in its index.
    @Test(arguments: [100, 5_000, 20_000, 40_000])
    func `a full disk is a typed error and leaves the old file`(capacity: Int64) async throws {
        let url = folder.appending("out.mp4")
        try Data("old".utf8).write(to: url)
        let code = await WritingSupport.code {
            let writer = try WritingSupport.writer(url)
            writer.replacesExistingFile = true
            writer.shouldOptimizeForNetworkUse = true
            writer.diskCapacity = capacity
            var settings = WritingSupport.settings(.motionJPEG, width: 320, height: 240)
            settings.color.range = .full
            let input = AssetWriterInput(video: settings)
            try writer.add(input)
            try writer.startWriting()
            try writer.startSession(atSourceTime: .zero)
            for number in 0..<60 {
                let frame = WritingSupport.frame(.yuv420p, width: 320, height: 240) { _, x, y in
                    (x * y * (number + 3)) & 255
                }
                try await input.append(frame, at: WritingSupport.time(number))
            }
            try await writer.finishWriting()
        }
        #expect(code == .diskFull)
        #expect(try Data(contentsOf: url) == Data("old".utf8))
        #expect(try await settled() == ["out.mp4"])
    }

    /// The second pass moves the samples back by the size of the index, so it writes beyond them.
    @Test func `a disk that is full when the index is moved is a typed error`() async throws {
        let url = folder.appending("out.mp4")
        func write(capacity: Int64?) async throws {
            try await WritingSupport.write(url, count: 60, codec: .h264) { writer, _ in
                writer.replacesExistingFile = true
                writer.shouldOptimizeForNetworkUse = true
                writer.diskCapacity = capacity
            }
        }
        try await write(capacity: nil)
        let complete = try Data(contentsOf: url)
        let samples = try #require(complete.range(of: Data("mdat".utf8))?.lowerBound)
        let index = try #require(complete.range(of: Data("moov".utf8))?.lowerBound)
        #expect(index < samples)
        let indexSize = complete[(index - 4)..<index].reduce(0) { $0 << 8 | Int64($1) }
        // Without the pass, the file ends with its samples at this place, and an index follows. An
        // encoder may need a few bytes more or fewer another time.
        let size = Int64(complete.count)
        for capacity in [size - indexSize / 4, size - indexSize / 2, size - indexSize * 3 / 4] {
            let code = await WritingSupport.code { try await write(capacity: capacity) }
            #expect(code == .diskFull, "\(capacity) of \(size) bytes")
            #expect(try Data(contentsOf: url) == complete)
            #expect(try await settled() == ["out.mp4"])
        }
    }

    @Test(arguments: [
        (true, ENOSPC, MediaWritingError.Code.diskFull), (true, EIO, .writeFailed),
        (false, EDQUOT, .diskFull), (false, EIO, .writeFailed),
    ])
    func `a disk that fails when the file is complete is a typed error`(
        isSynchronizing: Bool, error: Int32, expected: MediaWritingError.Code
    ) async throws {
        let url = folder.appending("out.mkv")
        try Data("old".utf8).write(to: url)
        let code = await WritingSupport.code {
            try await WritingSupport.write(url) { writer, _ in
                writer.replacesExistingFile = true
                if isSynchronizing {
                    writer.completion.synchronize = { _ in
                        errno = error
                        return -1
                    }
                } else {
                    // Linux releases the descriptor in any case: close(2).
                    writer.completion.close = {
                        close($0)
                        errno = error
                        return -1
                    }
                }
            }
        }
        #expect(code == expected)
        #expect(try Data(contentsOf: url) == Data("old".utf8))
        #expect(try await settled() == ["out.mkv"])
    }

    @Test func `a folder that vanishes is a typed error`() async throws {
        let inner = folder.appending("inner")
        try manager.createDirectory(at: inner, withIntermediateDirectories: false)
        let writer = try WritingSupport.writer(inner.appending(path: "out.mkv"))
        let input = AssetWriterInput(video: WritingSupport.settings())
        try writer.add(input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        try await input.append(WritingSupport.gray(0), at: .zero)
        try manager.removeItem(at: inner)
        #expect(await WritingSupport.code { try await writer.finishWriting() } == .writeFailed)
    }

    @Test func `a cancelled file and a released writer leave nothing`() async throws {
        let url = folder.appending("out.mp4")
        try Data("old".utf8).write(to: url)
        let writer = try WritingSupport.writer(url)
        writer.replacesExistingFile = true
        let input = AssetWriterInput(video: WritingSupport.settings(.h264))
        try writer.add(input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        try await input.append(WritingSupport.gray(0), at: .zero)
        writer.cancelWriting()
        #expect(try contents() == ["out.mp4"])
        #expect(writer.status == .cancelled)
        #expect(
            await WritingSupport.code {
                try await input.append(WritingSupport.gray(1), at: WritingSupport.time(1))
            } == .cancelled)
        func release() throws {
            let writer = try WritingSupport.writer(url)
            writer.replacesExistingFile = true
            let input = AssetWriterInput(video: WritingSupport.settings(.h264))
            try writer.add(input)
            try writer.startWriting()
        }
        try release()
        #expect(try contents() == ["out.mp4"])
        #expect(try Data(contentsOf: url) == Data("old".utf8))
    }

    /// The contents once the writing thread has removed its file.
    private func settled() async throws -> [String] {
        while try contents().contains(where: { $0.hasSuffix(".part") }) { await Task.yield() }
        return try contents()
    }
}
