// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

@testable import PlayheadAudio

/// A tap with a configurable action, which records its calls.
///
/// - Concurrency: rigs on a manual clock, which call everything on one thread.
final class NotingTap: AudioProcessingTap, @unchecked Sendable {
    private(set) var preparations: [(maxFrames: Int, format: AudioFormat)] = []
    private(set) var unpreparations = 0
    private(set) var sources: [AudioTapSource] = []
    private(set) var blockSizes: [Int] = []
    /// The action instead of passing its source on.
    var body: (inout AudioTapBlock) -> Void = { _ in }
    private let pullsFirst: Bool

    init(pullsFirst: Bool = true) { self.pullsFirst = pullsFirst }

    override func prepare(maxFrames: Int, format: AudioFormat) {
        preparations.append((maxFrames, format))
    }

    override func unprepare() { unpreparations += 1 }

    override func process(_ block: inout AudioTapBlock) {
        blockSizes.append(block.frameCount)
        if pullsFirst { sources.append(block.pull()) }
        body(&block)
    }

    var isPrepared: Bool { preparations.count > unpreparations }
}
