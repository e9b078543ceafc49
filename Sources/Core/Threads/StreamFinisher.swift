// SPDX-License-Identifier: Apache-2.0

/// An owner of a stream's continuation that finishes the stream when it is deallocated.
///
/// - Concurrency: any thread.
package final class StreamFinisher<Element: Sendable>: Sendable {
    package let continuation: AsyncStream<Element>.Continuation

    package init(_ continuation: AsyncStream<Element>.Continuation) {
        self.continuation = continuation
    }

    deinit { continuation.finish() }
}
