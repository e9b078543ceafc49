// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import Synchronization

/// The archives from which the media of one timeline comes. Each is opened once, so that all of its
/// entries share one file descriptor, one directory and one limit of unpacked data.
///
/// - Concurrency: any thread.
package final class OpenArchives: Sendable {
    private let archives = Mutex<[String: ZipArchive]>([:])

    package init() {}

    /// Returns the archive at a path. The first call opens it.
    package func archive(at path: String) throws(MediaError) -> ZipArchive {
        try archives.withLock { (archives) throws(MediaError) in
            if let archive = archives[path] { return archive }
            let archive = try ZipArchive(path: path)
            archives[path] = archive
            return archive
        }
    }
}
