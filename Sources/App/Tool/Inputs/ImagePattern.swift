// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The name of a numbered image sequence: `frame-%04d.png`.
///
/// - Corresponds to: the patterns of FFmpeg's `image2` demuxer, with `%d` and `%0Nd`.
struct ImagePattern {
    private let folder: String
    private let before: Substring
    private let after: Substring
    private let digits: Int

    /// Parses a path; nil if the name has no pattern, or if a file has exactly this name.
    init?(_ path: String) {
        guard path.contains("%"), !path.contains("://"), FileIdentity(path) == nil else {
            return nil
        }
        let name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
        for percent in name.indices where name[percent] == "%" {
            var rest = name[percent...].dropFirst()
            let isPadded = rest.first == "0"
            let width = rest.prefix { ("0"..."9").contains($0) }
            rest = rest.dropFirst(width.count)
            guard rest.first == "d", width.isEmpty || isPadded, let digits = Int("0" + width),
                digits <= 20
            else { continue }
            folder = String(path[..<name.startIndex])
            before = name[..<percent]
            after = rest.dropFirst()
            self.digits = digits
            return
        }
        return nil
    }

    /// The maximum number of files in a sequence.
    private static let limit = 1_000_000

    /// Returns the paths of the sequence's files in order of their numbers, up to the first missing
    /// number.
    func files() -> [String] {
        guard let directory = opendir(folder.isEmpty ? "." : folder) else { return [] }
        defer { closedir(directory) }
        var names: [Int: String] = [:]
        while let item = readdir(directory), names.count < Self.limit {
            let name = withUnsafePointer(to: &item.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let number = number(of: name) { names[number] = name }
        }
        guard let first = names.keys.min() else { return [] }
        var files: [String] = []
        while let name = names[first + files.count] { files.append(folder + name) }
        return files
    }

    private func number(of name: String) -> Int? {
        guard name.hasPrefix(before), name.hasSuffix(after),
            name.count > before.count + after.count
        else { return nil }
        let text = name.dropFirst(before.count).dropLast(after.count)
        guard text.allSatisfy({ ("0"..."9").contains($0) }), let number = Int(text) else {
            return nil
        }
        // The number in the form in which printf writes it.
        let plain = String(number)
        let written = String(repeating: "0", count: max(0, digits - plain.count)) + plain
        return written == text ? number : nil
    }
}
