// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import Synchronization
import Testing

@Suite("Worker group")
struct WorkerGroupTests {
    private final class Counts: Sendable {
        let slices = Mutex([Int](repeating: 0, count: 40))
        let participants = Mutex(Set<Int>())
    }

    @Test(arguments: [0, 1, 3])
    func `every slice runs exactly once before the call returns, for any number of helpers`(
        helperCount: Int
    ) {
        let counts = Counts()
        let group = WorkerGroup(name: "ph-test", helperCount: helperCount) { slice, participant in
            counts.slices.withLock { $0[slice] += 1 }
            counts.participants.withLock { _ = $0.insert(participant) }
        }
        #expect(group.participantCount == helperCount + 1)
        for round in 1...500 {
            group.perform(sliceCount: 40)
            let isRight = counts.slices.withLock { $0.allSatisfy { $0 == round } }
            #expect(isRight, "after round \(round)")
            guard isRight else { return }
        }
        #expect(counts.participants.withLock { $0.allSatisfy((0...helperCount).contains) })
    }

    @Test func `a group ends if it never worked, and if it had no slices`() {
        _ = WorkerGroup(name: "ph-test", helperCount: 2) { _, _ in }
        WorkerGroup(name: "ph-test", helperCount: 2) { _, _ in }.perform(sliceCount: 0)
    }
}
