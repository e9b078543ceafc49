// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The message of the last failed call on each thread.
///
/// - Concurrency: any thread. Each thread has its own message.
/// - Ownership: the memory is freed when the thread exits.
enum LastError {
    private static let capacity = 2048

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // The call fails with ENOMEM or EAGAIN, for example if the process has used all 1024 keys.
        let status = pthread_key_create(&key) { free($0) }
        precondition(status == 0, "pthread_key_create failed with \(status)")
        return key
    }()

    /// The text for a thread on which no call has failed.
    private static let empty: StaticString = ""

    static var text: UnsafePointer<CChar> {
        if let buffer = pthread_getspecific(key) {
            return UnsafePointer(buffer.assumingMemoryBound(to: CChar.self))
        }
        return UnsafeRawPointer(empty.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    static func set(_ text: String) {
        var buffer = pthread_getspecific(key)
        if buffer == nil {
            buffer = malloc(capacity)
            pthread_setspecific(key, buffer)
        }
        guard let buffer else { return }
        let characters = buffer.bindMemory(to: CChar.self, capacity: capacity)
        text.copy(to: UnsafeMutableRawBufferPointer(start: characters, count: capacity))
    }
}
