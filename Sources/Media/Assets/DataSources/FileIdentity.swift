// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The identity of a file's content. If two identities are equal, the file has neither been
/// replaced nor written to in the meantime.
///
/// - Corresponds to: `st_dev`, `st_ino`, `st_size`, `st_mtim` and `st_ctim` of `fstat`(2).
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64
    private let byteCount: Int64
    private let modification: Instant
    private let change: Instant

    private struct Instant: Hashable, Sendable {
        var seconds: Int
        var nanoseconds: Int

        init(_ time: timespec) { (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec) }
    }

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
        byteCount = Int64(status.st_size)
        modification = Instant(status.st_mtim)
        change = Instant(status.st_ctim)
    }
}
