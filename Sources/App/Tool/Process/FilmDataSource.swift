// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// A film behind a file descriptor, which says so where it is a list of films instead.
///
/// - Concurrency: any thread, as what it reads from.
final class FilmDataSource: MediaDataSource {
    private let source: FileDescriptorDataSource
    private let name: String

    init(_ source: FileDescriptorDataSource, name: String) {
        self.source = source
        self.name = name
    }

    var byteCount: Int64? { source.byteCount }
    var isSeekable: Bool { source.isSeekable }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int {
        let count = try source.read(into: buffer, at: offset, isCancelled: isCancelled)
        guard offset == 0, FilmList.ListForm(head: Array(buffer.prefix(min(count, 4096)))) != nil
        else { return count }
        throw MediaError(
            .unknownFormat, subject: name, cause: "it is a playlist, which is read from files only",
            remedy: "name the file, or write 'play - < FILE'")
    }
}
