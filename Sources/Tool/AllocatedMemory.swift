// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// What the program has in use of malloc's memory, in all its heaps: what grows where something is not let
/// go of, while what is resident also holds what malloc keeps for later.
enum AllocatedMemory {
    /// In bytes; nil with C libraries that do not tell.
    static var byteCount: Int? {
        guard let report else { return nil }
        // malloc_info(3): each heap, then the sums over all, by kind.
        guard let sums = report.components(separatedBy: "</heap>").last else { return nil }
        func size(_ element: String, _ type: String) -> Int? {
            guard let start = sums.range(of: "<\(element) type=\"\(type)\""),
                let field = sums.range(of: "size=\"", range: start.upperBound..<sums.endIndex)
            else { return nil }
            return Int(sums[field.upperBound...].prefix { $0 != "\"" })
        }
        guard let heaps = size("system", "current") else { return nil }
        let mapped = size("total", "mmap") ?? 0
        return heaps + mapped - (size("total", "fast") ?? 0) - (size("total", "rest") ?? 0)
    }

    /// malloc_info(3), which Swift's Glibc does not show.
    private static var report: String? {
        typealias Info =
            @convention(c) (_ options: Int32, _ stream: UnsafeMutableRawPointer) -> Int32
        guard let symbol = dlsym(nil, "malloc_info") else { return nil }
        var text: UnsafeMutablePointer<CChar>?
        var count = 0
        guard let stream = open_memstream(&text, &count) else { return nil }
        let status = unsafeBitCast(symbol, to: Info.self)(0, stream)
        fclose(stream)
        defer { free(text) }
        return status == 0 ? text.map { String(cString: $0) } : nil
    }
}
