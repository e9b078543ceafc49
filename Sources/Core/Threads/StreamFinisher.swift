// SPDX-License-Identifier: Apache-2.0

/// An object that owns the continuation of a stream, and finishes the stream when the object is
/// deallocated.
///
/// - Concurrency: any thread.
package final class StreamFinisher<Element: Sendable>: Sendable {
    package let continuation: AsyncStream<Element>.Continuation

    package init(_ continuation: AsyncStream<Element>.Continuation) {
        self.continuation = continuation
    }

    deinit { continuation.finish() }
}
