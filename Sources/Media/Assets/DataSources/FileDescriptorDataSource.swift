// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Media behind a file descriptor: an open file, a pipe or a socket.
///
/// Files are read by offset (`pread`), so the descriptor's own position is neither used nor
/// changed. Pipes and sockets are read once, in order.
///
/// - Concurrency: any thread.
/// - Ownership: the source duplicates the descriptor and closes the duplicate. The caller keeps its
///   own descriptor.
/// - Corresponds to: FFmpeg's `fd:` and `pipe:`, `AVURLAsset` of `/dev/fd/…`.
package final class FileDescriptorDataSource: MediaDataSource {
    package let isSeekable: Bool
    /// The identity of the file; nil for a pipe.
    package let identity: FileIdentity?
    let descriptor: Int32
    let subject: String
    /// The offset up to which a pipe has been read.
    private let position = Atomic(Int64(0))

    /// The interval between checks for cancellation while waiting for a pipe, in milliseconds.
    private static let pollMilliseconds: Int32 = 100

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - descriptor: A descriptor that is open for reading.
    ///   - subject: The name for error messages.
    /// - Throws: An error if the descriptor is not open or cannot be duplicated.
    package convenience init(_ descriptor: Int32, subject: String? = nil) throws(MediaError) {
        let subject = subject ?? "file descriptor \(descriptor)"
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else {
            let error = errno
            throw error == EBADF
                ? MediaError(
                    .cannotOpen, subject: subject, cause: "it is not open",
                    remedy: "open it first")
                : MediaError.tooManyOpenFiles(subject)
        }
        self.init(owning: duplicate, subject: subject)
    }

    /// Creates a source that owns a descriptor and closes it on deallocation.
    package init(owning descriptor: Int32, subject: String) {
        self.descriptor = descriptor
        self.subject = subject
        var status = stat()
        let isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        isSeekable = isRegular
        identity = isRegular ? FileIdentity(status) : nil
    }

    deinit { close(descriptor) }

    /// The current size of a file, which another process may still be writing.
    package var byteCount: Int64? {
        var status = stat()
        guard isSeekable, fstat(descriptor, &status) == 0 else { return nil }
        return Int64(status.st_size)
    }

    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int {
        while true {
            let count: Int
            if isSeekable {
                count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            } else {
                guard offset == position.load(ordering: .relaxed) else { throw alreadyRead }
                try waitForInput(isCancelled)
                count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
            if count >= 0 {
                if !isSeekable { position.add(Int64(count), ordering: .relaxed) }
                return count
            }
            guard errno == EINTR || errno == EAGAIN else { throw failure(errno) }
        }
    }

    private func waitForInput(_ isCancelled: () -> Bool) throws(MediaError) {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            if isCancelled() {
                throw MediaError(.cancelled, subject: subject, cause: "reading was cancelled")
            }
            let ready = poll(&request, 1, Self.pollMilliseconds)
            if ready > 0 { return }
            if ready < 0, errno != EINTR { throw failure(errno) }
        }
    }

    private var alreadyRead: MediaError {
        MediaError(
            .cannotOpen, subject: subject, cause: "it cannot be read twice or out of order",
            remedy: "copy it to a file and open that file")
    }

    private func failure(_ code: Int32) -> MediaError {
        MediaError(
            .cannotOpen, subject: subject,
            cause: "it cannot be read (\(String(cString: strerror(code))))",
            remedy: "check that it is open for reading")
    }
}
