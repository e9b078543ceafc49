// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadTime

extension ImageGenerator {
    /// The images of a video at several times. They are made while the sequence is iterated over.
    /// If a time has no frame, or its frame cannot be decoded, the element has an error and the
    /// sequence continues.
    ///
    /// - Concurrency: each iterator belongs to one task. Cancelling the task ends the sequence and
    ///   the work for it.
    /// - Corresponds to: `AVAssetImageGenerator.Images`.
    public struct Images: AsyncSequence, Sendable {
        /// The sequence itself cannot fail, but its elements can have errors.
        public typealias Failure = Never

        /// The order of the images.
        public enum Order: Sendable, Hashable {
            /// The images are in the order of the requested times.
            case asRequested
            /// The images are in presentation order, in which decoding takes the least time.
            case asReady
        }

        /// An image, or the error that prevented it.
        public struct Element: Sendable {
            /// The requested time.
            public var requestedTime: MediaTime
            /// The image or the error.
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

        /// Creates an iterator. Work starts when its first element is requested.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(generator, ImageBatch(worker: worker, times: times))
        }

        /// An iterator over the images of a video.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private let batch: Owner

            init(_ generator: ImageGenerator, _ batch: ImageBatch) {
                self.batch = Owner(generator, batch)
            }

            /// Returns the next image as soon as it is made; nil after the last one, and after
            /// cancellation.
            public mutating func next() async -> Element? {
                let batch = batch.batch
                return await withTaskCancellationHandler {
                    await batch.next()
                } onCancel: {
                    batch.cancel()
                }
            }

            /// An owner of the generator. It cancels the remaining work when the last copy of the
            /// iterator is released.
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
