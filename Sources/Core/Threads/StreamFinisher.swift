// SPDX-License-Identifier: Apache-2.0

/// Ends a stream when it goes: whoever keeps it feeds the stream.
///
/// - Concurrency: any thread.
package final class StreamFinisher<Element: Sendable>: Sendable {
    package let continuation: AsyncStream<Element>.Continuation

    package init(_ continuation: AsyncStream<Element>.Continuation) {
        self.continuation = continuation
    }

    deinit { continuation.finish() }
}
