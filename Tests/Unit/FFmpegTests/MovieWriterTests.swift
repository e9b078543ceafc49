// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime
import Testing

/// The location of written files, before and after they are complete.
@Suite struct MovieWriterTests {
    private let folder = TemporaryFolder()
    private let manager = FileManager.default

    static let settings = MovieSettings(
        codec: .ffv1, width: 16, height: 16, timescale: 10,
        frameDuration: MediaTime(value: 1, timescale: 10))

    private func contents() throws -> [String] {
        try manager.contentsOfDirectory(atPath: folder.url.path).sorted()
    }

    /// Writes a video of one frame; returns all files that exist meanwhile.
    @discardableResult
    private func write(_ name: String, finishing: Bool = true) throws -> [String] {
        let writer = try MovieWriter(folder.appending(name).path, settings: Self.settings)
        let gray = [UInt8](repeating: 128, count: 16 * 16 * 4)
        try writer.append(RGBAImage(width: 16, height: 16, bytes: gray), at: .zero)
        let contents = try contents()
        if finishing { try writer.finish() }
        return contents
    }

    private func isFilm(_ name: String) -> Bool {
        (try? ImageFile.read(folder.appending(name).path)) != nil
    }

    @Test func `an output file is temporary until it is complete, and is removed otherwise`() throws
    {
        #expect(try write("out.mkv", finishing: false) == ["out.mkv.part"])
        #expect(try contents().isEmpty)
        #expect(try write("out.mkv") == ["out.mkv.part"])
        #expect(try contents() == ["out.mkv"])
        #expect(isFilm("out.mkv"))
    }

    @Test func `an image of another size, and one after the end, are misuse`() async {
        await #expect(processExitsWith: .failure) {
            let folder = TemporaryFolder()
            let writer = try? MovieWriter(
                folder.appending("out.mkv").path, settings: MovieWriterTests.settings)
            let image = RGBAImage(
                width: 8, height: 8, bytes: [UInt8](repeating: 0, count: 8 * 8 * 4))
            try? writer?.append(image, at: .zero)
        }
        await #expect(processExitsWith: .failure) {
            let folder = TemporaryFolder()
            let writer = try? MovieWriter(
                folder.appending("out.mkv").path, settings: MovieWriterTests.settings)
            try? writer?.finish()
            let image = RGBAImage(
                width: 16, height: 16, bytes: [UInt8](repeating: 0, count: 16 * 16 * 4))
            try? writer?.append(image, at: .zero)
        }
    }

    @Test func `an existing file with the temporary name is unchanged`() throws {
        let foreign = folder.appending("out.mkv.part")
        try Data("mine".utf8).write(to: foreign)
        try write("out.mkv", finishing: false)
        try write("out.mkv")
        #expect(try contents() == ["out.mkv", "out.mkv.part"])
        #expect(try Data(contentsOf: foreign) == Data("mine".utf8))
        #expect(isFilm("out.mkv"))
    }

    @Test(arguments: [true, false])
    func `a symbolic link is preserved, even without a target`(exists: Bool) throws {
        try manager.createDirectory(
            at: folder.appending("films"), withIntermediateDirectories: false)
        if exists { try Data("before".utf8).write(to: folder.appending("films/a.mkv")) }
        try manager.createSymbolicLink(
            atPath: folder.appending("films/link.mkv").path, withDestinationPath: "a.mkv")
        try manager.createSymbolicLink(
            atPath: folder.appending("out.mkv").path,
            withDestinationPath: "films/link.mkv")
        try write("out.mkv")
        #expect(try contents() == ["films", "out.mkv"])
        #expect(
            try manager.destinationOfSymbolicLink(atPath: folder.appending("out.mkv").path)
                == "films/link.mkv")
        #expect(
            try manager.contentsOfDirectory(atPath: folder.appending("films").path).sorted()
                == ["a.mkv", "link.mkv"])
        #expect(isFilm("films/a.mkv"))
    }

    @Test func `a file that cannot be created is reported`() throws {
        let error = #expect(throws: MediaError.self) { try write("nowhere/out.mkv") }
        #expect(error?.code == .cannotOpen)
        #expect(error?.subject == folder.appending("nowhere/out.mkv").path)
    }
}
