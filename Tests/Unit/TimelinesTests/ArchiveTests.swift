// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import Testing

@testable import PlayheadTimelines

/// Timelines and media in archives (`.otioz`), and archives that state what is not so.
@Suite struct ArchiveTests {
    private let folder = TemporaryFolder()

    private func write(_ archive: TestArchive) throws -> String {
        let url = folder.appending("\(UUID().uuidString).otioz")
        try archive.write(to: url)
        return url.path
    }

    private func content(_ url: String) -> [UInt8] {
        Array(
            TimelineText.timeline([
                TimelineText.track([TimelineText.clip("a", TimelineText.range(0, 5), url: url)])
            ]).utf8)
    }

    /// Returns the error with which the content of an entry is refused.
    private func refusal(
        of name: String = "x", in archive: TestArchive, limit: Int64 = 1000
    ) throws -> MediaError? {
        let archive = try ZipArchive(path: try write(archive))
        var error: MediaError?
        do throws(MediaError) {
            _ = try archive.content(of: name, limit: limit)
        } catch let thrown {
            error = thrown
        }
        return error
    }

    private func read(_ source: any MediaDataSource) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 100_000)
        var count = 0
        while true {
            let read = try bytes.withUnsafeMutableBytes { buffer in
                try source.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...].prefix(7)),
                    at: Int64(count), isCancelled: { false })
            }
            if read == 0 { return Array(bytes[..<count]) }
            count += read
        }
    }

    // MARK: - Names

    @Test func `an archive reaches its own entries and nothing else`() throws {
        let path = try write(
            TestArchive([
                ("content.otio", content("media/a.mov")), ("media/a.mov", [1, 2, 3]),
            ]))
        let timeline = try Timeline(path: path)
        #expect(
            timeline.tracks[0].clips[0].media == .archive(path: path, entry: "media/a.mov"))
        try Data([1]).write(to: folder.appending("secret.mov"))
        let secret = folder.appending("secret.mov").path
        for url in ["../../secret.mov", "secret.mov", "/etc/passwd", secret, "file://\(secret)"] {
            let path = try write(TestArchive([("content.otio", content(url))]))
            let timeline = try Timeline(path: path)
            #expect(timeline.tracks[0].clips[0].media == .missing, "\(url)")
            #expect(timeline.notes.count == 1, "\(url)")
        }
    }

    @Test(arguments: ["../a.mov", "media/../../a.mov", "/etc/passwd", ".."])
    func `an entry whose name leads out of the archive is refused`(name: String) throws {
        let archive = TestArchive([("content.otio", content(name)), (name, [1, 2, 3])])
        let path = try write(archive)
        #expect(throws: MediaError.self) { try ZipArchive(path: path).dataSource(of: name) }
        #expect(try refusal(of: name, in: archive)?.code == .notAllowed)
        // The rest of the archive is usable.
        #expect(try Timeline(path: path).tracks[0].clips.count == 1)
    }

    @Test func `an entry with the name of another one is refused`() throws {
        let twice = TestArchive([("x", [1]), ("y", [2]), ("x", [3])])
        let error = try refusal(in: twice)
        #expect(error?.code == .damaged && error?.cause == "several entries have this name")
        #expect(try refusal(of: "y", in: twice) == nil)
        let archive = TestArchive([
            ("content.otio", content("a")), ("content.otio", content("b")),
        ])
        let path = try write(archive)
        #expect(throws: MediaError.self) { try Timeline(path: path) }
    }

    @Test func `links, encrypted entries and unknown methods are refused`() throws {
        let plain = TestArchive.Entry("x", [1, 2, 3])
        var (link, encrypted, unknown) = (plain, plain, plain)
        link.mode = 0xA1FF
        encrypted.flags = 1
        unknown.method = 12
        for entry in [link, encrypted, unknown] {
            #expect(try refusal(in: TestArchive([entry]))?.code == .notAllowed)
        }
        #expect(try refusal(in: TestArchive([plain])) == nil)
        #expect(try refusal(of: "none", in: TestArchive([plain]))?.code == .cannotOpen)
    }

    // MARK: - Sizes

    @Test func `an entry is read if it has the stated size`() throws {
        let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let archive = TestArchive([
            .init("stored", bytes),
            .init("deflated", deflated: TestArchive.deflated(bytes), size: 300),
            .init("zeros", deflated: TestArchive.deflatedZeros(repeats: 3), size: 775),
            .init("empty", []),
            .init("nothing", deflated: TestArchive.deflated([]), size: 0),
        ])
        let opened = try ZipArchive(path: try write(archive))
        let expected = [
            "stored": bytes, "deflated": bytes, "zeros": [UInt8](repeating: 0, count: 775),
            "empty": [], "nothing": [],
        ]
        for (name, bytes) in expected {
            #expect(try opened.content(of: name, limit: 1000) == bytes, "\(name)")
            #expect(try read(opened.dataSource(of: name)) == bytes, "\(name)")
        }
    }

    @Test func `a stored entry that states another size than it has is refused`() throws {
        for size in [0, 9, 11, 1000, 1_000_000_000] {
            var entry = TestArchive.Entry("x", [UInt8](repeating: 1, count: 10))
            entry.size = size
            let path = try write(TestArchive([entry]))
            #expect(try refusal(in: TestArchive([entry]), limit: .max)?.code == .damaged)
            #expect(throws: MediaError.self) { try ZipArchive(path: path).dataSource(of: "x") }
        }
    }

    @Test func `the limit counts what is read, whatever size is stated`() throws {
        let bytes = [UInt8](repeating: 1, count: 2000)
        var lie = TestArchive.Entry("x", deflated: TestArchive.deflated(bytes), size: 10)
        for size in [10, 1000, 2000] {
            lie.size = size
            #expect(try refusal(in: TestArchive([lie]))?.code == .limitExceeded)
        }
        #expect(try refusal(in: TestArchive([("x", bytes)]))?.code == .limitExceeded)
        #expect(try refusal(in: TestArchive([("x", bytes)]), limit: 2000) == nil)
    }

    @Test func `a timeline of 400 MiB is refused before it is read`() throws {
        // A hole of this size takes no space on disk.
        let count = 400 << 20
        var entry = TestArchive.Entry("content.otio", [])
        (entry.size, entry.packedSize) = (10, count)
        let bytes = TestArchive([entry]).bytes
        let head = 30 + "content.otio".utf8.count
        let url = folder.appending("hole.otioz")
        try Data(bytes[..<head]).write(to: url)
        let file = try FileHandle(forWritingTo: url)
        try file.truncate(atOffset: UInt64(head + count))
        try file.seekToEnd()
        var end = Array(bytes[head...])
        let directory = head + count
        for index in 0..<4 {
            end[end.count - 6 + index] = UInt8(truncatingIfNeeded: directory >> (8 * index))
        }
        try file.write(contentsOf: Data(end))
        try file.close()
        let error = #expect(throws: MediaError.self) { try Timeline(path: url.path) }
        #expect(error?.code == .damaged || error?.code == .limitExceeded)
        #expect(error?.subject.hasSuffix("entry content.otio") == true)
    }

    @Test func `data that unpacks to another size than stated is refused`() throws {
        // 2.5 MiB in 16 KB.
        let zeros = TestArchive.deflatedZeros(repeats: 10_000)
        for size in [0, 1, 100, 2_580_000, 2_580_002, 9_000_000] {
            let archive = TestArchive([.init("x", deflated: zeros, size: size)])
            #expect(try refusal(in: archive, limit: 10_000_000)?.code == .damaged, "\(size)")
            let path = try write(archive)
            #expect(throws: MediaError.self) { try ZipArchive(path: path).dataSource(of: "x") }
        }
        let archive = TestArchive([.init("x", deflated: zeros, size: 2_580_001)])
        #expect(try refusal(in: archive, limit: 10_000_000) == nil)
        #expect(try refusal(in: archive)?.code == .limitExceeded)
    }

    @Test func `a size that deflate cannot reach is refused before memory is reserved`() throws {
        let archive = TestArchive([
            .init("x", deflated: TestArchive.deflatedZeros(repeats: 3), size: 0xFFFF_FFF0)
        ])
        let error = try refusal(in: archive, limit: .max)
        #expect(error?.code == .damaged)
        #expect(error?.cause.hasPrefix("its stated size, 4294967280 bytes, cannot be") == true)
    }

    @Test func `data that is no deflate stream is refused`() throws {
        let archive = TestArchive([
            .init("x", deflated: content("x"), size: 1 << 10),
            .init("y", deflated: [], size: 5),
            .init("z", deflated: Array(TestArchive.deflatedZeros(repeats: 9).dropLast(4)), size: 5),
        ])
        for name in ["x", "y", "z"] {
            #expect(try refusal(of: name, in: archive, limit: 2000)?.code == .damaged, "\(name)")
        }
    }

    @Test func `compressed media is in memory up to a limit in total, and given back`() throws {
        let zeros = TestArchive.deflatedZeros(repeats: 3)
        var archive = TestArchive([("plain", [1])])
        for index in 0..<4 {
            archive.entries.append(.init("\(index)", deflated: zeros, size: 775))
        }
        let opened = try ZipArchive(path: try write(archive), unpackedLimit: 1600)
        var sources = [try opened.dataSource(of: "0"), try opened.dataSource(of: "1")]
        let error = #expect(throws: MediaError.self) { try opened.dataSource(of: "2") }
        #expect(error?.code == .limitExceeded)
        #expect(error?.remedy == "bundle the media without compression")
        // What is not compressed is read in place.
        _ = try opened.dataSource(of: "plain")
        // Another reader of an entry shares its memory.
        sources.append(try opened.dataSource(of: "1"))
        sources.removeFirst()
        _ = try opened.dataSource(of: "3")
        #expect(sources.count == 2)
    }

    @Test func `all media of an archive is read through one open file`() throws {
        let path = try write(TestArchive([("x", [1]), ("y", [2])]))
        let archives = OpenArchives()
        #expect(try archives.archive(at: path) === archives.archive(at: path))
    }

    // MARK: - Damage

    @Test func `an archive that is cut off anywhere is refused`() throws {
        let path = try write(
            TestArchive([("content.otio", content("x")), ("media/x", [1, 2, 3])]))
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for count in stride(from: 2, to: whole.count - 1, by: 37) {
            try whole.prefix(count).write(to: URL(fileURLWithPath: path))
            #expect(throws: MediaError.self) { try Timeline(path: path) }
        }
    }

    @Test func `a directory that is shorter or longer than stated is refused`() throws {
        let good = TestArchive([("content.otio", content("x")), ("media/x", [1, 2, 3])])
        var (few, many, short, long) = (good, good, good, good)
        (few.entryCount, many.entryCount) = (0, 3)
        (short.directoryLength, long.directoryLength) = (60, 1_000_000)
        for archive in [few, many, short, long] {
            let path = try write(archive)
            #expect(throws: MediaError.self) { try Timeline(path: path) }
        }
        var far = good
        far.entries[0].offset = 0x7FFF_FFFF
        let path = try write(far)
        #expect(throws: MediaError.self) { try Timeline(path: path) }
    }

    @Test func `sizes of 64 bits are checked like others`() throws {
        var entry = TestArchive.Entry("x", [1, 2, 3])
        entry.largeSizes = (3, 3)
        #expect(try refusal(in: TestArchive([entry])) == nil)
        for (size, packedSize) in [
            (4, 4), (3, .max), (.max, .max), (-1, -1), (3, -1), (-1, 3), (.min, .min), (4, 3),
        ] {
            entry.largeSizes = (size, packedSize)
            for method in [0, 8] {
                entry.method = method
                #expect(
                    try refusal(in: TestArchive([entry]), limit: .max)?.code == .damaged,
                    "\(size), \(packedSize)")
                let path = try write(TestArchive([entry]))
                #expect(throws: MediaError.self) { try ZipArchive(path: path).dataSource(of: "x") }
            }
            entry.method = 0
        }
    }

    @Test func `a directory of 64 bits that leads outside is refused`() throws {
        let plain = TestArchive([("x", [1, 2, 3])]).bytes
        let (body, end) = (Array(plain.dropLast(22)), Array(plain.suffix(22)))
        let number = TestArchive.number
        let length = body.count - 34
        func archive(
            count: Int = 1, length: Int? = nil, offset: Int = 34, place: Int? = nil,
            signature: Int = 0x0606_4B50
        ) throws -> ZipArchive {
            let record: [[UInt8]] = [
                number(signature, 4), number(44, 8), number(45, 2), number(45, 2), number(0, 8),
                number(count, 8), number(count, 8), number(length ?? (body.count - 34), 8),
                number(offset, 8),
            ]
            let locator: [[UInt8]] = [
                number(0x0706_4B50, 4), number(0, 4), number(place ?? body.count, 8), number(1, 4),
            ]
            let url = folder.appending("\(UUID().uuidString).otioz")
            try Data(body + record.joined() + locator.joined() + end).write(to: url)
            return try ZipArchive(path: url.path)
        }
        #expect(try archive().content(of: "x") == [1, 2, 3])
        for count in [-1, 2, 1_000_000, .max] {
            #expect(throws: MediaError.self) { try archive(count: count) }
        }
        for value in [-1, length + 200, 1 << 40, .max, .min] {
            #expect(throws: MediaError.self) { try archive(length: value) }
            #expect(throws: MediaError.self) { try archive(offset: value) }
            #expect(throws: MediaError.self) { try archive(place: value) }
        }
        #expect(throws: MediaError.self) { try archive(signature: 1) }
    }

    @Test func `an archive with any byte changed is read or refused`() throws {
        let good = TestArchive([
            .init("content.otio", content("media/x")), .init("media/x", [1, 2, 3]),
            .init("media/y", deflated: TestArchive.deflatedZeros(repeats: 3), size: 775),
        ]).bytes
        let url = folder.appending("changed.otioz")
        var random = SplitMix64(seed: 30)
        for _ in 0..<400 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                    [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
            }
            try Data(bytes).write(to: url)
            guard let archive = try? ZipArchive(path: url.path) else { continue }
            for name in ["content.otio", "media/x", "media/y"] {
                if let content = try? archive.content(of: name) { #expect(content.count < 2000) }
                _ = try? archive.dataSource(of: name)
            }
            _ = try? Timeline(path: url.path)
        }
    }
}
