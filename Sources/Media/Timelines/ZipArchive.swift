// SPDX-License-Identifier: Apache-2.0

import CPlayheadZlib
import Glibc
package import PlayheadAssets
import Synchronization

/// The entries of a ZIP file. Nothing is unpacked to disk. Entries are read in place, or into
/// memory up to a size limit.
///
/// No size in the file is trusted: before an entry is read, its sizes must agree with each other,
/// with the length of the file and with the limit. Unpacking ends at the stated size.
///
/// - Concurrency: any thread.
/// - Corresponds to: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 and 4.5.3 (ZIP64).
package final class ZipArchive: Sendable {
    struct Entry {
        var method: Int
        var flags: Int
        var packedSize: Int64
        var size: Int64
        var headerOffset: Int64
        var isSymbolicLink: Bool
        /// A Boolean value that indicates whether another entry has the same name, so that it is
        /// unclear which one is meant.
        var isRepeated = false
    }

    package let path: String
    private let source: FileDescriptorDataSource
    private let entries: [String: Entry]
    /// The offset of the directory, before which all entries are.
    private let dataEnd: Int64
    /// The maximum total size of the unpacked entries that are in memory, in bytes.
    private let unpackedLimit: Int64
    /// The total size of the unpacked entries that are in memory, in bytes.
    private let unpackedCount = Mutex(Int64(0))

    /// The unpacked entries, which all readers share while one of them uses them.
    private let unpacked = Mutex<[String: Unpacked]>([:])

    private struct Unpacked {
        weak var source: UnpackedEntrySource?
    }

    /// The maximum number of entries, and the maximum size of unpacked entries in memory.
    private static let maximumEntries = 100_000
    private static let maximumDirectory = Int64(64 << 20)
    package static let maximumUnpacked = Int64(256 << 20)
    /// The maximum expansion of deflate: two bits stand for 258 bytes.
    private static let maximumExpansion = Int64(1032)

    /// Opens a file and reads its directory.
    ///
    /// - Parameter unpackedLimit: The maximum total size of the compressed entries that are in
    ///   memory at a time, in bytes.
    package init(
        path: String, unpackedLimit: Int64 = maximumUnpacked
    ) throws(MediaError) {
        self.path = path
        self.unpackedLimit = unpackedLimit
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw MediaError(
                .cannotOpen, subject: path, cause: String(cString: strerror(errno)),
                remedy: "check that it can be read")
        }
        source = FileDescriptorDataSource(owning: descriptor, subject: path)
        (entries, dataEnd) = try Self.directory(of: source, source.byteCount ?? 0, path)
    }

    package func contains(_ name: String) -> Bool { entries[name] != nil }

    // MARK: - The directory

    private static func directory(
        of source: FileDescriptorDataSource, _ byteCount: Int64, _ path: String
    ) throws(MediaError) -> (entries: [String: Entry], offset: Int64) {
        func damaged(_ cause: String) -> MediaError {
            MediaError(.damaged, subject: path, cause: cause, remedy: "export it again")
        }
        // A comment of at most 65,535 bytes follows the end record.
        let tailStart = max(0, byteCount - 65_557)
        let tail = try bytes(of: source, at: tailStart, count: Int(byteCount - tailStart), path)
        guard let end = tail.lastRange(of: [0x50, 0x4B, 0x05, 0x06]), end + 22 <= tail.count else {
            throw MediaError(
                .unknownFormat, subject: path, cause: "it is not a ZIP file, or is cut off",
                remedy: "copy or download it again")
        }
        var count = Int64(tail.number(at: end + 10, 2))
        var size = Int64(tail.number(at: end + 12, 4))
        var offset = Int64(tail.number(at: end + 16, 4))
        if end >= 20, tail.number(at: end - 20, 4) == 0x0706_4B50 {
            let place = Int64(truncatingIfNeeded: tail.number(at: end - 12, 8))
            guard place >= 0, place <= byteCount - 56 else { throw damaged("its index is damaged") }
            let record = try bytes(of: source, at: place, count: 56, path)
            guard record.number(at: 0, 4) == 0x0606_4B50 else {
                throw damaged("its index is damaged")
            }
            count = Int64(truncatingIfNeeded: record.number(at: 32, 8))
            size = Int64(truncatingIfNeeded: record.number(at: 40, 8))
            offset = Int64(truncatingIfNeeded: record.number(at: 48, 8))
        }
        guard (0...Int64(maximumEntries)).contains(count), (0...maximumDirectory).contains(size)
        else {
            throw MediaError(
                .limitExceeded, subject: path,
                cause: "it has \(count) entries; at most \(maximumEntries) are read",
                remedy: "bundle less media")
        }
        guard offset >= 0, offset <= byteCount - size else { throw damaged("its index is damaged") }
        let index = try bytes(of: source, at: offset, count: Int(size), path)
        var entries: [String: Entry] = [:]
        var position = 0
        for _ in 0..<count {
            guard position + 46 <= index.count, index.number(at: position, 4) == 0x0201_4B50 else {
                throw damaged("its index is damaged")
            }
            let nameLength = Int(index.number(at: position + 28, 2))
            let extraLength = Int(index.number(at: position + 30, 2))
            let next =
                position + 46 + nameLength + extraLength
                + Int(index.number(at: position + 32, 2))
            guard next <= index.count else { throw damaged("its index is damaged") }
            var entry = Entry(
                method: Int(index.number(at: position + 10, 2)),
                flags: Int(index.number(at: position + 8, 2)),
                packedSize: Int64(index.number(at: position + 20, 4)),
                size: Int64(index.number(at: position + 24, 4)),
                headerOffset: Int64(index.number(at: position + 42, 4)),
                isSymbolicLink: index.number(at: position + 40, 2) & 0xF000 == 0xA000)
            let nameStart = position + 46
            entry.readLarge(
                index[(nameStart + nameLength)..<(nameStart + nameLength + extraLength)])
            let name = String(
                decoding: index[nameStart..<(nameStart + nameLength)], as: UTF8.self)
            entry.isRepeated = entries[name] != nil
            entries[name] = entry
            position = next
        }
        return (entries, offset)
    }

    // MARK: - Entries

    /// Returns the content of an entry, in memory.
    ///
    /// - Parameter limit: The maximum size of the content, in bytes.
    func content(of name: String, limit: Int64 = maximumUnpacked) throws(MediaError) -> [UInt8] {
        let (entry, start) = try usableEntry(name)
        // The packed size is read into memory too, and a false size must not hide it.
        let size = max(entry.size, entry.packedSize)
        guard size <= limit else {
            throw refusal(
                name, "it has \(size) bytes; at most \(limit) are unpacked", code: .limitExceeded)
        }
        let packed = try Self.bytes(of: source, at: start, count: Int(entry.packedSize), path)
        if entry.method == 0 { return packed }
        guard let content = Self.inflate(packed, size: Int(entry.size)) else {
            throw refusal(
                name, "its data is damaged, or has another size than the archive states",
                code: .damaged)
        }
        return content
    }

    /// Returns an entry as a source of media. The entry is read in place if it is not compressed,
    /// otherwise from memory.
    package func dataSource(of name: String) throws(MediaError) -> any MediaDataSource {
        let (entry, start) = try usableEntry(name)
        guard entry.method != 0 else {
            return ZipEntrySource(source, start: start, byteCount: entry.size)
        }
        return try unpacked.withLock { (unpacked) throws(MediaError) in
            if let known = unpacked[name]?.source { return known }
            let source = try unpack(name, entry)
            unpacked[name] = Unpacked(source: source)
            return source
        }
    }

    private func unpack(
        _ name: String, _ entry: Entry
    ) throws(MediaError) -> UnpackedEntrySource {
        // Each entry may be within the limit, and all of them together far beyond it.
        let isReserved = unpackedCount.withLock { count in
            guard entry.size <= unpackedLimit - count else { return false }
            count += entry.size
            return true
        }
        guard isReserved else {
            throw refusal(
                name, "the archive has more than \(unpackedLimit) bytes of compressed media",
                code: .limitExceeded, remedy: "bundle the media without compression")
        }
        let release = { @Sendable [self] in unpackedCount.withLock { $0 -= entry.size } }
        do throws(MediaError) {
            return UnpackedEntrySource(try content(of: name), release: release)
        } catch {
            release()
            throw error
        }
    }

    /// Returns an entry that may be read, and the offset of its data. Its sizes are those of the
    /// file, and not only stated.
    private func usableEntry(_ name: String) throws(MediaError) -> (Entry, start: Int64) {
        guard let entry = entries[name] else {
            throw refusal(name, "the archive does not contain it", code: .cannotOpen)
        }
        guard entry.flags & 1 == 0, !entry.isSymbolicLink, [0, 8].contains(entry.method) else {
            throw refusal(
                name, "it is encrypted, a link, or compressed in an unknown way", code: .notAllowed)
        }
        guard !name.hasPrefix("/"), !name.split(separator: "/").contains("..") else {
            throw refusal(name, "its name leads out of the archive", code: .notAllowed)
        }
        guard !entry.isRepeated else {
            throw refusal(name, "several entries have this name", code: .damaged)
        }
        guard entry.headerOffset >= 0, entry.headerOffset <= dataEnd - 30 else {
            throw refusal(name, "its header is damaged", code: .damaged)
        }
        let header = try Self.bytes(of: source, at: entry.headerOffset, count: 30, path)
        let start =
            entry.headerOffset + 30
            + Int64(header.number(at: 26, 2)) + Int64(header.number(at: 28, 2))
        guard header.number(at: 0, 4) == 0x0403_4B50, start <= dataEnd else {
            throw refusal(name, "its header is damaged", code: .damaged)
        }
        guard entry.size >= 0, entry.packedSize >= 0, entry.packedSize <= dataEnd - start else {
            throw refusal(name, "it is longer than the archive", code: .damaged)
        }
        let isPossible =
            entry.method == 0
            ? entry.size == entry.packedSize
            : entry.size / Self.maximumExpansion <= entry.packedSize
        guard isPossible else {
            throw refusal(
                name,
                "its stated size, \(entry.size) bytes, cannot be that of its data, which takes "
                    + "\(entry.packedSize) bytes", code: .damaged)
        }
        return (entry, start)
    }

    private func refusal(
        _ name: String, _ cause: String, code: MediaError.Code,
        remedy: String = "bundle the media again"
    ) -> MediaError {
        MediaError(code, subject: "\(path), entry \(name)", cause: cause, remedy: remedy)
    }

    /// Returns unpacked data; nil if it does not have exactly the expected size. At most one byte
    /// more is unpacked.
    private static func inflate(_ packed: [UInt8], size: Int) -> [UInt8]? {
        var stream = z_stream()
        // The data is raw deflate, without a zlib header.
        guard
            inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { inflateEnd(&stream) }
        var status = Z_OK
        var input = packed
        let result = [UInt8](unsafeUninitializedCapacity: size + 1) { output, count in
            input.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(clamping: input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(clamping: output.count)
                status = CPlayheadZlib.inflate(&stream, Z_FINISH)
            }
            count = Int(stream.total_out)
        }
        return status == Z_STREAM_END && result.count == size ? result : nil
    }

    private static func bytes(
        of source: FileDescriptorDataSource, at offset: Int64, count: Int, _ path: String
    ) throws(MediaError) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: max(count, 0))
        var filled = 0
        while filled < result.count {
            var failure: MediaError?
            let read = result.withUnsafeMutableBytes { bytes -> Int in
                do throws(MediaError) {
                    return try source.read(
                        into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]),
                        at: offset + Int64(filled), isCancelled: { false })
                } catch {
                    failure = error
                    return 0
                }
            }
            if let failure { throw failure }
            guard read > 0 else {
                throw MediaError(
                    .damaged, subject: path, cause: "it is cut off",
                    remedy: "copy or download it again")
            }
            filled += read
        }
        return result
    }
}

extension ZipArchive.Entry {
    /// Reads the sizes in the ZIP64 extra field. The extra field contains those sizes whose regular
    /// fields have all bits set.
    fileprivate mutating func readLarge(_ extra: ArraySlice<UInt8>) {
        let extra = Array(extra)
        var position = 0
        while position + 4 <= extra.count {
            let length = Int(extra.number(at: position + 2, 2))
            let end = min(position + 4 + length, extra.count)
            if extra.number(at: position, 2) == 1 {
                var field = position + 4
                for key in [\Self.size, \.packedSize, \.headerOffset]
                where self[keyPath: key] == 0xFFFF_FFFF && field + 8 <= end {
                    self[keyPath: key] = Int64(truncatingIfNeeded: extra.number(at: field, 8))
                    field += 8
                }
            }
            position += 4 + length
        }
    }
}

extension [UInt8] {
    /// Returns the number in little-endian bytes at an offset; 0 beyond the end.
    fileprivate func number(at offset: Int, _ count: Int) -> UInt64 {
        guard offset >= 0, offset + count <= self.count else { return 0 }
        return (0..<count).reduce(0) { $0 | UInt64(self[offset + $1]) << UInt64(8 * $1) }
    }

    /// Returns the last offset at which four given bytes occur.
    fileprivate func lastRange(of bytes: [UInt8]) -> Int? {
        guard count >= bytes.count else { return nil }
        return (0...(count - bytes.count)).last { Array(self[$0..<($0 + bytes.count)]) == bytes }
    }
}
