// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The sentence about the last call that failed, one for each thread.
///
/// - Concurrency: any thread; each has its own.
/// - Ownership: the memory goes with the thread.
enum LastError {
    private static let capacity = 2048

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // ENOMEM and EAGAIN are the failures here: the process has used up its 1024 keys.
        let status = pthread_key_create(&key) { free($0) }
        precondition(status == 0, "pthread_key_create failed with \(status)")
        return key
    }()

    /// What is said where no call has failed: nothing. A constant that lasts.
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

extension String {
    /// Writes it as C has it, cut off between two characters where there is not room for all.
    func copy(to buffer: UnsafeMutableRawBufferPointer) {
        guard buffer.count > 0 else { return }
        var text = self
        text.withUTF8 { utf8 in
            var count = min(utf8.count, buffer.count - 1)
            // The bytes of a character but its first are 10xxxxxx.
            while count > 0, count < utf8.count, utf8[count] & 0xC0 == 0x80 { count -= 1 }
            buffer.copyBytes(from: utf8[..<count])
            buffer[count] = 0
        }
    }
}
