// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A file that is written under a temporary name beside its final path, and is moved into place
/// when it is complete.
///
/// The temporary name is the path with `.part`, or a shorter name if that is too long. A symbolic
/// link is preserved and its target is replaced. A file that replaces another keeps the mode and
/// the owner of the old file. The data is synchronised to disk before the file is renamed, so that
/// after a crash there is either the old file or the new one.
///
/// - Concurrency: one thread at a time. `remove` may be called from any thread.
/// - Ownership: the file is removed on deallocation, unless it was moved into place or kept.
package final class WritingFile: @unchecked Sendable {
    // Unchecked: `isThere` is atomic; all other state is used by one thread at a time.

    /// The temporary path.
    package let path: String
    /// The path that the caller gave, for error messages.
    package let subject: String
    /// The file that is created or replaced, which is the target of any symbolic links.
    package let target: String
    private let replaces: Bool
    private let descriptor: Int32
    private var isOpen = true
    private let isThere = Atomic(true)
    /// The bytes of a file in memory that have not been taken yet, and their position; nil for a
    /// file on disk.
    private var memory: [UInt8]?
    private var memoryStart: Int64 = 0
    /// A Boolean value that indicates whether the file is in memory, without a name.
    var isInMemory: Bool { memory != nil }
    private var position: Int64 = 0
    /// The error number of the first operation that failed; 0 if none has failed. It is stored
    /// because a muxer's own error does not state the cause.
    package private(set) var failure: Int32 = 0
    /// The file size, in bytes, above which the disk is treated as full, for tests; nil for no
    /// limit.
    package var capacity: Int64?

    /// A Boolean value that indicates whether the temporary file stays if a write fails. It then
    /// plays up to its last fragment.
    var staysAfterFailure = false

    /// The system calls that complete a file.
    package struct Completion: Sendable {
        package var synchronize: @Sendable (Int32) -> Int32 = { fsync($0) }
        package var close: @Sendable (Int32) -> Int32 = { Glibc.close($0) }

        package init() {}
    }

    /// The system calls that complete the file. Tests replace them with calls that fail.
    package var completion = Completion()

    /// The maximum number of names that are tried if temporary files already exist.
    private static let maximumNames = 1000
    /// The maximum number of symbolic links that are followed, as in Linux.
    private static let maximumLinks = 40
    /// The maximum length of a file name on Linux file systems, in bytes.
    private static let maximumNameLength = 255

    /// Creates an empty temporary file.
    ///
    /// - Parameters:
    ///   - replaces: A Boolean value that indicates whether a file at the path is replaced.
    ///   - inputs: The paths of the inputs. None of them may be the output.
    package init(
        _ path: String, replaces: Bool, inputs: [String] = []
    ) throws(MediaWritingError) {
        subject = path
        self.replaces = replaces
        let target = Self.target(of: path)
        self.target = target
        try Self.check(path, target: target, replaces: replaces, inputs: inputs)
        for number in 1...Self.maximumNames {
            let name = Self.temporaryName(of: target, number: number)
            let file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard file < 0 else {
                descriptor = file
                self.path = name
                keepModeAndOwner()
                return
            }
            if errno != EEXIST { break }
        }
        throw Self.creationError(errno, path)
    }

    /// Creates a file in memory, without a name. Its bytes are delivered as segments.
    package init(inMemoryFor subject: String) {
        self.subject = subject
        (target, path, replaces) = (subject, subject, false)
        descriptor = -1
        isOpen = false
        memory = []
        isThere.store(false, ordering: .relaxed)
    }

    deinit {
        if isOpen { close(descriptor) }
        remove()
    }

    /// Checks whether a file can be created or replaced, without creating it.
    package static func check(
        _ path: String, replaces: Bool, inputs: [String]
    ) throws(MediaWritingError) {
        try check(path, target: target(of: path), replaces: replaces, inputs: inputs)
    }

    private static func check(
        _ path: String, target: String, replaces: Bool, inputs: [String]
    ) throws(MediaWritingError) {
        var status = stat()
        guard stat(target, &status) == 0 else {
            // The temporary name may be shorter.
            if errno == ENAMETOOLONG { throw creationError(errno, path) }
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR:
            throw MediaWritingError(
                .cannotCreate, subject: path, cause: "the path is a folder",
                remedy: "add a file name")
        default:
            throw MediaWritingError(
                .cannotCreate, subject: path,
                cause: "a media file cannot be written to a pipe or a device, which do not support "
                    + "seeking", remedy: "name a file")
        }
        for input in inputs {
            var other = stat()
            guard stat(input, &other) == 0, other.st_dev == status.st_dev,
                other.st_ino == status.st_ino
            else { continue }
            throw MediaWritingError(
                .outputIsInput, subject: path,
                cause: "the output is also an input\(input == path ? "" : " (\(input))")",
                remedy: "write to another file")
        }
        guard replaces else { throw exists(path) }
    }

    private static func exists(_ path: String) -> MediaWritingError {
        MediaWritingError(
            .fileExists, subject: path, cause: "the file exists",
            remedy: "use another name, or set replacesExistingFile")
    }

    private static func creationError(_ code: Int32, _ path: String) -> MediaWritingError {
        switch code {
        case ENOENT, ENOTDIR:
            MediaWritingError(
                .cannotCreate, subject: path, cause: "its folder does not exist",
                remedy: "create the folder, or name another")
        case EACCES, EPERM, EROFS:
            MediaWritingError(
                .cannotCreate, subject: path, cause: "its folder is not writable",
                remedy: "choose another folder, or change its permissions")
        case ENAMETOOLONG:
            MediaWritingError(
                .cannotCreate, subject: path, cause: "its name is too long for the file system",
                remedy: "use a shorter name")
        default: writeError(code, path)
        }
    }

    /// Returns the error of a system call that wrote, synchronised or renamed the file.
    package static func writeError(_ code: Int32, _ path: String) -> MediaWritingError {
        switch code {
        case ENOSPC, EDQUOT:
            return MediaWritingError(
                .diskFull, subject: path, cause: "the disk is full",
                remedy: "delete some files, or write to another disk")
        case EFBIG:
            return MediaWritingError(
                .writeFailed, subject: path,
                cause: "the file would exceed the maximum size of files on its disk, or a limit of "
                    + "the process",
                remedy: "write to another disk, or raise the limit with ulimit -f")
        case EMFILE, ENFILE, ENOMEM:
            return MediaWritingError(
                .outOfResources, subject: path,
                cause: "too many files are open, or there is not "
                    + "enough memory", remedy: "close some files, or free memory")
        case ENOENT:
            return MediaWritingError(
                .writeFailed, subject: path, cause: "its folder or temporary file has vanished",
                remedy: "check that nothing else moves or removes them")
        default:
            return MediaWritingError(
                .writeFailed, subject: path,
                cause: "it cannot be written (\(String(cString: strerror(code))))",
                remedy: "check the disk")
        }
    }

    // MARK: - Writing

    /// Writes bytes at the current position. Returns false if this fails; `failure` then has the
    /// reason.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard failure == 0 else { return false }
        if let capacity, position + Int64(bytes.count) > capacity {
            failure = ENOSPC
            return false
        }
        if memory != nil { return store(bytes) }
        var offset = 0
        while offset < bytes.count {
            let count = pwrite(
                descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset,
                off_t(position))
            if count < 0 {
                if errno == EINTR { continue }
                failure = errno
                return false
            }
            offset += count
            position += Int64(count)
        }
        return true
    }

    /// Writes bytes into memory. Bytes that were taken can no longer be changed.
    private func store(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let place = Int(position - memoryStart)
        guard place >= 0, let count = memory?.count else {
            failure = ESPIPE
            return false
        }
        let end = place + bytes.count
        if end > count { memory?.append(contentsOf: repeatElement(0, count: end - count)) }
        memory?.withUnsafeMutableBytes { memory in
            UnsafeMutableRawBufferPointer(rebasing: memory[place..<end]).copyMemory(from: bytes)
        }
        position += Int64(bytes.count)
        return true
    }

    /// Reads bytes at the current position. Returns the number of bytes, 0 at the end, or -1 if
    /// reading fails.
    package func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = pread(descriptor, bytes.baseAddress, bytes.count, off_t(position))
            if count < 0, errno == EINTR { continue }
            if count < 0 { failure = errno } else { position += Int64(count) }
            return count
        }
    }

    /// Removes and returns all bytes of a file in memory. Subsequent bytes continue at the same
    /// position.
    func takeMemory() -> [UInt8] {
        guard let bytes = memory else { return [] }
        memoryStart += Int64(bytes.count)
        memory = []
        return bytes
    }

    /// Moves the current position.
    package func seek(to offset: Int64) { position = max(0, offset) }

    /// The current position.
    package var offset: Int64 { position }

    /// The size of the file, in bytes.
    package var byteCount: Int64 {
        if let memory { return memoryStart + Int64(memory.count) }
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Synchronises the complete file with the disk.
    func synchronize() throws(MediaWritingError) {
        if failure != 0 { throw Self.writeError(failure, subject) }
        guard completion.synchronize(descriptor) == 0 else {
            throw Self.writeError(errno, subject)
        }
        isOpen = false
        guard completion.close(descriptor) == 0 else { throw Self.writeError(errno, subject) }
    }

    /// Moves the complete file into place, and synchronises the folder.
    func moveIntoPlace() throws(MediaWritingError) {
        try rename()
        isThere.store(false, ordering: .releasing)
        // The folder already has the new name. File systems that cannot synchronise folders report
        // EINVAL.
        let folder = open(Self.folder(of: target), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }

    private func rename() throws(MediaWritingError) {
        if !replaces {
            // Unlike a rename, a link fails if another file has been created at the path meanwhile.
            if link(path, target) == 0 {
                unlink(path)
                return
            }
            if errno == EEXIST { throw Self.exists(subject) }
            var status = stat()
            // Some file systems have no hard links, such as FAT.
            guard errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK else {
                throw Self.writeError(errno, subject)
            }
            if lstat(target, &status) == 0 { throw Self.exists(subject) }
        }
        guard Glibc.rename(path, target) == 0 else { throw Self.writeError(errno, subject) }
    }

    /// Removes the temporary file. A file that already existed at the path stays.
    package func remove() {
        if isThere.exchange(false, ordering: .acquiringAndReleasing) { unlink(path) }
    }

    /// Leaves the temporary file in its place.
    func keep() { isThere.store(false, ordering: .releasing) }

    /// Copies the mode and the owner of the file to be replaced to the temporary file.
    private func keepModeAndOwner() {
        var status = stat()
        guard replaces, stat(target, &status) == 0 else { return }
        // The owner is set first, because a change of owner clears some bits of the mode. Only root
        // may change the owner, so this may fail.
        _ = fchown(descriptor, status.st_uid, status.st_gid)
        _ = fchmod(descriptor, status.st_mode & 0o7777)
    }

    // MARK: - Names

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func temporaryName(of target: String, number: Int) -> String {
        let ending = number == 1 ? ".part" : ".part\(number)"
        let name =
            target.lastIndex(of: "/").map { target[target.index(after: $0)...] } ?? target[...]
        guard name.utf8.count + ending.utf8.count > maximumNameLength else {
            return target + ending
        }
        // This name contains the process identifier, so that it differs from those of other writers
        // in the folder.
        let folder = target.lastIndex(of: "/").map { String(target[...$0]) } ?? ""
        return "\(folder).playhead-\(getpid())\(ending)"
    }

    /// Returns the target of a path with symbolic links, even if the target does not exist.
    package static func target(of path: String) -> String {
        var path = path
        var link = [CChar](repeating: 0, count: Int(PATH_MAX))
        for _ in 0..<maximumLinks {
            let count = readlink(path, &link, Int(PATH_MAX))
            guard count > 0 else { break }
            let next = String(decoding: link[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
            path = next.hasPrefix("/") ? next : folder + next
        }
        return path
    }
}
