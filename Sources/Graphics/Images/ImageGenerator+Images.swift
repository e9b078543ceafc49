// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadTime

extension ImageGenerator {
    /// Pictures of a film, made as they are taken. A time that has none, or cannot be decoded, gives
    /// an element with an error; the others go on.
    ///
    /// - Concurrency: each iterator belongs to one task. Cancelling the task ends the sequence and the
    ///   work for it.
    /// - Corresponds to: `AVAssetImageGenerator.Images`.
    public struct Images: AsyncSequence, Sendable {
        public typealias Failure = Never

        /// In which order pictures come.
        public enum Order: Sendable, Hashable {
            /// That of the times.
            case asRequested
            /// Earlier pictures of the film first: what one decoder does fastest.
            case asReady
        }

        /// One picture, or why there is none.
        public struct Element: Sendable {
            /// What was asked for.
            public var requestedTime: MediaTime
            /// What came of it.
            public var result: Result<GeneratedImage, MediaError>
        }

        private let generator: ImageGenerator
        private let worker: ImageWorker
        private let times: [MediaTime]

        init(
            generator: ImageGenerator, worker: ImageWorker, times: [MediaTime], order: Order
        ) {
            self.generator = generator
            self.worker = worker
            self.times = order == .asReady ? times.sorted() : times
        }

        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(generator, ImageBatch(worker: worker, times: times))
        }

        public struct AsyncIterator: AsyncIteratorProtocol {
            private let batch: Owner

            init(_ generator: ImageGenerator, _ batch: ImageBatch) {
                self.batch = Owner(generator, batch)
            }

            public mutating func next() async -> Element? {
                let batch = batch.batch
                return await withTaskCancellationHandler {
                    await batch.next()
                } onCancel: {
                    batch.cancel()
                }
            }

            /// Keeps the generator, and drops what is under way when the last copy of the iterator
            /// goes.
            private final class Owner: Sendable {
                let batch: ImageBatch
                private let generator: ImageGenerator
                init(_ generator: ImageGenerator, _ batch: ImageBatch) {
                    self.generator = generator
                    self.batch = batch
                }
                deinit { batch.cancel() }
            }
        }
    }
}
