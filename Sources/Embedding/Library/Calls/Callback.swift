// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Marks the threads on which a callback of the host is running. Functions of the library must not
/// be called on them.
enum Callback {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key, nil)
        precondition(status == 0, "pthread_key_create failed with \(status)")
        return key
    }()

    static var isRunning: Bool { pthread_getspecific(key) != nil }

    static func run<Result>(_ body: () -> Result) -> Result {
        let outer = pthread_getspecific(key)
        // Any address other than null marks the thread.
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
        defer { pthread_setspecific(key, outer) }
        return body()
    }
}
