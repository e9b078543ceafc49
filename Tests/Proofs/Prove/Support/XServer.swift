// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MediaTestSupport

/// An X server without a screen, whose pixels this process can read: they are in a file that is
/// mapped into memory.
///
/// - Concurrency: any thread. The server keeps writing while the pixels are read.
/// - Ownership: the server ends with this object, and by itself with its last client.
final class XServer: @unchecked Sendable {
    // Unchecked: everything is constant; the pixels are only read.

    static let width = 1280
    static let height = 720

    /// The value for `DISPLAY`.
    let display: String
    /// Four bytes a pixel: blue, green, red and one unused.
    let pixels: UnsafeRawBufferPointer
    let bytesPerRow: Int
    private let server: ChildProcess
    private let folder = TemporaryFolder()
    private let mapping: (address: UnsafeMutableRawPointer, size: Int)

    /// Starts a server, on a display number that it selects itself.
    ///
    /// - Parameter isLasting: whether it stays after its last client disconnects, for clients that
    ///   come and go before the first one that stays.
    init(isLasting: Bool = false) throws {
        guard ProcessRunner.has("Xvfb") else {
            throw CannotProve("Xvfb is missing; apt-get install xvfb")
        }
        server = try ChildProcess([
            "Xvfb", "-displayfd", "1", "-screen", "0", "\(Self.width)x\(Self.height)x24",
            "-nolisten", "tcp", "-fbdir", folder.url.path, isLasting ? "-noreset" : "-terminate",
            "+extension", "GLX",
        ])
        display = try Self.number(from: server)
        mapping = try Self.map(folder.appending("Xvfb_screen0").path)
        // The X window dump format (XWDFile.h): a header of big-endian words. Word 0 is its own
        // size, 12 the bytes of a row, 19 how many colours of 12 bytes follow it.
        let file = UnsafeRawPointer(mapping.address)
        func word(_ index: Int) -> Int {
            Int(UInt32(bigEndian: file.load(fromByteOffset: index * 4, as: UInt32.self)))
        }
        bytesPerRow = word(12)
        let start = word(0) + word(19) * 12
        guard word(11) == 32, start + bytesPerRow * Self.height <= mapping.size else {
            throw CannotProve("Xvfb stores its pixels in an unknown format")
        }
        pixels = UnsafeRawBufferPointer(start: file + start, count: bytesPerRow * Self.height)
    }

    deinit {
        munmap(mapping.address, mapping.size)
        server.signal()
        if server.wait(.seconds(3)) == nil { server.kill() }
    }

    private static func number(from server: ChildProcess) throws -> String {
        for _ in 0..<500 {
            let output = String(decoding: server.standardOutput, as: UTF8.self)
            if output.hasSuffix("\n") { return ":" + output.dropLast() }
            if server.hasEnded { break }
            usleep(20_000)
        }
        throw CannotProve("Xvfb does not start: \(server.standardError)")
    }

    private static func map(
        _ path: String
    ) throws -> (address: UnsafeMutableRawPointer, size: Int) {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { throw CannotProve("\(path): Xvfb did not make it") }
        defer { close(descriptor) }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        guard size > 100, let address = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0),
            address != MAP_FAILED
        else { throw CannotProve("\(path): cannot be mapped") }
        return (address, size)
    }
}
