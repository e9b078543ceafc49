// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Functions that read the folders, links and files that are needed to find devices.
enum V4L2Files {
    /// Returns the names in a folder; an empty list if it cannot be read.
    static func names(in folder: String) -> [String] {
        guard let handle = opendir(folder) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }

    /// Returns the target of a symbolic link; nil if it cannot be read.
    static func target(of path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = bytes.withUnsafeMutableBytes { buffer in
            readlink(path, buffer.bindMemory(to: CChar.self).baseAddress!, buffer.count)
        }
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// Returns the first line of a file; nil if it cannot be read or is empty.
    static func line(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [CChar](repeating: 0, count: 256)
        guard fgets(&bytes, Int32(bytes.count), file) != nil else { return nil }
        let line = bytes.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
