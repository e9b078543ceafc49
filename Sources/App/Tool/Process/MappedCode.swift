// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The libraries whose code is mapped into the process.
///
/// A driver that compiles shaders with LLVM reads about 50 MB of code when the first context is
/// created. That memory can be released if shaders are seldom compiled: code does not change, so
/// the system reads it from the file again when it is executed.
///
/// - Corresponds to: `/proc/self/maps` of proc(5), `MADV_DONTNEED` of madvise(2).
struct MappedCode {
    private struct Mapping {
        var file: String
        var address: UInt
        var byteCount: Int

        func release() {
            madvise(UnsafeMutableRawPointer(bitPattern: address), byteCount, MADV_DONTNEED)
        }
    }

    private let files: Set<String>

    /// Records the libraries that are mapped now.
    init() { files = Set(Self.mappings().map(\.file)) }

    /// Releases the memory of the code that was mapped since.
    func releaseNewer() {
        for mapping in Self.mappings() where !files.contains(mapping.file) {
            mapping.release()
        }
    }

    /// Releases the memory of the code of a library in all of its versions, such as `libLLVM`. Its
    /// functions may be running.
    static func release(_ library: String) {
        for mapping in mappings()
        where mapping.file.split(separator: "/").last?.hasPrefix(library) == true {
            mapping.release()
        }
    }

    /// Releases the memory of the code of this program. Much of it runs at the start only; what is
    /// still needed returns from the system's cache of files.
    static func releaseOwn() {
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        for mapping in mappings() where mapping.file == program { mapping.release() }
    }

    /// Returns the mappings of code in files. Data is left out, because it may have been changed.
    private static func mappings() -> [Mapping] {
        guard let data = try? FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd() else {
            return []
        }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line in
            // The range, the permissions, the offset, the device, the inode and the file.
            let fields = line.split(separator: " ", maxSplits: 5)
            let range = fields.first?.split(separator: "-").compactMap { UInt($0, radix: 16) } ?? []
            guard fields.count == 6, fields[1] == "r-xp", range.count == 2 else { return nil }
            let file = fields[5].drop { $0 == " " }
            guard file.hasPrefix("/") else { return nil }
            return Mapping(
                file: String(file), address: range[0], byteCount: Int(range[1] - range[0]))
        }
    }
}
