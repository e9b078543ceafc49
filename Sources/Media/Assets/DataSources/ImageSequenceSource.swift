// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The files of an image sequence, concatenated to one sequence of bytes.
///
/// - Concurrency: any thread.
package final class ImageSequenceSource: MediaDataSource {
    private let files: [String]
    /// The offset of each file, and the total size.
    private let offsets: [Int64]

    /// Creates a source. Fails if a file cannot be read or is not a regular file.
    package init?(_ files: [String]) {
        var offsets: [Int64] = [0]
        for file in files {
            var status = stat()
            guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            offsets.append((offsets.last ?? 0) + Int64(status.st_size))
        }
        self.files = files
        self.offsets = offsets
    }

    package var byteCount: Int64? { offsets.last }
    package var isSeekable: Bool { true }

    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int {
        guard offset < offsets[files.count], let address = buffer.baseAddress else { return 0 }
        // The search finds the last file that begins at or before the offset, and so skips empty
        // files.
        var (low, high) = (0, files.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if offsets[middle] <= offset { low = middle } else { high = middle }
        }
        let descriptor = open(files[low], O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        let count = min(buffer.count, Int(offsets[low + 1] - offset))
        let read =
            descriptor < 0 ? -1 : pread(descriptor, address, count, off_t(offset - offsets[low]))
        guard read > 0 else {
            throw MediaError(
                .cannotOpen, subject: files[low], cause: "the image cannot be read",
                remedy: "check that the file still exists")
        }
        return read
    }
}
