// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// Media that is read from a file descriptor. An error is thrown if the data is a playlist, because
/// `PlaylistReader` reads playlists.
///
/// - Concurrency: any thread.
final class StandardInputSource: MediaDataSource {
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
        guard offset == 0, PlaylistForm(head: Array(buffer.prefix(min(count, 4096)))) != nil
        else { return count }
        throw MediaError(
            .unknownFormat, subject: name, cause: "the data is a playlist",
            remedy: "name the playlist file, or use 'play - < FILE'")
    }
}
